/** A running container, as an adapter may ask it. */

import { stat } from 'node:fs/promises';
import { basename, dirname, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Container as ContainerOfDockerode, MountSettings } from 'dockerode';
import { extract, pack } from 'tar-stream';
import type { Container } from '../adapters/contract.ts';
import { NotReadyError } from '../base/errors.ts';
import type { Service, System } from './containers.ts';
import { labelOf, SERVICE_LABEL, VOLUME_LABEL } from './containers.ts';
import { ANSWER_LIMIT_MS, containerById, docker, endingInTime, executeToEnd, ignoreGone } from './docker.ts';

/*
 * Reads a file out of the archive that the engine gives of a path in a container, and makes one of an empty folder.
 */

/**
 * @returns the first entry; null where it is a folder or there is none
 * @throws {Error} when it is cut off, or no archive
 */
const firstEntry = (archive: Buffer): Promise<{ content: Buffer } | { link: string } | null> =>
	new Promise((resolve, reject) => {
		const reader = extract();
		reader.on('error', reject);
		reader.on('finish', () => resolve(null));
		// The next is never asked for.
		reader.on('entry', ({ type, linkname }, content) => {
			if (type === 'file') buffer(content).then((bytes) => resolve({ content: bytes }), reject);
			else resolve(type === 'symlink' ? { link: linkname ?? '' } : null);
		});
		reader.end(archive);
	});

/**
 * An archive with one empty folder in it.
 * @param folder mode: its permissions
 */
function folderArchive({ name, ...folder }: { name: string; mode: number; uid: number; gid: number }): Readable {
	const archive = pack();
	archive.entry({ ...folder, name: `${name}/`, type: 'directory', mtime: new Date(0) });
	archive.finalize();
	return archive;
}

/*
 * Files in containers, running or not, and in images.
 */

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

/** A configuration of a container is no larger: an image of a stranger's may have one that fills the memory. The lab's own choice. */
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

type Execute = (containerId: string, command: string[]) => Promise<{ exitCode: number; output: string }>;

/** Each question has a limit of its own, and is known to run until it has ended. */
const executeUnbounded: Execute = (id, command) => executeToEnd(id, command, { limitMs: null });

/** @returns that refuses a command while one whose time is over still runs in it: the engine cannot end such a one */
export function containerOf(
	{ id, service, address }: Pick<Service, 'id' | 'service' | 'address'>,
	execute: Execute = executeUnbounded,
): Container {
	let overdue = 0;
	return {
		service,
		address,
		execute: async (command, limitMs) => {
			if (overdue > 0) throw new Error(`${service} still runs an earlier command.`);
			const executed = execute(id, command);
			const inTime = new AbortController();
			const limit = wait(limitMs, null, { signal: inTime.signal });
			// What is not waited for any more must not be an unhandled rejection.
			limit.catch(() => {});
			try {
				const answer = await Promise.race([executed, limit]);
				if (answer !== null) return answer;
			} finally {
				inTime.abort();
			}
			overdue += 1;
			const ended = () => {
				overdue -= 1;
			};
			executed.then(ended, ended);
			throw new Error(`${service} did not answer ${command[0]} in ${limitMs} ms.`);
		},
	};
}

/*
 * Lets the wanted entries of an archive through while it passes, as it is: what an entry has around it (long names, times) goes with it. A
 * library would take each apart and make it anew, and attributes that are no text (what a program may do without being root) would not outlive that.
 * https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 (ustar)
 */

const BLOCK_BYTES = 512;
/** With two empty blocks an archive ends. */
const ARCHIVE_END = Buffer.alloc(2 * BLOCK_BYTES);
/** Offset and length in a header. */
const FIELDS = { name: [0, 100], size: [124, 12], type: [156, 1] };
/** Records about the entry that follows. */
const ABOUT_NEXT = ['x', 'g', 'L', 'K'];
const NO_BYTES = Buffer.alloc(0);

/** What passes is larger than it may be. */
class TooLargeError extends Error {}

/** @returns that fails with TooLargeError where more would pass */
function tarFilter({
	isWanted,
	mostBytes,
}: {
	/** name: of an entry, as far as it stands in its header (100 bytes of a longer one) */
	isWanted: (name: string) => boolean;
	/** that may pass */
	mostBytes: number;
}): Transform {
	let rest = NO_BYTES;
	/** Headers that belong to the entry that follows. */
	let before: Buffer[] = [];
	/** Of the entry that is passing. */
	let left = 0;
	let mode = 'pass' as 'pass' | 'drop' | 'gather';
	let passed = 0;
	const give = (stream: Transform, bytes: Buffer) => {
		passed += bytes.length;
		if (passed > mostBytes) throw new TooLargeError(`more than ${mostBytes} bytes`);
		stream.push(bytes);
	};
	const take = (stream: Transform, bytes: Buffer) => {
		if (mode === 'pass') give(stream, bytes);
		if (mode === 'gather') before.push(bytes);
	};
	const begin = (stream: Transform, header: Buffer) => {
		left = Math.ceil((Number.parseInt(fieldOf(header, 'size'), 8) || 0) / BLOCK_BYTES) * BLOCK_BYTES;
		const name = fieldOf(header, 'name');
		if (ABOUT_NEXT.includes(fieldOf(header, 'type'))) mode = 'gather';
		else {
			mode = name !== '' && isWanted(name) ? 'pass' : 'drop';
			if (mode === 'pass') for (const one of before) give(stream, one);
			before = [];
		}
		take(stream, header);
	};
	return new Transform({
		transform(chunk, _, done) {
			try {
				rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
				for (;;) {
					if (left > 0) {
						const bytes = rest.subarray(0, left);
						left -= bytes.length;
						rest = rest.subarray(bytes.length);
						take(this, bytes);
					}
					if (left > 0 || rest.length < BLOCK_BYTES) break;
					begin(this, rest.subarray(0, BLOCK_BYTES));
					rest = rest.subarray(BLOCK_BYTES);
				}
				done();
			} catch (error) {
				done(error as Error);
			}
		},
		flush(done) {
			this.push(ARCHIVE_END);
			done();
		},
	});
}

function fieldOf(header: Buffer, field: keyof typeof FIELDS) {
	const [offset, length] = FIELDS[field];
	// A name may have blanks in it; they end a number.
	const end = field === 'name' ? /\0.*$/s : /[\0 ].*$/s;
	return header.toString('utf8', offset, offset + length).replace(end, '');
}

/*
 * A volume of a run that is filled from a folder of this machine. The engine itself reads the folder, mounted read-only, and writes the
 * volume: by containers that are made and never started. So no program runs, owners and modes stay whoever the lab is run by, and of the
 * folder nothing is changed but the time at which it was last read.
 */

/** In each of the two containers: by one name, so that the entry of the folder itself is one too, which has its owner and mode. */
const PLACE = '/copy/data';
const NAME = basename(PLACE);
const PERMISSIONS = 0o7777;
/** For one folder. The lab's own choice. */
const COPY_LIMIT_MS = 300_000;

type Filling = {
	/** whose volume it is, so that it goes with it */
	system: System;
	/** as its Compose file calls it */
	volume: string;
	/** that is there; of it nothing is run */
	image: string;
	/** of this machine */
	folder: string;
	/** folders in it, as seen from it, that are left out */
	without?: string[];
	/** it may hold */
	mostBytes: number;
	signal: AbortSignal;
};

/** @returns whether it fitted; else the volume is as of makeEmpty */
export async function fillVolume({ mostBytes, signal, without = [], ...given }: Filling): Promise<boolean> {
	const { folder } = given;
	const left = without.map((inside) => `${NAME}/${inside}/`);
	const isWanted = (name: string) => !left.some((begin) => name.startsWith(begin));
	try {
		await withWriter(given, (writer) =>
			withContainer({ ...given, mount: readOnly(folder) }, async (reader) => {
				const archive = (await reader.getArchive({ path: PLACE })) as Readable;
				const filter = tarFilter({ isWanted, mostBytes });
				const read = pipeline(archive, filter, { signal: AbortSignal.any([signal, AbortSignal.timeout(COPY_LIMIT_MS)]) });
				const written = writer.putArchive(filter, { path: dirname(PLACE) });
				// Whichever fails first, the other ends with it; what failed in reading says more.
				written.catch((error) => filter.destroy(error));
				await read;
				await written;
			}),
		);
		return true;
	} catch (error) {
		signal.throwIfAborted();
		if (!(error instanceof TooLargeError)) throw error;
		// Half of a folder is worse than none.
		await docker.getVolume(nameOf(given)).remove();
		await makeEmpty(given);
		return false;
	}
}

/**
 * A volume with nothing in it but what the folder itself has: owner and mode.
 * @param given folder: it may be missing
 */
export async function makeEmpty(given: Pick<Filling, 'system' | 'volume' | 'image' | 'folder'>) {
	const found = await stat(given.folder).catch(() => null);
	await withWriter(given, async (writer) => {
		if (found === null) return;
		const { mode, uid, gid } = found;
		await writer.putArchive(folderArchive({ name: NAME, mode: mode & PERMISSIONS, uid, gid }), { path: dirname(PLACE) });
	});
}

const nameOf = ({ system, volume }: Pick<Filling, 'system' | 'volume'>) => `${system.project}_${volume}`;

/** Makes the volume, and gives a container that has it. */
async function withWriter(given: Pick<Filling, 'system' | 'volume' | 'image'>, use: (container: ContainerOfDockerode) => Promise<void>) {
	const name = nameOf(given);
	await docker.createVolume({ Name: name, Labels: labelsOf(given.system, given.volume) });
	await withContainer({ ...given, mount: writable(name) }, use);
}

/** Reader and writer are two, because an engine answers nothing else about one whose files it is sending. */
async function withContainer(options: Parameters<typeof copierOptions>[0], use: (container: ContainerOfDockerode) => Promise<void>) {
	const container = await docker.createContainer(copierOptions(options));
	try {
		await use(container);
	} finally {
		await container.remove({ force: true, v: true }).catch(ignoreGone);
	}
}

/** As Compose would label it: it takes it for its own, and removes it with the rest. */
const labelsOf: (system: System, volume: string) => Record<string, string> = (system, volume) => ({
	...ownLabels(system),
	[VOLUME_LABEL]: volume,
});

/** By the project alone nothing is removed. */
function ownLabels(system: System) {
	const [label, project] = labelOf(system).split('=');
	return { [label]: project, 'doubletake.lab': 'yes' };
}

type Mount = MountSettings;

const readOnly = (folder: string): Mount => ({ Type: 'bind', Source: folder, Target: PLACE, ReadOnly: true });

/** What an image has at that place is not wanted. */
const writable = (volume: string): Mount => ({ Type: 'volume', Source: volume, Target: PLACE, VolumeOptions: { NoCopy: true } as any });

/** With the labels of a service's, Compose removes it with the run where the lab was ended by force. */
const copierOptions = ({ system, image, mount }: { system: System; image: string; mount: Mount }) => ({
	Image: image,
	// An image without a command could not be made a container of otherwise.
	Cmd: ['true'],
	Labels: {
		...ownLabels(system),
		[SERVICE_LABEL]: 'doubletake-copier',
		'com.docker.compose.config-hash': 'none',
		'com.docker.compose.oneoff': 'False',
	},
	HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'], Mounts: [mount] },
});
