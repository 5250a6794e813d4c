/**
 * Rows as a list for each of their keys, as a page carries them: each row would repeat all keys.
 */

/** @param {Record<string, any>[]} rows  all with the same keys @returns {Record<string, any[]>} */
export const columnsOf = (rows) => Object.fromEntries(Object.keys(rows[0] ?? {}).map((key) => [key, rows.map((row) => row[key])]));

/** @param {Record<string, any[]>} columns @returns {Record<string, any>[]} */
export function rowsOf(columns) {
  const keys = Object.keys(columns);
  return (columns[keys[0]] ?? []).map((_, index) => Object.fromEntries(keys.map((key) => [key, columns[key][index]])));
}
