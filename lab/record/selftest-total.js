/**
 * The scores of many runs, added up: by fault, by cause and over all.
 *
 * @typedef {import('./selftest-score.js').Score} Score
 *
 * @typedef {object} SelftestRecord  what a self-test leaves behind, and all that its page shows
 * @property {string} wanted          FAULTS, as it was given: all, short or names
 * @property {string} started         ISO 8601, of the first run
 * @property {string} ended
 * @property {string} commit          of the lab that judged it
 * @property {string} machine         in words
 * @property {string} budget
 * @property {number} repeats
 * @property {boolean} complete       every fault was tried, as often as asked
 * @property {Score[]} scores         of each run
 * @property {OwnSystem} [system]    where it was a user's own; else the shipped architectures
 *
 * @typedef {object} OwnSystem
 * @property {string} name
 * @property {Record<string, DescribedFault>} faults  that there were to choose from, by id
 *
 * @typedef {Pick<import('../options/faults.js').Demand, 'expected'> & { title: string }} DescribedFault
 *
 * @typedef {object} FaultTotal
 * @property {string} fault
 * @property {number} runs
 * @property {number} failures
 * @property {number} right_tier
 * @property {number} right
 * @property {number} unattributed
 * @property {Record<string, number>} where  placed requests by how the place is known
 * @property {Record<string, number>} why    by how the cause is known
 * @property {string[]} misses        of any run
 * @property {string[]} advice
 * @property {boolean} passed
 *
 * @typedef {object} CauseTotal
 * @property {string} label           tier and cause
 * @property {number} are             failed requests that it is the cause of
 * @property {number} found           failed requests that were placed there
 * @property {number | null} precision  share of those found that are it
 * @property {number | null} recall     share of those that are it, and were found
 */
import { UNATTRIBUTED } from './selftest-score.js';

/** Of a fault's failed requests, as fixed before the self-test was made. */
export const RIGHT_LEAST = 0.95;

/** @param {Pick<Score, 'misses' | 'right' | 'failures'>} score */
export const isRight = ({ misses, right, failures }) => misses.length === 0 && right >= failures * RIGHT_LEAST;

/** Without those of faults that the diagnosis could not be judged by. @param {Score[]} scores */
const judgedOf = (scores) => scores.filter(({ skipped }) => skipped === undefined);

/** @param {Score[]} scores @returns {FaultTotal[]} in the order of their first runs */
export function totalByFault(scores) {
  const judged = judgedOf(scores);
  const ids = [...new Set(judged.map(({ fault }) => fault))];
  return ids.map((fault) => {
    const own = judged.filter((score) => score.fault === fault);
    const [failures, right] = [sumOf(own, 'failures'), sumOf(own, 'right')];
    const misses = [...new Set(own.flatMap((score) => score.misses))];
    return {
      fault,
      runs: own.length,
      failures,
      right_tier: sumOf(own, 'right_tier'),
      right,
      unattributed: sumOf(own, 'unattributed'),
      where: countsOf(own, 'where'),
      why: countsOf(own, 'why'),
      misses,
      advice: [...new Set(own.flatMap(({ advice = [] }) => advice))],
      passed: isRight({ misses, right, failures }),
    };
  });
}

/** @param {Score[]} scores */
export function totalOf(scores) {
  const failures = sumOf(scores, 'failures');
  const share = (/** @type {number} */ count) => (failures === 0 ? null : count / failures);
  const faults = totalByFault(scores);
  const shares = faults.filter((fault) => fault.failures > 0).map((fault) => fault.right / fault.failures);
  return {
    faults: faults.length,
    passed: faults.filter(({ passed }) => passed).length,
    runs: judgedOf(scores).length,
    requests: sumOf(scores, 'requests'),
    failures,
    right_tier_share: share(sumOf(scores, 'right_tier')),
    right_share: share(sumOf(scores, 'right')),
    /** Each fault counted alike, whether a hundred requests failed of it or ten thousand. */
    right_share_by_fault: shares.length === 0 ? null : shares.reduce((sum, own) => sum + own, 0) / shares.length,
    unattributed_share: share(sumOf(scores, 'unattributed')),
    where: basisShares(scores, 'where'),
    why: basisShares(scores, 'why'),
  };
}

/** Of all failed requests, so that what is unattributed is known by nothing. @param {Score[]} scores @param {'where' | 'why'} of @returns {Record<string, number>} */
function basisShares(scores, of) {
  const all = sumOf(scores, 'failures');
  return Object.fromEntries(Object.entries(countsOf(scores, of)).map(([basis, count]) => [basis, all === 0 ? 0 : count / all]));
}

/** @param {Score[]} scores @param {'where' | 'why'} of @returns {Record<string, number>} */
function countsOf(scores, of) {
  /** @type {Record<string, number>} */
  const counts = { proved: 0, timed: 0, counted: 0, inferred: 0 };
  for (const score of scores) for (const [basis, count] of Object.entries(score[of])) counts[basis] += count;
  return counts;
}

/** @param {Score[]} scores @returns {CauseTotal[]} most first */
export function totalByCause(scores) {
  const pairs = scores.flatMap((score) => score.pairs);
  const labels = [...new Set(pairs.flatMap(({ expected, found }) => [expected, found]))].filter((label) => label !== UNATTRIBUTED);
  return labels
    .map((label) => {
      const are = pairs.filter(({ expected }) => expected === label);
      const found = pairs.filter((pair) => pair.found === label);
      return {
        label,
        are: sumOf(are, 'count'),
        found: sumOf(found, 'count'),
        precision: shareRight(found),
        recall: shareRight(are),
      };
    })
    .sort((one, other) => other.are - one.are || other.found - one.found);
}

/** @param {import('./selftest-score.js').Pair[]} pairs */
function shareRight(pairs) {
  const all = sumOf(pairs, 'count');
  return all === 0
    ? null
    : sumOf(
        pairs.filter(({ right }) => right),
        'count',
      ) / all;
}

/** What was taken for something else, over all runs. @param {Score[]} scores @returns {import('./selftest-score.js').Pair[]} most first */
export function confusions(scores) {
  /** @type {Map<string, import('./selftest-score.js').Pair>} */
  const pairs = new Map();
  for (const pair of scores.flatMap((score) => score.pairs).filter(({ right }) => !right)) {
    const key = `${pair.expected} > ${pair.found}`;
    pairs.set(key, { ...pair, count: pair.count + (pairs.get(key)?.count ?? 0) });
  }
  return [...pairs.values()].sort((one, other) => other.count - one.count);
}

/** @template {string} K @param {Record<K, number>[]} rows @param {K} key */
const sumOf = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0);
