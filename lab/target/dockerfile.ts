/**
 * What a Dockerfile tells of a service that is built from it: the image that it begins with, ports, command and environment. It serves `init` to guess
 * what the service is, where its image is not there yet. Pure but for the reading, which it is given.
 *
 * @typedef {import('./compose-model.ts').AttachedService} AttachedService
 * @typedef {{ image: string, ports: number[], command: string[], environment: Record<string, string> }} DeclaredImage  environment: never shown
 * @typedef {DeclaredImage & { name: string, entrypoint: string[], cmd: string[] }} Stage
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, relative, resolve } from 'node:path';
import { dataIn } from '../adapters/well-known.ts';
import { readIfThere } from '../base/bounded-file.ts';
import { REPORTS } from '../base/paths.ts';
import { ownOf } from '../base/values.ts';
import { follow } from './real-path.ts';

const require = createRequire(import.meta.url);

/** The parser is loaded when there is something to read: `list` has this module too. @param {string} text */
function instructionsOf(text) {
	const { DockerfileParser } = /** @type {typeof import('dockerfile-ast')} */ (require('dockerfile-ast'));
	return DockerfileParser.parse(text).getInstructions();
}

/**
 * @param {AttachedService[]} models
 * @param {any} config  as Compose has resolved it, of which they are
 * @param {(file: string) => string | null} read  null where there is no such file
 * @returns {AttachedService[]} for a guess alone: those that are built have what their Dockerfiles tell where the file says nothing
 */
export function withDockerfiles(models, config, read) {
	const declared = models.map((model) => reportedOf(model, config, read));
	return models.map((model, index) => {
		const own = declared[index];
		const isBase = model.image !== '' && model.command.length === 0 && declared.some((other) => other?.image === model.image);
		if (own === null) return isBase ? { ...model, isBase } : model;
		const { image, ports, command, environment } = own;
		return {
			...model,
			// Of what is built here a name in the file says less than what it is built from.
			image: image === '' ? model.image : image,
			ports: model.ports.length > 0 ? model.ports : ports,
			command: model.command.length > 0 ? model.command : command,
			environment: { ...environment, ...model.environment },
			...(isBase && { isBase }),
		};
	});
}

/** Characters; it serves a guess, and the engine takes a longer one all the same. The lab's own choice. */
const TEXT_MOST = 1_000_000;

/** @typedef {{ text: string, target?: string, args: Record<string, string | null> }} Build */

/** @type {(model: AttachedService, config: any, read: (file: string) => string | null) => DeclaredImage | null} */
function reportedOf(model, config, read) {
	const build = fileOf(model, config, read);
	return build && readDockerfile(build.text, build);
}

/** @type {(model: AttachedService, config: any, read: (file: string) => string | null) => Build | null} */
function fileOf(model, config, read) {
	const build = buildOf(model, config);
	if (!build?.context) return null;
	const text = build.dockerfile_inline ?? read(resolve(build.context, build.dockerfile ?? 'Dockerfile'));
	return text && text.length <= TEXT_MOST ? { text, target: build.target, args: build.args ?? {} } : null;
}

/** A whole name of an image, and not its tag alone. */
const ARGUMENT_ALONE = /^\$(?:\{(\w+)(?::?-[^}]*)?\}|(\w+))$/;

/**
 * Arguments of a build by which its Dockerfile takes the images that it begins with.
 * @param {AttachedService} model
 * @param {any} config
 * @param {(file: string) => string | null} read
 * @returns {Record<string, string>} the image by the argument
 */
export function baseArguments(model, config, read) {
	const { text, args } = fileOf(model, config, read) ?? { text: '', args: {} };
	/** @type {Parameters<typeof take>[1]} */
	const into = { values: {}, stages: [], args };
	/** @type {Record<string, string>} */
	const found = {};
	for (const instruction of /** @type {any[]} */ (instructionsOf(text))) {
		take(instruction, into);
		const image = instruction.getKeyword() === 'FROM' ? (instruction.getImage() ?? '') : '';
		const [, inBraces, name = inBraces] = ARGUMENT_ALONE.exec(image) ?? [];
		if (name !== undefined) found[name] = withValues(image, into.values);
	}
	return found;
}

/** By their names, stages of its own among them. @type {(model: AttachedService, config: any, read: (file: string) => string | null) => string[]} */
export const imagesIn = (...given) => [
	...Object.values(baseArguments(...given)),
	...[...(fileOf(...given)?.text ?? '').matchAll(/^\s*FROM\s+(?:--\S+\s+)*(\S+)|\bfrom=([^\s,]+)/gim)].map(
		([, one, other]) => one ?? other,
	),
];

/**
 * Its own, or that of the service whose image it runs.
 * @param {AttachedService} model
 * @param {any} config
 */
const buildOf = ({ service, image }, { services }) =>
	ownOf(services, service)?.build ??
	Object.values(services).find((/** @type {any} */ other) => image !== '' && other.image === image && other.build)?.build;

/**
 * @param {string} text
 * @param {{ target?: string, args?: Record<string, string | null> }} [build]  target: the stage that is wanted; the last unless given
 * @returns {DeclaredImage}
 */
function readDockerfile(text, { target, args = {} } = {}) {
	/** @type {Record<string, string>} */
	const values = {};
	/** @type {Stage[]} */
	const stages = [];
	for (const instruction of instructionsOf(text)) take(instruction, { values, stages, args });
	const stage = (target && stages.find(({ name }) => name === target.toLowerCase())) || stages.at(-1);
	return stage ?? { image: '', ports: [], command: [], environment: {} };
}

/** @type {(instruction: any, into: { values: Record<string, string>, stages: Stage[], args: Record<string, string | null> }) => void} */
function take(instruction, { values, stages, args }) {
	const stage = stages.at(-1);
	const word = instruction.getKeyword();
	const filled = (/** @type {string | null} */ given) => withValues(given ?? '', values);
	const words = () => wordsOf(instruction).map(filled);
	if (word === 'ARG') {
		for (const property of instruction.getProperties())
			values[property.getName()] = args[property.getName()] ?? filled(property.getValue());
	} else if (word === 'FROM') stages.push(stageOf(filled(instruction.getImage()), instruction.getBuildStage() ?? '', stages));
	else if (stage === undefined) return;
	else if (word === 'ENV') {
		for (const property of instruction.getProperties()) stage.environment[property.getName()] = filled(property.getValue());
	} else if (word === 'EXPOSE') stage.ports.push(...words().flatMap(portIn));
	else if (word === 'ENTRYPOINT' || word === 'CMD') {
		// An entrypoint takes the command of the image before it away.
		if (word === 'ENTRYPOINT') Object.assign(stage, { entrypoint: words(), cmd: [] });
		else stage.cmd = words();
		stage.command = [...stage.entrypoint, ...stage.cmd];
	}
}

/**
 * What is copied from the folder of a build into its image, in whichever stage.
 * @param {string} text
 * @returns {{ sources: string[], target: string }[]}
 */
export const copiesIn = (text) =>
	instructionsOf(text).flatMap((/** @type {any} */ instruction) => {
		if (!['COPY', 'ADD'].includes(instruction.getKeyword())) return [];
		if (instruction.getFlags().some((/** @type {import('dockerfile-ast').Flag} */ flag) => flag.getName() === 'from')) return [];
		const words = wordsOf(instruction);
		const target = words.pop();
		return target === undefined || words.length === 0 ? [] : [{ sources: words, target }];
	});

/** One that begins with another of the file has what that one has. @type {(image: string, name: string, stages: Stage[]) => Stage} */
function stageOf(image, name, stages) {
	const before = stages.find((stage) => stage.name !== '' && stage.name === image.toLowerCase());
	const { ports = [], entrypoint = [], cmd = [], environment = {} } = before ?? {};
	const copied = { ports: [...ports], environment: { ...environment }, command: [...entrypoint, ...cmd] };
	return { name: name.toLowerCase(), image: before?.image ?? image, entrypoint, cmd, ...copied };
}

/** In brackets as JSON, else as a shell reads it. The parser's own strings of a list have lost their blanks. @param {any} instruction @returns {string[]} */
function wordsOf(instruction) {
	try {
		const words = JSON.parse(instruction.getArgumentsContent());
		if (Array.isArray(words)) return words.map(String);
	} catch {
		// It is no JSON.
	}
	return instruction.getArguments().map((/** @type {import('dockerfile-ast').Argument} */ argument) => argument.getValue());
}

/** Of one over UDP nothing. @param {string} text @returns {number[]} */
function portIn(text) {
	const [, port] = /^(\d{1,5})(?:\/tcp)?$/i.exec(text) ?? [];
	return port === undefined ? [] : [Number(port)];
}

/** Of all values in one text: each line may have twice that before. The lab's own choice. */
const VALUES_MOST = 4096;

/** @param {string} text @param {Record<string, string>} values */
function withValues(text, values) {
	let left = VALUES_MOST;
	return text.replace(/\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))/g, (_, name, otherwise, plain) => {
		const value = ownOf(values, name ?? plain) || otherwise || '';
		left -= value.length;
		return left < 0 ? '' : value;
	});
}

/**
 * How a folder or file of this machine stands into which services of a user's system may write: how large it is, whether it is a
 * database's, and who has it open. It is only looked at.
 *
 * @typedef {object} Look
 * @property {(path: string) => 'folder' | 'file' | 'other' | null} kindOf  other: a socket, a device; null: not there
 * @property {(path: string, mostBytes: number) => number} sizeOf  in bytes; more than the most where it has more
 * @property {(path: string) => boolean} isStore  whether a database's files lie in it
 * @property {string[]} takenSubnets  of networks that are not the lab's
 * @property {(path: string) => boolean} isEmptyFolder
 * @property {string} volumesRoot  folder in which the engine has its volumes; empty where that is not known
 * @property {string[]} [openMounts]  where something is mounted that stays writable in a read-only mount of what is above it
 * @property {string} socket  of this machine, at which the engine listens; empty where that is not known
 * @property {(path: string) => string} real  where its links lead, as the engine sees it
 * @property {boolean} sharesSockets  of this program with containers: the engine is on this machine, and listens at a socket of it
 * @property {(path: string) => string | null} openBy  who has it open as a database, as a clause; null: nobody that is known
 *
 * @typedef {{ container: string, source: string }} Mounted  by a running container that is none of the lab's
 */

/** Of a folder with more files than these it takes too long to look at all. The lab's own choice. */
export const ENTRIES_MOST = 200_000;
/** That each file takes at least. */
const BLOCK_BYTES = 4096;
/** https://man7.org/linux/man-pages/man5/proc_locks.5.html */
const LOCKS = '/proc/locks';
const LOCKED = /([0-9a-f]+:[0-9a-f]+:\d+)/;

/** @param {{ mounted?: Mounted[], subnets?: string[], volumesRoot?: string, socket?: string, sharesSockets?: boolean, openMounts?: string[] }} [engine]  what it tells @returns {Look} */
export const lookWith = ({ mounted = [], subnets = [], volumesRoot = '', socket = '', sharesSockets = true, openMounts = [] } = {}) => ({
	openMounts,
	takenSubnets: subnets,
	volumesRoot,
	socket,
	sharesSockets,
	// On another machine a link may lead elsewhere.
	real: (path) => (sharesSockets ? follow(path).real : resolve(path)),
	kindOf,
	sizeOf: sizeOfPath,
	isEmptyFolder: (path) => entriesIn(path)?.length === 0,
	isStore: (path) => dataIn(filesIn(path) ?? []).isStore,
	openBy: (path) => openBy(path, mounted),
});

/** @param {string} path @returns {ReturnType<Look['kindOf']>} */
function kindOf(path) {
	const found = statOf(path);
	if (found === undefined) return null;
	if (found.isDirectory()) return 'folder';
	return found.isFile() ? 'file' : 'other';
}

/** What cannot be looked into counts nothing. @type {Look['sizeOf']} */
function sizeOfPath(path, mostBytes) {
	let bytes = statOf(path)?.size ?? 0;
	const open = kindOf(path) === 'folder' ? [path] : [];
	let entries = 0;
	for (const folder of open) {
		for (const entry of entriesIn(folder) ?? []) {
			entries += 1;
			if (bytes > mostBytes || entries > ENTRIES_MOST) return Number.POSITIVE_INFINITY;
			const at = join(folder, entry.name);
			if (entry.isDirectory() && at !== REPORTS) open.push(at);
			if (entry.isFile()) bytes += sizeOf(at);
		}
	}
	return bytes;
}

/**
 * What a builder is sent of a folder, until it is too much. Of what it ignores plain names count, if nothing is taken back.
 * @param {string} root @param {string} dockerfile @param {number} mostBytes
 */
export function sentOf(root, dockerfile, mostBytes) {
	const text = readIfThere(`${resolve(root, dockerfile)}.dockerignore`) ?? readIfThere(join(root, '.dockerignore')) ?? '';
	const plain = text.split('\n').filter((line) => !line.startsWith('#'));
	const left = new Set(/^\s*!/m.test(text) ? [] : plain.map((line) => line.trim().replace(/^\/|\/$/g, '')));
	let [bytes, most, largest] = [0, 0, ''];
	const open = [root];
	for (const folder of open)
		for (const entry of bytes > mostBytes ? [] : (entriesIn(folder) ?? [])) {
			const at = join(folder, entry.name);
			const names = [entry.name, '*', '**', `*${extname(at)}`];
			if (names.some((name) => left.has(join(relative(root, folder), name)) || left.has(`**/${name}`))) continue;
			if (entry.isDirectory()) open.push(at);
			const size = BLOCK_BYTES + (entry.isFile() ? sizeOf(at) : 0);
			bytes += size;
			if (size > most) [most, largest] = [size, at];
			if (bytes > mostBytes) break;
		}
	return { bytes, largest };
}

/** @type {(path: string, mounted: Mounted[]) => string | null} */
function openBy(path, mounted) {
	// A file by itself is no store's folder: what gives a store its configuration or its first content is often mounted so.
	if (kindOf(path) === 'file') return locksHere().has(inodeOf(path)) ? 'a process has locked it' : null;
	const holder = mounted.find(({ source }) => source === path || path.startsWith(`${source}/`) || source.startsWith(`${path}/`));
	if (holder !== undefined) return `${holder.container} has it open`;
	const files = filesIn(path);
	if (files === null) return 'nobody but its owner can see whether it is open';
	const { openedBy } = dataIn(files);
	if (openedBy !== null) return `${openedBy} in it says that it is open`;
	const locked = locksHere();
	return files.some(({ name }) => locked.has(inodeOf(join(path, name)))) ? 'a process has locked a file in it' : null;
}

/** @param {string} path @returns {import('node:fs').Dirent[] | null} null where it may not be looked into */
function entriesIn(path) {
	try {
		return readdirSync(path, { withFileTypes: true });
	} catch {
		return null;
	}
}

/** @param {string} path @returns {import('../adapters/well-known.ts').Found[] | null} */
function filesIn(path) {
	const files = entriesIn(path)?.filter((entry) => entry.isFile());
	return files?.map(({ name }) => ({ name, bytes: sizeOf(join(path, name)) })) ?? null;
}

/** What is gone by now, or may not be asked for, is not there. @param {string} path */
function statOf(path) {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}

/** @param {string} path */
const sizeOf = (path) => statOf(path)?.size ?? 0;

/** Device and inode of what processes have locked, as the kernel writes them; none where it has no such list. */
function locksHere() {
	try {
		return new Set(
			readFileSync(LOCKS, 'utf8')
				.split('\n')
				.map((line) => LOCKED.exec(line)?.[1] ?? ''),
		);
	} catch {
		return new Set();
	}
}

/** Of each device number, as the kernel packs it. https://man7.org/linux/man-pages/man3/makedev.3.html @param {string} path */
function inodeOf(path) {
	const found = statOf(path);
	if (found === undefined) return 'none';
	const major = (found.dev >> 8) & 0xfff;
	const minor = (found.dev & 0xff) | ((found.dev >> 12) & 0xfff00);
	const hex = (/** @type {number} */ number) => number.toString(16).padStart(2, '0');
	return `${hex(major)}:${hex(minor)}:${found.ino}`;
}
