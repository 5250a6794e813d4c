/**
 * The figures of a scenario's own: what it leaves beside the metrics that every run has. Each scenario reads its own from
 * the record.
 *
 * @typedef {object} OwnFigures
 * @property {Record<string, number | null>} figures  by the ids of the scenarios table
 * @property {import('../define/result.js').Breakdown[]} breakdowns
 * @property {import('../define/result.js').Ledger['checks']} checks  that join the ledger's own
 */

import { figuresOf as tickets } from '../../experiments/batching/figures.js';
import { figuresOf as pools } from '../../experiments/pools/figures.js';
import { figuresOf as crud } from '../../experiments/workers/figures.js';
import { figuresOf as inserts } from '../../experiments/writers/figures.js';
import { scenarios } from '../define/scenarios.js';
import { figuresOf as none } from './figures/none.js';
import { rounded } from './numbers.js';

/** @type {Record<string, (facts: import('./ledger/facts.js').Facts) => OwnFigures>} */
const READERS = { documents: none, tickets, crud, pools, requests: none, script: none, inserts };
const DIGITS = 4;

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {OwnFigures} with every figure of the scenario's table entry, and no other
 */
export function ownFiguresOf(facts) {
  const { scenario } = facts.raw.manifest;
  const read = READERS[scenario](facts);
  const figures = scenarios[scenario].figures.map(({ id }) => [id, rounded(read.figures[id], DIGITS)]);
  return { ...read, figures: Object.fromEntries(figures) };
}
