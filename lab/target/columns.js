/** @param {string[][]} rows @returns {string[]} each two blanks in, all columns but the last as wide as their widest */
export function inColumns(rows) {
  const widthOf = (/** @type {number} */ column) => Math.max(...rows.map((row) => row[column].length));
  return rows.map((row) => `  ${row.map((text, column) => (column === row.length - 1 ? text : text.padEnd(widthOf(column)))).join('  ')}`);
}
