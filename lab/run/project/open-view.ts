/** Opens the view of the engine that services of a copy have in the place of the engine's socket. */

import { chmod, chown, copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReadyError } from '../../base/errors.ts';
import { readConfig } from '../../docker/compose.ts';
import type { System } from '../../docker/containers.ts';
import { engineSocket } from '../../docker/docker.ts';
import { fillVolume, makeEmpty } from '../../docker/fill-volume.ts';
import { type EngineView, serveEngineView } from '../../docker/http-answer.ts';
import { mountsSocket, VIEW_FILE, type View } from '../../target/compose-model.ts';
import { COPY_MOST_BYTES, type CopiedFolder } from '../../target/copied-folders.ts';
import { madeUp } from '../../target/made-up.ts';
import { secretFile } from '../../target/project-copy.ts';
import { suppliedSystem } from '../../target/supplied-config.ts';
import { loadFingerprint } from './fingerprint.ts';

/** Makes the copies of the user's folders and files that a run has in their place, before its first service starts. */

/** Of a scratch folder: in it, copies of single files. */
export const FILES = 'files';
/** Whoever a service runs as; the folder around them is the lab's alone. */
const OPEN_FILE = 0o666;
const READABLE = 0o644;

/**
 * @returns a sentence for each that is not what it was to be
 * @throws {NotReadyError} when one can not be made
 */
export async function fillFolders({
	folders,
	secrets,
	system,
	image,
	scratch,
	say,
	signal,
}: {
	folders: CopiedFolder[];
	/** that are made up */
	secrets: string[];
	system: System;
	/** that is there; of it nothing is run */
	image: string;
	/** folder of this run */
	scratch: string;
	say: (text: string) => void;
	signal: AbortSignal;
}): Promise<string[]> {
	// A part is filled with what it is a part of.
	const wanted = folders.filter(({ data, device }) => data !== 'live' && device === '');
	const copied = wanted.filter(({ data }) => data === 'copy');
	if (copied.length > 0) say(`copying ${copied.map(({ name }) => name).join(', ')}`);
	await mkdir(join(scratch, FILES), { recursive: true, mode: 0o700 });
	for (const name of secrets) await writeFile(join(scratch, FILES, secretFile(name)), madeUp(name), { mode: READABLE });
	const said = [];
	for (const folder of wanted) {
		try {
			const isComplete = folder.isFile
				? await copyOneFile(folder, join(scratch, FILES))
				: await copyOneFolder(folder, { system, image, signal });
			if (!isComplete && folders.some(({ device }) => device.includes(`_${folder.volume}/`)))
				throw new Error(`it is more than the ${COPY_MOST_BYTES / 1e9} GB that a run copies, and a part of it is mounted by itself`);
			if (!isComplete)
				said.push(
					`${folder.name}: empty in the run; ${folder.isFile ? 'it cannot be read, or ' : ''}it is more than the ${COPY_MOST_BYTES / 1e9} GB that a run copies.`,
				);
		} catch (error) {
			signal.throwIfAborted();
			throw new NotReadyError(
				`${folder.name}: expected to copy it for the run; ${error instanceof Error ? error.message.trim() : error}.`,
				`write "${folder.name}": empty under "data" in doubletake.yaml, or free some disk.`,
			);
		}
	}
	return said;
}

async function copyOneFolder(
	{ source: folder, volume, data, without }: CopiedFolder,
	given: Pick<Parameters<typeof fillFolders>[0], 'system' | 'image' | 'signal'>,
): Promise<boolean> {
	if (data === 'copy') return fillVolume({ ...given, volume, folder, without, mostBytes: COPY_MOST_BYTES });
	await makeEmpty({ ...given, volume, folder });
	return true;
}

/**
 * Its owner is kept where the lab may give it away.
 * whether it could be read
 */
async function copyOneFile({ source, volume, data }: CopiedFolder, into: string): Promise<boolean> {
	const place = join(into, volume);
	const { mode, uid, gid, size } = await stat(source);
	const isComplete =
		data !== 'copy' ||
		(size <= COPY_MOST_BYTES &&
			(await copyFile(source, place).then(
				() => true,
				() => false,
			)));
	if (data !== 'copy' || !isComplete) await writeFile(place, '');
	const isGiven = await chown(place, uid, gid).then(
		() => true,
		() => false,
	);
	await chmod(place, isGiven ? mode : OPEN_FILE);
	return isComplete;
}

/**
 * Compose's name of the user's own stack, where a service would see it.
 * @param config as Compose has resolved the files under another name
 */
export async function ownNameOf(
	config: any,
	given: Parameters<typeof suppliedSystem>[0],
	supplies: Parameters<typeof suppliedSystem>[1],
): Promise<string> {
	if (!Object.values<any>(config.services ?? {}).some(mountsSocket)) return config.name;
	const system = suppliedSystem(given, supplies);
	const at = system.flags.indexOf('--project-name');
	const { name } = await readConfig({ ...system, flags: system.flags.toSpliced(at, 2) }, {}).catch(() => config);
	return name;
}

/**
 * @param scratch folder of the run
 * @returns to be closed when the copy is gone
 */
export async function openView(view: View | null, scratch: string): Promise<EngineView | null> {
	const engine = await engineSocket();
	if (view === null || engine === null) return null;
	const folder = join(scratch, FILES);
	await mkdir(folder, { recursive: true, mode: 0o700 });
	return serveEngineView({ path: join(folder, VIEW_FILE), engine, names: view.names });
}

/** @returns a sentence, where a service wanted more of the engine than it could have */
export function refusedNotes(view: View | null, opened: EngineView | null): string[] {
	const refused = opened?.refused() ?? [];
	if (view === null || refused.length === 0) return [];
	return [`${view.services.join(', ')} asked the engine for more than a run gives, and was refused: ${refused.join(', ')}.`];
}

/** The same, however many ask and for how long. */
export const askedFingerprint: typeof loadFingerprint = ({ load: { shape, users, think_ms, ...asked }, ...project }, read, folder) =>
	loadFingerprint({ ...project, load: asked }, read, folder);
