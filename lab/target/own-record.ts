/**
 * The places of a run's record into which a user's services and the lab write, and what the generator reads, which is none of the record:
 * bodies and queries are the user's.
 */

import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedRequest } from '../../k6/lib/request-list.js';
import { writePrivate } from '../base/private-file.ts';

/**
 * A service runs as whatever user its image says, and opens its files by their names. Nobody but that service comes there: the folders
 * around it are the lab's alone.
 */
export const OPEN_TO_WRITERS = 0o733;
export const REQUESTS_NAME = 'requests.json';
/** The generator's user is another. */
const READABLE = 0o644;

/**
 * @param folder apart from the record
 * @param requests of the load
 */
export async function writeRequests(folder: string, requests: ListedRequest[]) {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const listed = join(folder, REQUESTS_NAME);
	await writePrivate(listed, JSON.stringify(requests), { isExact: true });
	await chmod(listed, READABLE);
}
