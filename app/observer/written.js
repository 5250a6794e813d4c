/**
 * Which collections hold what the load writes.
 */

/** What the document service writes to. */
const STANDARD = 'doubletake.documents';

/**
 * @param {string | undefined} text names, `database.collection`, with commas between them
 * @returns {{ database: string, collection: string }[]}
 * @throws {Error} naming what is no such name
 */
export function parseWritten(text) {
	return (text || STANDARD).split(',').map((name) => {
		const [, database, collection] = /^\s*([^.\s]+)\.(\S+)\s*$/.exec(name) ?? [];
		if (!database) throw new Error(`WRITTEN: expected database.collection, found "${name}"`);
		return { database, collection };
	});
}
