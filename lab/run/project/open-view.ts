/**
 * Opens the view of the engine that services of a copy have in the place of the engine's socket.
 *
 * @typedef {import('../../target/compose-model.ts').View} View
 * @typedef {import('../../docker/http-answer.ts').EngineView} EngineView
 */

import { scryptSync } from 'node:crypto';
import { chmod, chown, copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { NotReadyError } from '../../base/errors.ts';
import { fillVolume, makeEmpty } from '../../docker/ask-container.ts';
import { readConfig } from '../../docker/compose.ts';
import { engineSocket } from '../../docker/docker.ts';
import { serveEngineView } from '../../docker/http-answer.ts';
import { attachScript } from '../../load/wrapper.ts';
import { mountsSocket, VIEW_FILE } from '../../target/compose-model.ts';
import { COPY_MOST_BYTES, madeUp } from '../../target/copied-folders.ts';
import { secretFile } from '../../target/project-copy.ts';
import { suppliedSystem } from '../../target/supplied-config.ts';

/**
 * Makes the copies of the user's folders and files that a run has in their place, before its first service starts.
 *
 * @typedef {import('../../target/copied-folders.ts').CopiedFolder} CopiedFolder
 */

/** Of a scratch folder: in it, copies of single files. */
export const FILES = 'files';
/** Whoever a service runs as; the folder around them is the lab's alone. */
const OPEN_FILE = 0o666;
const READABLE = 0o644;

/**
 * @param {object} options
 * @param {CopiedFolder[]} options.folders
 * @param {string[]} options.secrets  that are made up
 * @param {import('../../docker/containers.ts').System} options.system
 * @param {string} options.image    that is there; of it nothing is run
 * @param {string} options.scratch  folder of this run
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<string[]>} a sentence for each that is not what it was to be
 * @throws {NotReadyError} when one can not be made
 */
export async function fillFolders({ folders, secrets, system, image, scratch, say, signal }) {
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

/** @type {(folder: CopiedFolder, given: Pick<Parameters<typeof fillFolders>[0], 'system' | 'image' | 'signal'>) => Promise<boolean>} */
async function copyOneFolder({ source: folder, volume, data, without }, given) {
	if (data === 'copy') return fillVolume({ ...given, volume, folder, without, mostBytes: COPY_MOST_BYTES });
	await makeEmpty({ ...given, volume, folder });
	return true;
}

/** Its owner is kept where the lab may give it away. @type {(folder: CopiedFolder, into: string) => Promise<boolean>} whether it could be read */
async function copyOneFile({ source, volume, data }, into) {
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
 * @param {any} config  as Compose has resolved the files under another name
 * @param {Parameters<typeof suppliedSystem>[0]} given
 * @param {Parameters<typeof suppliedSystem>[1]} supplies
 * @returns {Promise<string>}
 */
export async function ownNameOf(config, given, supplies) {
	if (!Object.values(config.services ?? {}).some(mountsSocket)) return config.name;
	const system = suppliedSystem(given, supplies);
	const at = system.flags.indexOf('--project-name');
	const { name } = await readConfig({ ...system, flags: system.flags.toSpliced(at, 2) }, {}).catch(() => config);
	return name;
}

/**
 * @param {View | null} view
 * @param {string} scratch  folder of the run
 * @returns {Promise<EngineView | null>} to be closed when the copy is gone
 */
export async function openView(view, scratch) {
	const engine = await engineSocket();
	if (view === null || engine === null) return null;
	const folder = join(scratch, FILES);
	await mkdir(folder, { recursive: true, mode: 0o700 });
	return serveEngineView({ path: join(folder, VIEW_FILE), engine, names: view.names });
}

/**
 * @param {View | null} view
 * @param {EngineView | null} opened
 * @returns {string[]} a sentence, where a service wanted more of the engine than it could have
 */
export function refusedNotes(view, opened) {
	const refused = opened?.refused() ?? [];
	if (view === null || refused.length === 0) return [];
	return [`${view.services.join(', ')} asked the engine for more than a run gives, and was refused: ${refused.join(', ')}.`];
}

/*
 * Fingerprints of what two runs of a comparison must have in common: a text is not kept, and is known again. It may hold passwords, so
 * its hash is one that takes long to make: whoever has the record cannot try many guesses against it.
 */

/** The same everywhere: comparisons are compared with each other too, to find an A/A control. */
const SALT = 'doubletake';
const BYTES = 32;

/** @param {unknown} value of its JSON @returns {string} */
const fingerprintOf = (value) => scryptSync(JSON.stringify(value), SALT, BYTES).toString('hex');

/**
 * Of what Compose makes of the files.
 * @param {any} config
 * @param {{ runProject: string, root: string }} given  root: the folder that is another in each checkout of a revision
 */
export const configFingerprint = (config, { runProject, root }) =>
	fingerprintOf(JSON.stringify(config).replaceAll(runProject, '').replaceAll(root, ''));

/**
 * Of all that doubletake.yaml says beside its Compose files, with the files in which it says what is sent.
 * @param {import('../../catalog/project-schema.ts').Project} project
 * @param {(path: string) => string | null} read  null where there is no such file
 * @param {string} folder  of doubletake.yaml
 * @throws {import('../../base/errors.ts').NotReadyError} when a file of the script is not there
 */
export function loadFingerprint({ entry, services, edges, load, data, integrity }, read, folder) {
	const files = load.script === undefined ? [load.openapi ?? []].flat() : attachScript({ entry: resolve(folder, load.script), read }).files;
	return fingerprintOf({ entry, services, edges, load, data, integrity, files: files.map((file) => read(resolve(folder, file))) });
}

/** The same, however many ask and for how long. @type {typeof loadFingerprint} */
export const askedFingerprint = ({ load: { shape, users, think_ms, ...asked }, ...project }, read, folder) =>
	loadFingerprint({ ...project, load: asked }, read, folder);
