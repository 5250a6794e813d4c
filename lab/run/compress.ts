/** Packs a file of the record: a log line for each request shrinks to a fifteenth. */

import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { writing } from '../base/errors.ts';
import { streamTo } from '../base/files.ts';
import { openPrivate } from '../base/private-file.ts';

/**
 * Leaves the file with `.gz` after its name in its place, or the file as it was: never half of it.
 * @param path of a file that may not be there
 */
export async function compress(path: string) {
	// Opened first: the packed one would be there, empty, after the other was not found.
	const opened = openPrivate(path);
	if (opened === null) return;
	const part = `${path}.gz.part`;
	try {
		await pipeline(createReadStream('', { fd: opened }), createGzip({ level: 6 }), streamTo(part));
		await rename(part, `${path}.gz`);
		await rm(path);
	} catch (error) {
		await rm(part, { force: true }).catch(() => {});
		throw writing(error, part);
	}
}
