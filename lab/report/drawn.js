/**
 * What the charts of a report are drawn from, as the page carries it: of a result only what its script needs, since the rest is in the page
 * already, and a list for each figure of the seconds, since a row for each would repeat its keys.
 *
 * @typedef {import('../record/types.js').Result} Result
 * @typedef {import('./panels.js').Drawn} Drawn
 * @typedef {Omit<Drawn, 'timeline'> & { timeline: Record<string, unknown[]> }} Carried
 */
import { columnsOf, rowsOf } from './format.js';
import { isUsed } from './panels.js';

/**
 * @param {Result} result
 * @returns {Carried}
 */
export const carry = (result) => {
  const { timeline, series, metrics, queue, resources, time_ledger, stages, faults } = result;
  return {
    timeline: columnsOf(timeline),
    series: { ...series, limits: series.limits.filter(isUsed) },
    metrics,
    queue,
    resources,
    time_ledger,
    stages,
    faults,
    standing: carryStanding(result),
  };
};

/** What was recorded on the wire of where requests stood, without what the page says in words. @param {Pick<Result, 'wire'>} result */
export function carryStanding({ wire }) {
  if (!wire?.standing) return null;
  const { step_s, from_s, services, edges, good, failed, marks } = wire.standing;
  return { step_s, from_s, services, edges, good, failed, marks };
}

/**
 * @param {Carried} carried
 * @returns {Drawn}
 */
export const unfold = ({ timeline, ...rest }) => ({ ...rest, timeline: /** @type {Drawn['timeline']} */ (rowsOf(timeline)) });
