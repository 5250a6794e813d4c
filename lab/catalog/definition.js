/**
 * An experiment's definition: its entry in the tables with its claims, as its plan keeps it. Whatever is judged later is
 * judged by that copy, so that a change of the tables cannot reach a record that is made.
 *
 * @typedef {import('../compare/plan.js').Definition} Definition
 * @typedef {import('../compare/plan.js').Plan} Plan
 */
import { EXPERIMENT_BUDGET } from './budgets.js';
import { experiments } from './experiments.js';

/**
 * @param {Pick<Plan, 'experiment' | 'claims' | 'definition'>} plan
 * @returns {Definition | null} null for a comparison; of a plan made before definitions were kept, the table as it is today
 */
export function definitionOf({ experiment, claims, definition }) {
  if (definition) return definition;
  const table = Object.hasOwn(experiments, experiment) ? experiments[experiment] : null;
  return table && { ...table, claims };
}

/**
 * Claims are about the load and the budget of their experiment; under others they are not judged, but for those that another
 * condition can answer too.
 * @param {Pick<import('./experiments.js').Experiment, 'load' | 'budget' | 'judged_under'>} definition
 * @param {{ load: string, budget: string }} made
 * @param {string | null} claim  id; null for what is no claim, and is alike under the experiment's own condition alone
 * @returns {string | null} what is unlike, in words
 */
export function unlikeOf(definition, { load, budget }, claim) {
  const [own, ...others] = judgedUnder(definition);
  const isAlike = (/** @type {{ load: string, budget: string }} */ condition) => condition.load === load && condition.budget === budget;
  if (isAlike(own)) return null;
  if (claim !== null && others.some((other) => isAlike(other) && other.claims?.includes(claim))) return null;
  return [load === own.load ? null : `the load ${load}`, budget === own.budget ? null : `the budget ${budget}`]
    .filter(Boolean)
    .join(' and ');
}

/**
 * The loads and budgets under which claims are judged: the experiment's own, which can answer all of them, and others.
 * @param {Pick<import('./experiments.js').Experiment, 'load' | 'budget' | 'judged_under'>} definition
 * @returns {{ load: string, budget: string, claims: string[] | null }[]} claims: ids; null for all. The own condition first
 */
export function judgedUnder({ load, budget = EXPERIMENT_BUDGET, judged_under: others }) {
  // Earlier plans had the ids by the load.
  const listed = Array.isArray(others) ? others : Object.entries(others ?? {}).map(([other, claims]) => ({ load: other, claims }));
  return [{ load, budget, claims: null }, ...listed.map((other) => ({ budget, ...other }))];
}
