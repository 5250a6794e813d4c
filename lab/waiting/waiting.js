/**
 * Follows the waiting of a run: for each kind of failure, where it came about, why, and how that is known. Pure.
 *
 * @typedef {import('../define/result.js').Waiting} Waiting
 * @typedef {import('../define/result.js').WaitingFinding} WaitingFinding
 * @typedef {import('./failed.js').FailedKind} FailedKind
 * @typedef {import('./follow.js').End} End
 */
import { GENERATOR_NAME } from '../define/paths.js';
import { failedOf } from './failed.js';
import { FOLLOWED_LEAST, follow, saidOf } from './follow.js';
import { MECHANISMS } from './mechanisms.js';
import { readingsOf } from './readings.js';
import { seenOf } from './seen.js';
import { grouped } from './spread.js';
import { calmMoments } from './step.js';
import { counted } from './text.js';

/** Kinds that are followed, the most frequent first: a stack under attack has more than anybody reads. */
const KINDS_MOST = 40;
/** The wire and the generator count the same requests. */
const UNSEEN_SHARE = 0.05;

/**
 * @param {import('../analyse/read-raw.js').Raw} raw
 * @param {import('./seen.js').Load} load
 * @param {number | null} [failures]  that the generator counts; null where that is not known
 * @returns {Waiting | null} null where nothing was recorded
 */
export function waitingOf(raw, load, failures = null) {
  if (!raw.wire) return null;
  const seen = seenOf(raw.wire, load);
  const { kinds, failed, good } = failedOf(seen, raw.program ? null : new Set(raw.failures.map(({ id }) => id)));
  const enough = kinds.filter(({ calls }) => calls.length >= FOLLOWED_LEAST).slice(0, KINDS_MOST);
  const given = { seen, readings: readingsOf(raw), calm: calmMoments(seen, failed), lost: lostOf(seen, failed) };
  const found = enough.flatMap((kind) => follow(given, entryOf(seen, kind, good)).map((end) => ({ kind, end })));
  const findings = merged(seen, found);
  return {
    failed: failed.size,
    followed: enough.reduce((sum, { calls }) => sum + calls.length, 0),
    findings,
    doubts: doubtsOf(
      failed.size,
      kinds.filter((kind) => !enough.includes(kind)),
      failures,
    ),
  };
}

/** @param {import('./seen.js').Seen} seen @param {FailedKind} failure @param {number[]} good @returns {import('./follow.js').At} */
function entryOf(seen, { service, sign, kind, calls }, good) {
  const kinds = new Set(calls.map((call) => seen.kind[call]));
  const same = good.filter((call) => seen.to[call] === service && (kind === '' || kinds.has(seen.kind[call])));
  return {
    ...{
      service,
      caller: GENERATOR_NAME,
      path: [GENERATOR_NAME],
      failed: calls,
      good: same,
      count: calls.length,
      evidence: [],
      doubts: [],
    },
    chain: [{ service, edge: { from: GENERATOR_NAME, to: service }, said: saidOf(seen, calls, sign), failed: 1, good: 0, by: 'request' }],
  };
}

/** With all that was asked in vain for them. @param {import('./seen.js').Seen} seen @param {Set<number>} failed */
function lostOf({ childrenOf }, failed) {
  const lost = new Set(failed);
  for (const call of lost) for (const child of childrenOf(call)) lost.add(child);
  return lost;
}

/** Of one place and one reason, one finding. @param {import('./seen.js').Seen} seen @param {{ kind: FailedKind, end: End }[]} found @returns {WaitingFinding[]} */
function merged(seen, found) {
  const service = new Map(seen.wire.services.map((one) => [one.name, one.service]));
  const groups = grouped(found, ({ end: { place, why } }) =>
    JSON.stringify([service.get(place.service) || place.service, why.mechanism, place.edge?.to]),
  );
  return [...groups.values()].map(findingOf).toSorted((one, other) => other.count - one.count);
}

/** @param {{ kind: FailedKind, end: End }[]} group @returns {WaitingFinding} */
function findingOf(group) {
  const [{ end }] = group.toSorted((one, other) => other.end.count - one.end.count);
  const { mechanism } = end.why;
  const names = [...new Set(group.map((one) => one.end.place.service))].sort();
  return {
    kind: [...new Set(group.map(({ kind }) => kind.kind).filter(Boolean))].slice(0, KINDS_SHOWN).join(', '),
    count: group.reduce((sum, one) => sum + one.end.count, 0),
    place: { service: names.join(', '), edge: end.place.edge },
    chain: end.chain,
    mechanism,
    title: mechanism === null ? null : (end.why.title ?? MECHANISMS[mechanism].title),
    basis: end.basis,
    why_basis: mechanism === null ? null : end.why.basis,
    evidence: [...end.evidence, ...otherWays(group.map((one) => one.end))],
    doubts: end.doubts,
  };
}
const KINDS_SHOWN = 5;

/** Of several that ended at one place, how many came by another way than the first. @param {End[]} ends @returns {string[]} */
function otherWays(ends) {
  const ways = grouped(ends, ({ chain }) => [GENERATOR_NAME, ...chain.map(({ service }) => service)].join(' → '));
  if (ways.size < 2) return [];
  return [...ways]
    .map(([way, own]) => `${counted(own.reduce((sum, { count }) => sum + count, 0))} of these requests went ${way}.`)
    .slice(0, KINDS_SHOWN);
}

/** @param {number} failed @param {FailedKind[]} left @param {number | null} failures */
function doubtsOf(failed, left, failures) {
  const few = left.reduce((sum, { calls }) => sum + calls.length, 0);
  const isShort = failures !== null && Math.abs(failures - failed) > UNSEEN_SHARE * Math.max(failures, failed);
  return [
    ...(few > 0 ? [`${counted(few)} failed requests were of kinds too rare to follow (fewer than ${FOLLOWED_LEAST} each)`] : []),
    ...(isShort ? [`the generator counts ${counted(failures)} failed requests, and ${counted(failed)} were seen on the wire`] : []),
  ];
}
