/**
 * Was it what the same client had been given before? A token that one of several issuers makes wrongly, a session that one container of several
 * holds: the request is refused where nothing is wrong. The generator's users each keep a connection, on which their earlier requests stand.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @typedef {import('./step.js').Of<Fact>} Of */

import { GOOD } from './seen.js';
import { grouped, share, some } from './spread.js';
import { isAsSoonAsGood, isOwn } from './step.js';
import { ended, percent, timesText } from './text.js';

/** Of the failed and of the good that have such an answer before them. The lab's own choices, as are the numbers below. */
const FAILED_LEAST = 0.9;
const GOOD_MOST = 0.1;
/** Of either, those of which it is known: a connection may have been made anew. */
const KNOWN_LEAST = 0.8;
/** Of either: of fewer, some service of some kind stands so by chance. */
const COMPARED_LEAST = 10;
/** More tell no more. */
const LOOKED_AT_MOST = 1000;
/** Requests of a user before one, that are looked through. */
const BACK_MOST = 64;
/** Services behind one another, that a request is followed through. */
const DEPTH_MOST = 16;

/**
 * @typedef {{ kind: string, by: string[] }} Given  an earlier request of the same user that was answered well; by: who worked on it, from the
 *   entry on
 */

/** @param {Of<'caller' | 'failed' | 'good' | 'good_s' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>} step @returns {Why | null} */
export function givenBefore(step) {
  const { seen, failed, good, time } = step;
  if (!isOwn(step) && !isAsSoonAsGood(step)) return null;
  // In those seconds: who came or went at some moment, and was asked since, is no reason.
  const beside = good.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to);
  if (failed.length < COMPARED_LEAST || beside.length < COMPARED_LEAST) return null;
  const [theirs, others] = [failed, beside].map((calls) => some(calls, LOOKED_AT_MOST).map((call) => givenTo(seen, call)));
  const kinds = new Set(theirs.flatMap((given) => given.map(({ kind }) => kind)));
  const whys = [...kinds].flatMap((kind) => {
    const [bad, well] = [theirs, others].map((all) => all.flatMap((given) => given.find((one) => one.kind === kind) ?? []));
    const isKnown = bad.length >= KNOWN_LEAST * theirs.length && well.length >= KNOWN_LEAST * others.length;
    return isKnown ? (notShared(step, kind, bad, well) ?? givenBy(step, kind, bad, well) ?? []) : [];
  });
  return whys[0] ?? null;
}

/** Each kind's last, the latest first. @param {Step['seen']} seen @param {number} call @returns {Given[]} */
function givenTo(seen, call) {
  const request = rootOf(seen, call);
  const earlier = seen.lineOf(request)?.calls ?? [];
  const at = earlier.indexOf(request);
  const kinds = grouped(earlier.slice(Math.max(0, at - BACK_MOST), Math.max(0, at)).reverse(), (one) => seen.kind[one]);
  return [...kinds].flatMap(([kind, [last]]) => (seen.sign[last] === GOOD ? [{ kind, by: workedOn(seen, last) }] : []));
}

/** @param {Step['seen']} seen @param {number} call */
function rootOf({ joins: { parent } }, call) {
  let root = call;
  for (let depth = 0; depth < DEPTH_MOST && parent[root] >= 0; depth += 1) root = parent[root];
  return root;
}

/** @param {Step['seen']} seen @param {number} call @returns {string[]} */
function workedOn(seen, call) {
  const names = new Set([seen.to[call]]);
  let behind = [call];
  for (let depth = 0; depth < DEPTH_MOST && behind.length > 0; depth += 1) {
    behind = behind.flatMap((one) => seen.childrenOf(one));
    for (const one of behind) names.add(seen.to[one]);
  }
  return [...names];
}

/**
 * It went to another of those that are asked for the same.
 * @param {Of<'caller' | 'failed' | 'seen' | 'service' | 'sign' | 'took_s'>} step @param {string} kind @param {Given[]} bad @param {Given[]} well @returns {Why | null}
 */
function notShared(step, kind, bad, well) {
  const { seen, service, caller, failed } = step;
  const asked = new Set(failed.map((call) => seen.kind[call]));
  const peers = new Set(
    seen.calleesOf(caller).filter((to) => to !== service && seen.onEdge(caller, to).some((call) => asked.has(seen.kind[call]))),
  );
  const isElsewhere = (/** @type {Given} */ { by }) => !by.includes(service) && by.some((name) => peers.has(name));
  const shares = lifted(bad, well, isElsewhere);
  if (shares === null) return null;
  const whom = [...new Set(bad.flatMap(({ by }) => by.filter((name) => peers.has(name))))].sort().join(', ');
  return {
    mechanism: 'not-shared',
    title: `${ended(step.sign)} to those whom another had answered ${kind}`,
    basis: 'counted',
    evidence: [
      timesText(step),
      `${percent(shares.failed)} of the failed requests came on a connection whose last ${kind} ${whom} had answered, of the good ones in the same seconds ${percent(shares.good)}: ${service} does not know what is given to a client there.`,
    ],
  };
}

/**
 * One of those that give it was behind all that failed.
 * @param {Of<'failed' | 'seen' | 'service' | 'sign' | 'took_s'>} step @param {string} kind @param {Given[]} bad @param {Given[]} well @returns {Why | null}
 */
function givenBy(step, kind, bad, well) {
  for (const name of new Set(bad.flatMap(({ by }) => by))) {
    const shares = name === step.service ? null : lifted(bad, well, ({ by }) => by.includes(name));
    if (shares === null) continue;
    return {
      mechanism: 'given-before',
      title: `had answered ${kind} before, to those whom ${step.service} ${ended(step.sign)}`,
      basis: 'counted',
      place: { service: name },
      where: 'inferred',
      evidence: [
        timesText(step),
        `${percent(shares.failed)} of the failed requests came on a connection whose last ${kind} ${name} had answered, of the good ones in the same seconds ${percent(shares.good)}.`,
      ],
      doubts: [`what ${name} gave is not read: whether ${step.service} is right to refuse it is not known`],
    };
  }
  return null;
}

/** @param {Given[]} bad @param {Given[]} well @param {(given: Given) => boolean} isSuch @returns {{ failed: number, good: number } | null} shares; null where they do not differ enough */
function lifted(bad, well, isSuch) {
  const [failed, good] = [bad, well].map((all) => share(all.filter(isSuch).length, all.length));
  return failed >= FAILED_LEAST && good <= GOOD_MOST ? { failed, good } : null;
}
