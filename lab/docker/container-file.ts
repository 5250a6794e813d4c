/** Files in containers, running or not, and in images. */

import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { NotReadyError } from '../base/errors.ts';
import { ownLabels } from './ask-container.ts';
import type { System } from './containers.ts';
import { ANSWER_LIMIT_MS, containerById, docker, endingInTime } from './docker.ts';
import { firstEntry } from './tar.ts';

/** A link to a link is usual in Debian; more of them are a circle. */
const LINKS_MOST = 8;
const NOT_FOUND = 404;

/** @returns empty where there is no such file */
async function readContainerFile(containerId: string, path: string): Promise<string> {
	let place = path;
	for (let links = 0; links < LINKS_MOST; links += 1) {
		const entry = await entryAt(containerId, place);
		if (entry === null) return '';
		if ('content' in entry) return entry.content.toString('utf8');
		place = posix.resolve(posix.dirname(place), entry.link);
	}
	return '';
}

/** A configuration of a container is no larger: an image of a stranger's may have one that fills the memory. */
const FILE_MOST_BYTES = 50_000_000;

/** @throws {NotReadyError} of more than a configuration has */
async function bufferOf(archive: AsyncIterable<Buffer>, path: string): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of archive) {
		bytes += chunk.length;
		if (bytes > FILE_MOST_BYTES)
			throw new NotReadyError(
				`${path} in an image: expected a file of at most ${FILE_MOST_BYTES / 1e6} MB; found a larger one.`,
				'give that service another image, or a configuration of its own.',
			);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

async function entryAt(containerId: string, path: string) {
	try {
		const archive = (await containerById(containerId).getArchive({ path })) as Readable;
		const inTime = endingInTime(archive, ANSWER_LIMIT_MS, `The Docker Engine did not send all of ${path}`);
		return firstEntry(await bufferOf(inTime, path));
	} catch (error) {
		if ((error as { statusCode?: number }).statusCode === NOT_FOUND) return null;
		throw error;
	}
}

/**
 * A file of an image, which is there. A container is made for it and removed, and never runs.
 * @returns empty where there is no such file
 */
export async function readImageFile(system: System, image: string, path: string): Promise<string> {
	// An image without a command could not be made a container of otherwise.
	const container = await docker.createContainer({ Image: image, Cmd: ['true'], Labels: ownLabels(system) });
	try {
		return await readContainerFile(container.id, path);
	} finally {
		await container.remove({ force: true });
	}
}
