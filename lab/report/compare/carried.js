/**
 * What the script of the compare page draws its pictures from, as the page carries it: of a comparison only that, and a list for each figure
 * of the seconds, since a row for each would repeat its keys.
 *
 * @typedef {import('../../record/comparison.js').Arm} Arm
 * @typedef {import('../../record/comparison.js').ArmRun} ArmRun
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 *
 * @typedef {Pick<ArmRun, 'block' | 'counts' | 'href' | 'metrics'> & { validity: Pick<ArmRun['validity'], 'verdict'> }} DrawnRun
 * @typedef {Pick<Arm, 'id' | 'timeline'> & { runs: DrawnRun[] }} DrawnArm
 * @typedef {Pick<MetricComparison, 'id' | 'label' | 'unit'> & Record<import('./sides.js').Side, { median: number | null }>} DrawnMetric
 * @typedef {{ base: DrawnArm, other: DrawnArm, metrics: DrawnMetric[] }} DrawnComparison
 *
 * @typedef {Omit<DrawnArm, 'timeline'> & { t_s: number[], figures: Record<string, Record<string, unknown[]>> }} CarriedArm
 * @typedef {{ base: CarriedArm, other: CarriedArm, metrics: DrawnMetric[] }} Carried
 */
import { columnsOf, rowsOf } from '../columns.js';

/** @param {Comparison} comparison @returns {Carried} */
export const carryComparison = ({ base, other, metrics }) => ({
  base: carryArm(base, metrics),
  other: carryArm(other, metrics),
  metrics: metrics.map(({ id, label, unit, base: { median }, other: { median: otherMedian } }) => ({
    id,
    label,
    unit,
    base: { median },
    other: { median: otherMedian },
  })),
});

/** @type {(arm: Arm, metrics: MetricComparison[]) => CarriedArm} */
function carryArm({ id, timeline, runs }, metrics) {
  const { t_s = [], ...ranges } = columnsOf(timeline);
  return {
    id,
    t_s,
    figures: Object.fromEntries(Object.entries(ranges).map(([key, column]) => [key, columnsOf(column)])),
    runs: runs.map(({ block, counts, href, validity: { verdict }, metrics: values }) => ({
      block,
      counts,
      href,
      validity: { verdict },
      metrics: Object.fromEntries(metrics.map((metric) => [metric.id, values[metric.id]])),
    })),
  };
}

/** @param {Carried} carried @returns {DrawnComparison} */
export const unfoldComparison = ({ base, other, metrics }) => ({ base: unfoldArm(base), other: unfoldArm(other), metrics });

/** @param {CarriedArm} carried @returns {DrawnArm} */
function unfoldArm({ id, t_s, figures, runs }) {
  const ranges = Object.fromEntries(Object.entries(figures).map(([key, columns]) => [key, rowsOf(columns)]));
  return { id, runs, timeline: /** @type {Arm['timeline']} */ (rowsOf({ t_s, ...ranges })) };
}
