/**
 * What an experiment's source measured, beside what was measured here.
 *
 * @typedef {import('../record/experiment-result.js').PublishedTable} PublishedTable
 * @typedef {import('../record/experiment-result.js').PublishedFigure} PublishedFigure
 */
import { metricOf } from '../catalog/metrics.js';
import { published } from '../catalog/published.js';
import { rangeOf, ratio } from '../stats/numbers.js';
import { countingRuns } from './comparison/runs.js';

/**
 * @param {object} input
 * @param {import('../catalog/experiments.js').PublishedFigures | undefined} input.definition
 * @param {import('../options/arms.js').Arm[]} input.arms
 * @param {import('./comparison/runs.js').Run[]} input.runs
 * @param {boolean} input.isAlike  nothing is expected of another load or budget
 * @returns {PublishedTable | null}
 */
export function publishedTableOf({ definition, arms, runs, isAlike }) {
  if (!definition) return null;
  const { section, runs: keys, figures, within = null, reasons = {} } = definition;
  const { source, runs: sourceRuns } = published[section];
  return {
    source,
    within: isAlike ? within : null,
    arms: arms
      .filter(({ id }) => keys[id])
      .map((arm) => ({
        arm: arm.id,
        figures: Object.entries(figures).flatMap(([metric, path]) => {
          const figure = at(sourceRuns[keys[arm.id]], path);
          const expected = isAlike && metricOf(metric).gate ? within : null;
          return figure === null ? [] : [figureOf({ metric, figure, arm: arm.id, runs, within: expected, reason: reasons[arm.id] })];
        }),
      })),
  };
}

/** @type {(from: any, path: string) => number | null} */
const at = (from, path) => path.split('.').reduce((value, key) => value?.[key], from) ?? null;

/** @type {(input: { metric: string, figure: number, arm: string, runs: import('./comparison/runs.js').Run[], within: number | null, reason: string | undefined }) => PublishedFigure} */
function figureOf({ metric, figure, arm, runs, within, reason }) {
  const { label, unit, read } = metricOf(metric);
  const measured = rangeOf([...countingRuns(runs, arm).values()].map(({ result }) => read(result)));
  const times = ratio(measured.median, figure);
  const near = within === null || times === null ? null : Math.abs(times - 1) <= within;
  return { metric, label, unit, published: figure, measured, ratio: times, near, reason: near === false ? (reason ?? null) : null };
}
