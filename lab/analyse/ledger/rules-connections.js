/**
 * Rules for failures that carry no HTTP status: the connection failed, and the reason has to be read off the tiers. Each
 * rule takes what it can prove; the order goes from what proves itself to what needs more evidence.
 *
 * @typedef {object} Placement
 * @property {import('../../define/result.js').Tier} tier
 * @property {string} service
 * @property {string} cause
 * @property {number} count
 * @property {import('../../define/result.js').Evidence[]} evidence
 *
 * @typedef {{ id: string, place: (open: import('./open-failures.js').OpenFailures, facts: import('./facts.js').Facts) => Placement[] }} Rule
 */
import { countEvidence, counterEvidence, logEvidence, overflowEvidence, timesAway } from './evidence.js';
import { episodes } from './open-failures.js';
import { crashOf } from './rules-answers.js';
import { stalledTier } from './stalled-tier.js';

/** The other side closed or broke the connection. */
const BROKEN = ['eof', 'reset', 'server_closed_idle', 'broken_pipe'];
/** A connection could not be made, or only after too long. */
const UNCONNECTED = ['refused', 'unreachable', 'lookup', 'dial_timeout'];
/**
 * Nginx writes the "worker_connections" line once a second at most, and a user finds the connection closed only with the
 * next request, which a busy generator may send seconds later.
 */
const TABLE_FULL_REACH = { gapS: 5, beforeS: 2, afterS: 6 };

/** @type {Rule[]} */
export const connectionRules = [
  { id: 'generator-exhausted', place: placeExhausted },
  { id: 'cut-at-end', place: placeCutAtEnd },
  { id: 'entry-down', place: placeDown },
  { id: 'connection-table-full', place: placeTableFull },
  { id: 'accept-backlog-overflow', place: placeOverflow },
  { id: 'client-gave-up', place: placeGaveUp },
  { id: 'unreachable', place: placeUnreachable },
  { id: 'keep-alive-race', place: placeRace },
];

/** @type {Rule['place']} */
function placeExhausted(open, { raw }) {
  const kinds = ['no_descriptors', 'no_ports', 'generator_exhausted'];
  const samples = raw.errorSamples.filter(({ kind }) => kinds.includes(kind));
  const count = open.takeKinds(kinds);
  return placed(
    'generator',
    'k6',
    'generator-exhausted',
    count,
    samples.slice(0, 1).map(({ code, error }) => countEvidence('k6 log', `error ${code}: ${error}`, count)),
  );
}

/** @type {Rule['place']} */
function placeCutAtEnd(open, { stalls, window }) {
  // Requests that wait for a tier that stands still belong to that tier.
  if (stalls.some(({ to }) => to >= window.to)) return [];
  const count = open.takeKinds(['cut_at_end']);
  return placed('generator', 'k6', 'cut-at-end', count, [countEvidence('k6 metrics', 'context canceled', count)]);
}

/** @type {Rule['place']} */
function placeDown(open, facts) {
  const { name, tier } = facts.entry;
  const times = timesAway(facts, name);
  if (times.length === 0) return [];
  const count = open.takeDuring([...BROKEN, ...UNCONNECTED, 'timeout', 'other'], times);
  const cause = tier === 'app' ? crashOf(facts, name) : 'balancer-down';
  const codes = facts.deaths
    .filter((death) => death.name === name)
    .map(({ exitCode }) => (exitCode === null ? `${name} started again` : `${name} had ended with exit code ${exitCode}`));
  return placed(
    tier,
    name,
    cause,
    count,
    codes.map((text) => countEvidence('container state', text, 1)),
  );
}

/** @type {Rule['place']} */
function placeTableFull(open, facts) {
  const { balancer, generator } = facts;
  if (!balancer) return [];
  const moments = [...(balancer.messages.reusing?.times ?? []), ...(balancer.messages.table_full?.times ?? [])].sort(
    (one, other) => one - other,
  );
  if (moments.length === 0) return [];
  const during = episodes(moments, TABLE_FULL_REACH);
  // Connections that Nginx accepted and could give no slot are counted by Nginx itself.
  const fresh = Math.min(balancer.dropped ?? 0, open.ofKinds(BROKEN));
  const newSockets = fresh > 0 ? open.takeKinds(BROKEN, fresh) : 0;
  const idle = open.takeDuring(BROKEN, during);
  const logged = [...logEvidence(facts, 'reusing'), ...logEvidence(facts, 'table_full')];
  const unseen = countEvidence('balancer access log', 'requests of the load that the balancer logged', balancer.lines.length);
  const sent = countEvidence('k6 metrics', 'requests that k6 finished', generator.finished);
  return [
    ...placed('load-balancer', balancer.name, 'connection-table-full-idle', idle, [...logged, sent, unseen]),
    ...placed('load-balancer', balancer.name, 'connection-table-full-new', newSockets, [
      ...logged,
      counterEvidence('nginx stub_status', 'connections accepted but not handled', 0, balancer.dropped ?? 0),
    ]),
  ];
}

/** @type {Rule['place']} */
function placeOverflow(open, facts) {
  const { name, tier } = facts.entry;
  const evidence = overflowEvidence(facts, name);
  if (evidence.length === 0) return [];
  return placed(tier, name, 'accept-backlog-overflow', open.takeKinds(['dial_timeout', 'reset', 'refused']), evidence);
}

/** @type {Rule['place']} */
function placeGaveUp(open, facts) {
  const count = open.takeKinds(['timeout', 'dial_timeout', 'cut_at_end']);
  if (count === 0) return [];
  const { tier, service, evidence, cause } = stalledTier(facts);
  return placed(tier, service, cause, count, [
    countEvidence('k6 metrics', 'requests that their user stopped waiting for', count),
    ...evidence,
  ]);
}

/** @type {Rule['place']} */
function placeUnreachable(open, { entry, raw }) {
  const samples = raw.errorSamples.filter(({ kind }) => UNCONNECTED.includes(kind));
  const count = open.takeKinds(UNCONNECTED);
  return placed(
    entry.tier,
    entry.name,
    'unreachable',
    count,
    samples.slice(0, 1).map(({ code, error }) => countEvidence('k6 log', `error ${code}: ${error}`, count)),
  );
}

/** @type {Rule['place']} */
function placeRace(open, { entry }) {
  const count = open.takeKinds(['server_closed_idle']);
  return placed(entry.tier, entry.name, 'keep-alive-race', count, [countEvidence('k6 log', 'http: server closed idle connection', count)]);
}

/** @type {(tier: string, service: string, cause: string, count: number, evidence: import('../../define/result.js').Evidence[]) => Placement[]} */
function placed(tier, service, cause, count, evidence) {
  return count > 0 ? [{ tier: /** @type {import('../../define/result.js').Tier} */ (tier), service, cause, count, evidence }] : [];
}
