/**
 * A frozen record, analysed again: what it says now, beside what it said. Who is told of the differences is not its business.
 */
import { readRaw } from '../../diagnose/read-raw.js';
import { resultOf } from '../../diagnose/result.js';
import { withFiles } from './files.js';
import { placedRequests } from './placed.js';
import { readFrozenFiles } from './store.js';

/** @param {string} folder of all that is frozen @param {string} name @returns {Promise<Pick<import('./store.js').Frozen, 'result' | 'placed'>>} */
export async function frozenAgain(folder, name) {
  const raw = await withFiles(await readFrozenFiles(folder, name), readRaw);
  return { result: JSON.parse(JSON.stringify(resultOf(raw))), placed: placedRequests(raw) };
}
