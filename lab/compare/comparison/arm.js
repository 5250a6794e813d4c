/**
 * One arm of a comparison: its runs, what became of its requests over all runs that count, and how they went by second.
 *
 * @typedef {import('../../record/comparison.js').Arm} Arm
 * @typedef {import('./runs.js').Run} Run
 */

import { RECORD } from '../../base/paths.js';
import { architectures } from '../../catalog/architectures.js';
import { metrics } from '../../catalog/metrics.js';
import { median, rangeOf, sum } from '../../stats/numbers.js';
import { doubtOf } from './doubt.js';

const TIMELINE = /** @type {const} */ (['goodput_rps', 'failures_per_s', 'latency_ms_p95_ok', 'vus']);

/**
 * @param {object} input
 * @param {import('../../options/arms.js').Arm} input.arm
 * @param {Run[]} input.runs      all of the arm
 * @param {Run[]} input.counting  those that count
 * @param {(run: string) => string | null} input.hrefOf  from a run's folder below reports/ to a link to it, null where it is not kept
 * @returns {Arm}
 */
export function armOf({ arm, runs, counting, hrefOf }) {
  const typical = typicalOf(counting);
  return {
    id: arm.id,
    architecture: arm.architecture,
    title: titleOf(arm),
    runs: runs.map((run) => armRunOf(run, counting.includes(run), hrefOf)),
    doubt: doubtOf(counting.map(({ result }) => result.validity)),
    failed_share: median(counting.map(({ result }) => result.metrics.failure_rate)),
    headline: typical?.result.headline ?? null,
    typical_run: typical ? reportOf(hrefOf(typical.attempt.run)) : null,
    flow: typical?.result.flow ?? null,
    ledger: ledgerOf(counting),
    timeline: timelineOf(counting),
  };
}

/** @param {string | null} folder */
export const reportOf = (folder) => (folder === null ? null : `${folder}/${RECORD.report}`);

/** @param {import('../../options/arms.js').Arm} arm */
export function titleOf({ architecture, variables = {}, own }) {
  if (own) return own.title;
  const differing = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [architectures[architecture].title, ...differing].join(', ');
}

/** @type {(run: Run, counts: boolean, hrefOf: (run: string) => string | null) => import('../../record/comparison.js').ArmRun} */
export const armRunOf = ({ attempt, result }, counts, hrefOf) => ({
  block: attempt.block,
  href: reportOf(hrefOf(attempt.run)),
  validity: { verdict: result.validity.verdict, reasons: result.validity.reasons },
  counts,
  metrics: Object.fromEntries(metrics.map(({ id, read }) => [id, read(result)])),
});

/**
 * The run whose goodput is nearest to the median: the one to look at.
 * @param {Run[]} runs
 * @returns {Run | null}
 */
export function typicalOf(runs) {
  const middle = median(runs.map(({ result }) => result.metrics.goodput_rps)) ?? 0;
  const distance = (/** @type {Run} */ { result }) => Math.abs(result.metrics.goodput_rps - middle);
  return runs.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}

/**
 * @param {Run[]} runs
 * @returns {import('../../record/comparison.js').LedgerRow[]} largest first
 */
export function ledgerOf(runs) {
  const failed = sum(runs.map(({ result }) => result.metrics.failures));
  /** @type {Map<string, import('../../record/comparison.js').LedgerRow>} */
  const rows = new Map();
  const add = (
    /** @type {import('../../record/comparison.js').LedgerRow['tier']} */ tier,
    /** @type {string} */ title,
    /** @type {number} */ lost,
  ) => {
    const key = `${tier} ${title}`;
    rows.set(key, { tier, cause_title: title, count: (rows.get(key)?.count ?? 0) + lost, share: 0 });
  };
  for (const { result } of runs) {
    for (const { tier, cause_title: title, count } of result.ledger.failures) add(tier, title, count);
    if (result.ledger.unattributed > 0) add('unattributed', 'could not be placed', result.ledger.unattributed);
  }
  return [...rows.values()]
    .map((row) => ({ ...row, share: failed === 0 ? 0 : row.count / failed }))
    .sort((one, other) => other.count - one.count);
}

/** @param {Run[]} runs @returns {import('../../record/comparison.js').ArmTimelineRow[]} */
function timelineOf(runs) {
  const bySecond = /** @type {Map<number, import('../../record/result.js').TimelineRow[]>} */ (new Map());
  for (const row of runs.flatMap(({ result }) => result.timeline)) {
    if (row.warmup || row.t_s < 0) continue;
    bySecond.set(row.t_s, [...(bySecond.get(row.t_s) ?? []), row]);
  }
  // A second that few runs reached says how late those were, not how the arm was.
  return [...bySecond]
    .filter(([, rows]) => rows.length * 2 >= runs.length)
    .sort(([one], [other]) => one - other)
    .map(
      ([t, rows]) =>
        /** @type {any} */ ({ t_s: t, ...Object.fromEntries(TIMELINE.map((key) => [key, rangeOf(rows.map((row) => row[key]))])) }),
    );
}
