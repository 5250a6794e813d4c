/**
 * What services asked of each other on the wire, by edge: who asked whom, how each call ended and who ended it, how long it took.
 *
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../wire/record.js').WireCall} WireCall
 * @typedef {import('../wire/record.js').Tenure} Tenure
 * @typedef {import('../wire/connection.js').ConnectionRecord} ConnectionRecord
 * @typedef {import('../record/types.js').WireEdge} WireEdge
 */

import { formatCommand, formatProjectCommand, launcherOf, shellWord } from '../base/format-command.js';
import { DEFAULT_BUDGET } from '../catalog/budgets.js';
import { isWorthTrying, measuredRemedies } from '../catalog/measured-remedies.js';
import { CONDITIONS } from '../options/accepted-options.js';
import { count, percent, tierName } from '../stats/figure-words.js';
import { quantilesOf, rounded } from '../stats/numbers.js';
import { HOST } from '../wire/tenancy.js';
import { isByTurns } from '../wire/turns.js';
import { failedLookups, Numbering, namesOf } from './joins/numbering.js';
import { isTurnedAway } from './joins/turned-away.js';
import { gapText } from './wire-gaps.js';

/** What a service is asked for; heartbeats and the set-up of connections are counted beside. */
const ASKING = new Set(['call', 'wait']);
const MILLI = 1000;
const CLASS = 100;

/**
 * @param {import('./joins/numbering.js').Lined | null} lined
 * @param {import('./time/window.js').Window} window  of the load: what began in it counts
 * @param {import('../record/types.js').WireGap[]} [gaps]  what the record does not have
 * @returns {import('../record/types.js').Wire | null} null where nothing was recorded
 */
export function wireOf(lined, window, gaps = []) {
  if (!lined) return null;
  const { wire, lines, lineAt } = lined;
  const isIn = (/** @type {number} */ at) => at >= window.from && at <= window.to;
  /** @type {Gathered[]} */
  const edges = [];
  const [pairs, numbers] = [new Numbering(), new Numbering()];
  const byLine = lines.map((line) => {
    const { connection, from, to } = line;
    const number = numbers.of(pairs.of(from, to), connection.server_port);
    edges[number] ??= emptyEdge(from, to, connection.server_port);
    const edge = edges[number];
    countProtocol(edge, connection);
    if (isIn(connection.opened_at) && !connection.midway) countConnection(edge, connection);
    // The last byte of one that was used in the load may come when that is over: what ends it is said too.
    if (connection.opened_at <= window.to && (connection.last_at ?? connection.opened_at) >= window.from) countBytes(edge, connection);
    return edge;
  });
  for (let index = 0; index < wire.calls.length; index += 1) {
    const call = wire.calls[index];
    if (lineAt[index] >= 0 && isIn(call.began_at)) countCall(byLine[lineAt[index]], call);
  }
  const reported = edges.filter(isUsed).map(reportedOf).toSorted(byVolume);
  return {
    edges: reported,
    no_host: failedLookups(wire, namesOf(wire.services), window),
    networks: wire.networks.map(networkOf),
    gaps,
    doubts: [...gaps.map(gapText), ...unreadOn(reported)],
  };
}

/**
 * @typedef {object} Gathered
 * @property {string} from
 * @property {string} to
 * @property {number} port
 * @property {Map<string, number>} protocols
 * @property {WireEdge['connections']} connections
 * @property {number} beside
 * @property {Map<string, number>} turnedAway
 * @property {Map<string, number>} statuses
 * @property {WireEdge['ends']} ends
 * @property {number} bad
 * @property {number} raced
 * @property {number} late
 * @property {number[]} times
 * @property {number[]} gaveUpAfter
 * @property {number} unknown
 * @property {number} hidden
 */

/** @param {Gathered} edge @param {ConnectionRecord} connection */
function countProtocol({ protocols }, { protocol }) {
  if (protocol !== '') protocols.set(protocol, (protocols.get(protocol) ?? 0) + 1);
}

/** @param {string} from @param {string} to @param {number} port @returns {Gathered} */
const emptyEdge = (from, to, port) => ({
  ...{ from, to, port, protocols: new Map(), beside: 0, turnedAway: new Map(), statuses: new Map(), bad: 0, raced: 0, late: 0 },
  connections: { opened: 0, refused: 0, unanswered: 0, reset: 0, closed_unasked: 0 },
  ends: { answered: 0, 'given-up': 0, closed: 0, reset: 0, cut: 0, open: 0 },
  ...{ times: [], gaveUpAfter: [], unknown: 0, hidden: 0 },
});

/** @param {Gathered} edge @param {ConnectionRecord} connection */
function countConnection({ connections }, { transport, outcome, by, asked_at: askedAt, accepted_at: acceptedAt, calls }) {
  if (transport === 'udp') return;
  connections.opened += 1;
  if (outcome === 'refused') connections.refused += 1;
  if (outcome === 'unanswered') connections.unanswered += 1;
  // Whoever asked may reset after its answer, to be rid of the connection at once.
  if (outcome === 'reset' && by === 'server') connections.reset += 1;
  // What was answered with an error in place of a login is told by its code.
  if (acceptedAt !== null && askedAt === null && calls === 0 && by === 'server') connections.closed_unasked += 1;
}

/** @param {Gathered} edge @param {ConnectionRecord} connection */
function countBytes(edge, { unknown_bytes: unknown, hidden_bytes: hidden }) {
  edge.unknown += unknown;
  edge.hidden += hidden;
}

/** @param {Gathered} edge @param {WireCall} call */
function countCall(edge, call) {
  if (!ASKING.has(call.role ?? 'call')) {
    edge.beside += 1;
    if (isTurnedAway(call) && call.end === 'answered') countStatus(edge.turnedAway, call);
    return;
  }
  edge.ends[call.end] += 1;
  if (call.raced) edge.raced += 1;
  if (call.late_at !== undefined) edge.late += 1;
  if (call.end === 'given-up' && call.ended_at !== null) edge.gaveUpAfter.push((call.ended_at - call.began_at) * MILLI);
  if (call.end !== 'answered') return;
  // What came when nobody waited any more is reported as late.
  if (call.bad) edge.bad += 1;
  countStatus(edge.statuses, call);
  if (call.ended_at !== null && call.role !== 'wait') edge.times.push((call.ended_at - call.began_at) * MILLI);
}

/** @param {Map<string, number>} counts  is changed @param {WireCall} call */
function countStatus(counts, call) {
  const status = statusOf(call);
  counts.set(status, (counts.get(status) ?? 0) + 1);
}

/** Its class, or the code of an error. @param {WireCall} call */
function statusOf({ status, code, bad }) {
  if (code !== null) return code;
  if (status === null) return bad ? 'error' : 'ok';
  const hundred = Math.floor(status / CLASS);
  CLASSES[hundred] ??= `${hundred}xx`;
  return CLASSES[hundred];
}
/** Of hundreds of thousands of calls each is one text. @type {string[]} */
const CLASSES = [];

/** @param {Gathered} edge */
const isUsed = ({ connections, ends, beside, unknown, hidden }) =>
  connections.opened + beside + unknown + hidden > 0 || Object.values(ends).some((times) => times > 0);

/** @param {Gathered} edge @returns {WireEdge} */
function reportedOf({
  from,
  to,
  port,
  protocols,
  connections,
  ends,
  bad,
  raced,
  late,
  beside,
  turnedAway,
  statuses,
  times,
  gaveUpAfter,
  unknown,
  hidden,
}) {
  const [p50, p95] = quantilesOf(times, [0.5, 0.95]);
  const [protocol = ''] = [...protocols].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return {
    ...{ from, to, port, protocol, connections, ends, bad, raced, late, beside },
    calls: Object.values(ends).reduce((all, number) => all + number, 0),
    statuses: mostOf(statuses),
    turned_away: mostOf(turnedAway),
    time_ms: { p50: rounded(p50, 3), p95: rounded(p95, 3) },
    gave_up_after_ms: spreadOf(gaveUpAfter),
    timeouts: [],
    ...{ unknown_bytes: unknown, hidden_bytes: hidden },
  };
}

/** @param {Map<string, number>} counts */
const mostOf = (counts) => Object.fromEntries([...counts].toSorted(([, one], [, other]) => other - one).slice(0, STATUSES_MOST));
/** A server that makes a code of its own for each error has more than anybody reads. */
const STATUSES_MOST = 20;

/** Equal times are a time-out of whoever gave up. @param {number[]} after @returns {WireEdge['gave_up_after_ms']} null of none */
function spreadOf(after) {
  if (after.length === 0) return null;
  const [p10, p50, p90] = quantilesOf(after, [0.1, 0.5, 0.9]).map((value) => rounded(value, 1) ?? 0);
  return { p10, p50, p90 };
}

/** @param {WireEdge} one @param {WireEdge} other */
const byVolume = (one, other) => other.calls - one.calls || other.connections.opened - one.connections.opened;

/** @param {import('../wire/record.js').NetworkRecord} network @returns {import('../record/types.js').Wire['networks'][number]} */
const networkOf = ({ network, dropped, cpu_s, counters }) => ({
  name: network,
  packets: counters?.packets ?? null,
  dropped,
  cpu_s: rounded(cpu_s, 3),
});

/** @param {WireEdge[]} edges @returns {string[]} a sentence for each on which something could not be read */
const unreadOn = (edges) =>
  edges
    // What the lab itself asks services, it asks from the machine.
    .filter(({ from, unknown_bytes: unknown }) => unknown > 0 && from !== HOST)
    .map(({ from, to, port, protocol, calls, unknown_bytes: unknown }) => {
      const reported = isByTurns({ protocol, calls }) ? ': calls there are told by turns, and an error in an answer is not seen' : '';
      return `${unknown.toLocaleString('en-US')} bytes between ${from} and ${to}:${port} could not be read${reported}`;
    });

/**
 * What to try next: a system that takes away the cause of most failures, unless the lab's own experiments speak against it; of a run that
 * says nothing, what would make it say something, and what would be tried then.
 *
 * @typedef {import('../record/types.js').TryNext} TryNext
 * @typedef {import('../catalog/measured-remedies.js').MeasuredRemedy} MeasuredRemedy
 * @typedef {import('../catalog/project-schema.js').Remedy} Remedy
 */

/** A variable of a command, whose value may stand in quotes. */
const VARIABLE = /(?<=^| )([A-Z_]+)=('[^']*'|\S+)/g;
/** Of a run that names none it is the same. */
const NO_QUOTAS = `BUDGET=${DEFAULT_BUDGET}`;

/** @param {string} command @returns {string[]} its variables that another run has to have too */
const conditionsIn = (command) =>
  [...command.matchAll(VARIABLE)].filter(([text, name]) => CONDITIONS.includes(name) && text !== NO_QUOTAS).map(([text]) => text);

/**
 * The remedies that take away the cause of most failures.
 * @param {{ id: string, remedies?: Remedy[] }} tried  id: by which stored experiments may have tried them
 * @param {{ command: string, load: string, hosts?: object[] }} manifest  of the run, whose command is spelt as it can be typed where it was made
 * @param {Pick<import('../record/types.js').Ledger, 'failures'>} ledger
 * @param {MeasuredRemedy[]} [measured]  by stored experiments
 * @returns {TryNext[]}
 */
export function tryNextOf({ id, remedies = [] }, { command, load, hosts }, { failures: [worst] }, measured = measuredRemedies) {
  if (!worst) return [];
  const known = (/** @type {Remedy} */ { system }) => measured.filter((one) => one.base === id && one.remedy === system);
  return remedies
    .filter((remedy) => remedy.causes.includes(worst.cause) && isWorthTrying(known(remedy), load))
    .map((remedy) => ({
      command:
        remedy.system === undefined
          ? formatProjectCommand(['compare', '--b', asSide(remedy.variables ?? {})], [])
          : formatCommand([hosts ? 'swarm' : 'run', remedy.system], conditionsIn(command), launcherOf(command)),
      why: [`relieves ${tierName(worst.tier)}: ${remedy.change}`, ...(remedy.system === undefined ? [] : effectsOf(known(remedy)))].join(
        '; ',
      ),
    }));
}

/** @param {Record<string, string>} variables */
const asSide = (variables) =>
  shellWord(
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  );

/** What stored experiments measured of it, the better first. @param {MeasuredRemedy[]} measured @returns {string[]} clauses */
function effectsOf(measured) {
  const reported = (/** @type {MeasuredRemedy['verdict']} */ verdict, /** @type {string} */ before) =>
    measured
      .filter((one) => one.verdict === verdict)
      .map(({ failure_rate_base: base, failure_rate_remedy: remedy, blocks, load, experiment }) => {
        const failed = base === null || remedy === null ? '' : `${percent(remedy)} instead of ${percent(base)} failed in `;
        return `${before} ${failed}${count(blocks)} blocks under load ${load} (experiment ${experiment})`;
      });
  return measured.length === 0
    ? ['no stored experiment has measured it']
    : [...reported('better', 'measured:'), ...reported('worse', 'but worse:')];
}

/**
 * Of an INVALID run: the same again, with what made it so out of the way. Nothing that it found is by itself a reason to change the system.
 * @param {{ command: string }} manifest
 * @param {string[]} steps  what to do first
 * @returns {TryNext[]}
 */
export const againOf = ({ command }, steps) => [
  { command, why: `again, for this run says nothing of the system; first ${steps.join(', and ')}` },
];

/**
 * What would be tried next if that run were VALID, marked so: it proves nothing.
 * @param {TryNext[]} advice
 * @returns {TryNext[]}
 */
export const onceValid = (advice) =>
  advice.map(({ command, why }) => ({ command, why: `if a VALID run says the same: ${why}`, once_valid: true }));

/**
 * What would tell more of a user's own system: of a run without the wire, proxies of which single requests are not on record, where that left
 * unknown where they failed; and services whose log is not read, where that left unknown why.
 *
 * @typedef {import('./ledger/facts.js').Facts} Facts
 * @typedef {import('../record/types.js').Ledger} Ledger
 */

/** What a proxy is to be watched at, so that each request is on record. */
const EACH_REQUEST = 2;
/** What a service is to be watched at, so that its log is read. */
const OWN_LOG = 1;
/** Causes of what no reason is on record of (ledger/waited.js). */
const OPEN = ['unexplained', 'upstream-timeout', 'client-gave-up'];

/**
 * @param {Facts} facts
 * @param {Pick<Ledger, 'failures' | 'unattributed'>} ledger
 * @returns {TryNext[]}
 */
export const watchNext = (facts, ledger) => [...whereNext(facts, ledger), ...whyNext(facts, ledger)];

/**
 * What is followed on the wire is placed by the ids and calls there: no record of a proxy changes that.
 * @param {Facts} facts @param {Pick<Ledger, 'failures' | 'unattributed'>} ledger @returns {TryNext[]}
 */
function whereNext({ raw, hops }, { failures, unattributed }) {
  if (raw.wire) return [];
  const isOpen = unattributed > 0 || failures.some(({ basis }) => (basis.where.proved ?? 0) < total(basis.where));
  if (!isOpen) return [];
  const blind = hops.filter(({ tier, coverage }) => tier === 'load-balancer' && coverage.requests !== 'full').map(({ service }) => service);
  const known = raw.adapted.filter(
    ({ service, product, level }) => blind.includes(service) && product !== 'opaque' && level < EACH_REQUEST,
  );
  return known.map(({ service }) => ({
    command: `${service}: { watch: ${EACH_REQUEST} } in doubletake.yaml`,
    why: 'each request is then on record there, so that where it failed is proved',
  }));
}

/** @param {Facts} facts @param {Pick<Ledger, 'failures'>} ledger @returns {TryNext[]} */
function whyNext({ raw }, { failures }) {
  const open = new Set(failures.filter(({ cause }) => OPEN.includes(cause)).flatMap(({ service }) => service.split(', ')));
  return raw.adapted
    .filter(({ service, level }) => open.has(service) && level < OWN_LOG)
    .map(({ service }) => ({
      command: `${service}: { watch: ${OWN_LOG} } in doubletake.yaml`,
      why: 'its log is then read, which may say why requests failed there',
    }));
}

/** @param {Record<string, number>} counts */
const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
