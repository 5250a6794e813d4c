/**
 * The shipped systems' databases: their readings, a row a second of each, by its name where there are several, and what their product is called.
 *
 * @typedef {import('../adapters/contract.js').StoreReading} StoreReading
 * @typedef {Omit<import('../adapters/contract.js').Store, 'read'> & { title: string }} StoreWords  title: as readers know it
 */
import { adapterFor } from '../adapters/registry.js';

/** @param {StoreReading[]} rows @param {string | null} name  of a database @returns {StoreReading[]} in the order of time */
export const rowsOf = (rows, name) => rows.filter((row) => row.name === undefined || row.name === name);

/** @typedef {StoreReading & Required<Pick<StoreReading, 'connections'>>} Answer */

/** Those in which it answered. @param {StoreReading[]} rows @param {string | null} name @returns {Answer[]} */
export const answersOf = (rows, name) => rowsOf(rows, name).flatMap((row) => (row.connections ? [/** @type {Answer} */ (row)] : []));

/** Of a database that no adapter knows, or knows no more of. */
const UNKNOWN = {
  title: 'The database',
  program: 'database',
  source: 'its own counters',
  operations: 'its own counters',
  search_s: 0,
  retry_s: 0,
};

/** @param {{ services?: { name: string, tier: string, product?: string }[] }} manifest @returns {StoreWords} */
export function storeIn({ services = [] }) {
  const database = services.find(({ tier }) => tier === 'database');
  const adapter = database ? adapterFor(database) : null;
  const { read: _, ...words } = { read: null, ...adapter?.store };
  return { ...UNKNOWN, ...(adapter && { title: adapter.title }), ...words };
}
