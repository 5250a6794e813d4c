/**
 * What a run's scenario says of it: what one request is, who made the load, and which figures it has of its own. A result
 * written before there were scenarios is of documents, and has none.
 *
 * @typedef {import('../record/result.js').Result} Result
 * @typedef {import('../catalog/metrics.js').Metric} Metric
 */
import { metrics } from '../catalog/metrics.js';
import { scenarios } from '../catalog/scenarios.js';
import { FORMATS } from './format.js';

const OLDEST = 'documents';

/** @param {Pick<Result, 'scenario'>} result */
export const scenarioOf = ({ scenario }) => scenarios[Object.hasOwn(scenarios, scenario) ? scenario : OLDEST];

/** A program times no request and has no users: what is said of those is left out. @param {Pick<Result, 'scenario'>} result */
export const isProgram = (result) => scenarioOf(result).driver === 'program';

/** @param {Pick<Result, 'scenario'>} result */
export const requestText = (result) => `One request is: ${scenarioOf(result).request}.`;

/** `WORKERS=20`, one for each variable of the architecture. @param {Pick<Result, 'variables'>} result */
export const variableTexts = ({ variables = {} }) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);

/**
 * The scenario's own figures; none where nothing was measured of any.
 * @param {Result} result
 * @returns {{ label: string, text: string }[]}
 */
export function ownFigures(result) {
  const { figures = {} } = result;
  const own = scenarioOf(result).figures;
  if (!own.some(({ id }) => typeof figures[id] === 'number')) return [];
  return own.map(({ id, label, unit }) => ({ label, text: FORMATS[unit](figures[id]) }));
}

/**
 * The metrics that a run of this scenario can have; of a program those that it has.
 * @param {Result} result
 * @returns {Metric[]}
 */
export function metricsOf(result) {
  const own = scenarioOf(result);
  const foreign = new Set(Object.values(scenarios).flatMap((scenario) => (scenario === own ? [] : scenario.figures.map(({ id }) => id))));
  return metrics.filter(({ id, read }) => !foreign.has(id) && !(isProgram(result) && read(result) === null));
}
