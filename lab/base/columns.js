/**
 * Tables that are stored column by column: a list of records that have the same fields is packed to less where alike values stand beside
 * each other, and every name once.
 */

/** Names the columns of a list; no field of a record is called so. */
const COLUMNS = '\u0000columns';
/** Shorter lists gain nothing. */
const ROWS_LEAST = 3;

/**
 * @param {any} value  JSON
 * @returns {any} the same, with every list of three and more records of the same fields as its columns
 */
export function toColumns(value) {
  if (Array.isArray(value)) return isTable(value) ? columnsOf(value) : value.map(toColumns);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toColumns(field)]));
}

/**
 * @param {any} value  as toColumns makes it
 * @returns {any} what it was
 */
export function fromColumns(value) {
  if (Array.isArray(value)) return value.map(fromColumns);
  if (!isRecord(value)) return value;
  if (COLUMNS in value) return rowsOf(value[COLUMNS].map((/** @type {[string, any]} */ [name, column]) => [name, fromColumns(column)]));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, fromColumns(field)]));
}

/** @param {any} value */
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {any[]} list */
function isTable(list) {
  if (list.length < ROWS_LEAST || !list.every(isRecord)) return false;
  const names = Object.keys(list[0]).join('\n');
  return names !== '' && list.every((row) => Object.keys(row).join('\n') === names);
}

/** @param {Record<string, any>[]} rows */
const columnsOf = (rows) => ({ [COLUMNS]: Object.keys(rows[0]).map((name) => [name, toColumns(rows.map((row) => row[name]))]) });

/** @param {[string, any[]][]} columns */
const rowsOf = (columns) => columns[0][1].map((_, index) => Object.fromEntries(columns.map(([name, column]) => [name, column[index]])));
