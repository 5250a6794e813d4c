/**
 * Reads tables that psql prints unaligned, one after the other, each under a line "= name".
 */

const TITLE = /^= (\w+)$/;

/**
 * @param {string} output
 * @returns {Map<string, Record<string, string>[]>} rows by column; a row that was cut off is left out
 */
export function readTables(output) {
  /** @type {Map<string, Record<string, string>[]>} */
  const tables = new Map();
  /** @type {Record<string, string>[]} */
  let rows = [];
  /** @type {string[] | null} */
  let columns = null;
  for (const line of output.slice(0, Math.max(0, output.lastIndexOf('\n'))).split('\n')) {
    const title = TITLE.exec(line)?.[1];
    const cells = line.split('\t');
    if (title !== undefined) {
      rows = [];
      columns = null;
      tables.set(title, rows);
    } else if (columns === null) columns = cells;
    else if (cells.length === columns.length) rows.push(Object.fromEntries(columns.map((column, index) => [column, cells[index]])));
  }
  return tables;
}
