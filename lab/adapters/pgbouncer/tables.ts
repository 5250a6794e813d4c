/** Reads tables that psql prints unaligned, one after the other, each under a line "= name". */

/**
 * How the lab asks PgBouncer for its state: the admin console, over the Unix socket in the container. There the user
 * "pgbouncer" needs no password if it runs as the same user of the system as PgBouncer (https://www.pgbouncer.org/usage.html).
 * Over TCP it would need one, and each refusal would be a line in PgBouncer's log.
 */

const TITLE = /^= (\w+)$/;

/** @returns rows by column; a row that was cut off is left out */
export function readTables(output: string): Map<string, Record<string, string>[]> {
	const tables: Map<string, Record<string, string>[]> = new Map();
	let rows: Record<string, string>[] = [];
	let columns: string[] | null = null;
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
