/**
 * What the databases' own counts say of the load.
 *
 * @typedef {object} DatabaseFacts
 * @property {string | null} name
 * @property {string | null} set                     whose members have copies of the same documents; null where it stands alone
 * @property {{ before: number, after: number } | null} rejected connections that it refused
 * @property {number | null} inserts
 * @property {number | null} deletes
 * @property {number | null} operations              inserts, reads, updates and deletes
 * @property {number | null} documents               stored in the load, less those taken away again
 * @property {{ before: number | null, after: number | null }} documentsAt  documents that it had before the load and after it
 * @property {number[]} answered                     moments at which it answered its observer
 */

import { max, sum } from '../../stats/numbers.js';
import { answersOf, rowsOf } from '../database-rows.js';
import { lastBefore } from '../time/window.js';
import { risenIn } from './counters.js';

/**
 * @param {Pick<import('../read-raw.js').Raw, 'database' | 'databaseRefusals' | 'program'>} raw
 * @param {import('../time/window.js').Window} window
 * @param {string | null} name
 * @returns {DatabaseFacts}
 */
export function databaseFacts({ database, databaseRefusals, program }, window, name) {
  if (program) {
    const stored = sum(program.writers.map((/** @type {{ stored: number }} */ writer) => writer.stored));
    const documentsAt = { before: 0, after: stored };
    return {
      name,
      set: null,
      rejected: null,
      inserts: stored,
      deletes: 0,
      operations: stored,
      documents: stored,
      documentsAt,
      answered: [],
    };
  }
  const answered = answersOf(database, name);
  const refusals = databaseRefusals.filter((refusal) => refusal.name === name).map(({ t }) => t);
  const before = lastBefore(answered, window.from) ?? answered[0];
  const after = answered.at(-1);
  const known = before !== undefined && after !== undefined && after.t > before.t;
  const exact = rowsOf(database, name).find((row) => row.event === 'stop')?.documents_exact;
  const documentsAt = { before: before?.documents ?? null, after: exact ?? null };
  const risen = (/** @type {(row: any) => number | undefined} */ value) =>
    risenIn(answered.filter(({ t }) => t >= before.t).map((row) => ({ t: row.t, value: value(row) })));
  return {
    name,
    set: answered.at(-1)?.set ?? null,
    rejected: known ? rejectedBetween(before, after, refusals) : null,
    inserts: known ? risen(({ operations }) => operations.insert) : null,
    operations: known ? risen(operationsOf) : null,
    deletes: known ? risen(({ operations }) => operations.delete) : null,
    documents: addedTo(documentsAt),
    documentsAt,
    answered: answered.map(({ t }) => t),
  };
}

/**
 * What several databases hold together; null where one of them does not tell.
 * @param {DatabaseFacts[]} databases
 * @returns {DatabaseFacts | null} null where there is none
 */
export function allOf(databases) {
  if (databases.length < 2) return databases[0] ?? null;
  const total = (/** @type {'inserts' | 'deletes' | 'operations'} */ key) => whole(databases.map((database) => database[key]));
  const rejected = databases.flatMap((database) => database.rejected ?? []);
  const { set } = databases[0];
  // Of copies of the same documents one may lag behind, before the load as after it: what the most advanced had at each moment counts.
  const together = set === null ? whole : max;
  const documentsAt = {
    before: together(databases.map((one) => one.documentsAt.before)),
    after: together(databases.map((one) => one.documentsAt.after)),
  };
  return {
    name: databases.map(({ name }) => name).join(', '),
    set,
    rejected:
      rejected.length < databases.length
        ? null
        : { before: sum(rejected.map(({ before }) => before)), after: sum(rejected.map(({ after }) => after)) },
    inserts: total('inserts'),
    deletes: total('deletes'),
    operations: total('operations'),
    documents: addedTo(documentsAt),
    documentsAt,
    answered: databases.flatMap(({ answered }) => answered).toSorted((one, other) => one - other),
  };
}

/** A sum, or null where a part of it is not known. @param {(number | null)[]} counts */
const whole = (counts) => (counts.includes(null) ? null : sum(counts));

/** @param {DatabaseFacts['documentsAt']} at */
const addedTo = ({ before, after }) => (before === null || after === null ? null : after - before);

/** @param {any} row */
const operationsOf = ({ operations: { insert, query = 0, update = 0, delete: deletes = 0 } }) => insert + query + update + deletes;

/** @param {any} before @param {any} after @param {number[]} logged moments */
function rejectedBetween(before, after, logged) {
  if (after.connections.refused !== undefined) return { before: before.connections.refused ?? 0, after: after.connections.refused };
  return { before: logged.filter((t) => t <= before.t).length, after: logged.length };
}
