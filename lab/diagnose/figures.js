/**
 * The figures of a scenario's own: what it leaves beside the metrics that every run has. Each experiment that brought a scenario reads
 * them from the record.
 *
 * @typedef {object} ScenarioFigures
 * @property {Record<string, number | null>} figures  by the ids of the scenarios table
 * @property {import('../record/types.js').Breakdown[]} breakdowns
 * @property {import('../record/types.js').Ledger['checks']} checks  that join the ledger's own
 */
import { modulesOf } from '../catalog/experiment-folders.js';
import { scenarios } from '../catalog/scenarios.js';
import { rounded } from '../stats/numbers.js';

const DIGITS = 4;

/** By the experiment whose scenario it is. @type {Map<string | undefined, { figuresOf: (facts: import('./ledger/facts.js').Facts) => ScenarioFigures }>} */
const READERS = new Map(await modulesOf('figures.js'));

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {ScenarioFigures} with every figure of the scenario's table entry, and no other
 */
export function scenarioFiguresOf(facts) {
  const { figures: wanted, experiment } = scenarios[facts.raw.manifest.scenario];
  const read = READERS.get(experiment)?.figuresOf(facts) ?? { figures: {}, breakdowns: [], checks: [] };
  const figures = wanted.map(({ id }) => [id, rounded(read.figures[id], DIGITS)]);
  return { ...read, figures: Object.fromEntries(figures) };
}
