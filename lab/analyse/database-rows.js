/**
 * The observer's record of the databases: a row a second of each, by its name where there are several.
 */

/** @param {any[]} rows @param {string | null} name  of a database @returns {any[]} in the order of time */
export const rowsOf = (rows, name) => rows.filter((row) => row.name === undefined || row.name === name);

/** Those in which it answered. @param {any[]} rows @param {string | null} name @returns {any[]} */
export const answersOf = (rows, name) => rowsOf(rows, name).filter((row) => row.connections);
