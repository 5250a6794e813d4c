/** Rows as a list for each of their keys, as a page carries them: each row would repeat all keys. */

/** @param rows all with the same keys */
export const columnsOf = (rows: Record<string, any>[]): Record<string, any[]> =>
	Object.fromEntries(Object.keys(rows[0] ?? {}).map((key) => [key, rows.map((row) => row[key])]));

export function rowsOf(columns: Record<string, any[]>): Record<string, any>[] {
	const keys = Object.keys(columns);
	return (columns[keys[0]] ?? []).map((_, index) => Object.fromEntries(keys.map((key) => [key, columns[key][index]])));
}
