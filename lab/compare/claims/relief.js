/**
 * Cause proved by relief: the accused tier is given room, and beside it the rival; where the failures go, there they came
 * from.
 *
 * @typedef {import('../../record/experiment-result.js').Relief} Relief
 * @typedef {import('../../record/experiment-result.js').ReliefRow} ReliefRow
 * @typedef {import('../comparison/runs.js').Run} Run
 */
import { changeIn } from '../../catalog/architectures.js';
import { LEAST_BLOCKS } from '../../record/comparison.js';
import { percent, tierName } from '../../stats/figure-words.js';
import { rangeOf } from '../../stats/numbers.js';
import { doubtOf } from '../comparison/doubt.js';
import { countingRuns } from '../comparison/runs.js';
import { compareArms } from './tests.js';

/** One failed request in a thousand: with fewer the failures are gone, and by more than that they can grow. */
const GONE = 0.001;
/** Failures are fewer when the whole interval says that at least half of them went, and stay when it says that they did not. */
const FEWER_SHARE = 0.5;

/**
 * @param {import('../../catalog/claims.js').ReliefTest} relief
 * @param {Run[]} runs
 * @param {import('../../options/arms.js').Arm[]} arms
 * @returns {Relief}
 */
export function reliefOf({ before, rows }, runs, arms) {
  const counting = (/** @type {string} */ arm) => [...countingRuns(runs, arm).values()].map(({ result }) => result);
  const failures = (/** @type {string} */ arm) => rangeOf(counting(arm).map(({ metrics }) => metrics.failure_rate));
  const beforeRange = failures(before);
  const judged = rows.map(({ tier, accused, arm }) => {
    const after = failures(arm);
    const architecture = arms.find(({ id }) => id === arm)?.architecture ?? arm;
    return {
      tier,
      accused,
      arm,
      relief: changeIn(architecture),
      after,
      failures: fateOf({ before, arm }, beforeRange, after, runs),
      doubt: doubtOf(counting(arm).map(({ validity }) => validity)),
    };
  });
  const parts = judged.map(
    (row) =>
      `${tierName(row.tier)} relieved (${row.arm}): failures ${row.failures}${row.after.median === null ? '' : ` (${percent(row.after.median)})`}`,
  );
  return { sentence: parts.join('; '), before: beforeRange, before_arm: before, rows: judged };
}

/** @type {(arms: { before: string, arm: string }, before: import('../../record/comparison.js').Range, after: import('../../record/comparison.js').Range, runs: Run[]) => ReliefRow['failures']} */
function fateOf({ before: base, arm: other }, before, after, runs) {
  const { compared } = compareArms(
    { kind: 'compare', label: '', metric: 'failure_rate', base, other, wanted: 'at most', threshold: 0, published: null },
    runs,
  );
  const { n, low, high } = compared;
  if (n < LEAST_BLOCKS || low === null || high === null || before.median === null || before.median <= GONE) return 'INCONCLUSIVE';
  if (high < 0 && (after.high ?? 1) <= GONE) return 'gone';
  const half = FEWER_SHARE * before.median;
  if (low > GONE) return 'more';
  if (low > -half) return 'stay';
  return high < -half ? 'fewer' : 'INCONCLUSIVE';
}
