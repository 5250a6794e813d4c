/**
 * Tables that are stored column by column: a list of records that have the same fields is packed to less where alike values stand beside
 * each other, and every name once.
 */

/** Names the columns of a list; no field of a record is called so. */
const COLUMNS = '\u0000columns';
/** Shorter lists gain nothing. */
const ROWS_LEAST = 3;

/**
 * @param value JSON
 * @returns the same, with every list of three and more records of the same fields as its columns
 */
export function toColumns(value: any): any {
	if (Array.isArray(value)) return isTable(value) ? columnsOf(value) : value.map(toColumns);
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries<any>(value).map(([name, field]) => [name, toColumns(field)]));
}

/**
 * @param value as toColumns makes it
 * @returns what it was
 */
export function fromColumns(value: any): any {
	if (Array.isArray(value)) return value.map(fromColumns);
	if (!isRecord(value)) return value;
	if (COLUMNS in value) return rowsOf(value[COLUMNS].map(([name, column]: [string, any]) => [name, fromColumns(column)]));
	return Object.fromEntries(Object.entries<any>(value).map(([name, field]) => [name, fromColumns(field)]));
}

const isRecord = (value: any) => typeof value === 'object' && value !== null && !Array.isArray(value);

function isTable(list: any[]) {
	if (list.length < ROWS_LEAST || !list.every(isRecord)) return false;
	const names = Object.keys(list[0]).join('\n');
	return names !== '' && list.every((row) => Object.keys(row).join('\n') === names);
}

const columnsOf = (rows: Record<string, any>[]) => ({
	[COLUMNS]: Object.keys(rows[0]).map((name) => [name, toColumns(rows.map((row) => row[name]))]),
});

const rowsOf = (columns: [string, any[]][]) =>
	columns[0][1].map((_, index) => Object.fromEntries(columns.map(([name, column]) => [name, column[index]])));
