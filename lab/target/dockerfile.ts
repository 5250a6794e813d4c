/**
 * What a Dockerfile tells of a service that is built from it: the image that it begins with, ports, command and environment. It serves `init` to guess
 * what the service is, where its image is not there yet. Pure but for the reading, which it is given.
 */

import type { Dirent } from 'node:fs';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, relative, resolve } from 'node:path';
import type { Argument, Flag } from 'dockerfile-ast';
import type { Found } from '../adapters/well-known.ts';
import { dataIn } from '../adapters/well-known.ts';
import { readIfThere } from '../base/bounded-file.ts';
import { REPORTS } from '../base/paths.ts';
import { ownOf } from '../base/values.ts';
import type { AttachedService } from './compose-model.ts';
import { follow, leavesFolder } from './real-path.ts';

/** environment: never shown */
type DeclaredImage = { image: string; ports: number[]; command: string[]; environment: Record<string, string> };

type Stage = DeclaredImage & { name: string; entrypoint: string[]; cmd: string[] };

const require = createRequire(import.meta.url);

/** The parser is loaded when there is something to read: `list` has this module too. */
function instructionsOf(text: string) {
	const { DockerfileParser } = require('dockerfile-ast') as typeof import('dockerfile-ast');
	return DockerfileParser.parse(text).getInstructions();
}

/**
 * @param config as Compose has resolved it, of which they are
 * @param read null where there is no such file
 * @returns for a guess alone: those that are built have what their Dockerfiles tell where the file says nothing
 */
export function withDockerfiles(models: AttachedService[], config: any, read: (file: string) => string | null): AttachedService[] {
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

/** Characters; it serves a guess, and the engine takes a longer one all the same. */
const TEXT_MOST = 1_000_000;

type Build = { text: string; target?: string; args: Record<string, string | null> };

function reportedOf(model: AttachedService, config: any, read: (file: string) => string | null): DeclaredImage | null {
	const build = fileOf(model, config, read);
	return build && readDockerfile(build.text, build);
}

function fileOf(model: AttachedService, config: any, read: (file: string) => string | null): Build | null {
	const build = buildOf(model, config);
	if (!build?.context) return null;
	const text = build.dockerfile_inline ?? read(resolve(build.context, build.dockerfile ?? 'Dockerfile'));
	return text && text.length <= TEXT_MOST ? { text, target: build.target, args: build.args ?? {} } : null;
}

/** A whole name of an image, and not its tag alone. */
const ARGUMENT_ALONE = /^\$(?:\{(\w+)(?::?-[^}]*)?\}|(\w+))$/;

/**
 * Arguments of a build by which its Dockerfile takes the images that it begins with.
 * @returns the image by the argument
 */
export function baseArguments(model: AttachedService, config: any, read: (file: string) => string | null): Record<string, string> {
	const { text, args } = fileOf(model, config, read) ?? { text: '', args: {} };
	const into: Parameters<typeof take>[1] = { values: {}, stages: [], args };
	const found: Record<string, string> = {};
	for (const instruction of instructionsOf(text) as any[]) {
		take(instruction, into);
		const image = instruction.getKeyword() === 'FROM' ? (instruction.getImage() ?? '') : '';
		const [, inBraces, name = inBraces] = ARGUMENT_ALONE.exec(image) ?? [];
		if (name !== undefined) found[name] = withValues(image, into.values);
	}
	return found;
}

/** By their names, stages of its own among them. */
export const imagesIn: (model: AttachedService, config: any, read: (file: string) => string | null) => string[] = (...given) => [
	...Object.values(baseArguments(...given)),
	...[...(fileOf(...given)?.text ?? '').matchAll(/^[ \t]*FROM\s+(?:--\S+\s+)*(\S+)|\bfrom=([^\s,]+)/gim)].map(
		([, one, other]) => one ?? other,
	),
];

/** Its own, or that of the service whose image it runs. */
const buildOf = ({ service, image }: AttachedService, { services }: any) =>
	ownOf<any>(services, service)?.build ??
	Object.values<any>(services).find((other: any) => image !== '' && other.image === image && other.build)?.build;

/** @param build target: the stage that is wanted; the last unless given */
function readDockerfile(
	text: string,
	{ target, args = {} }: { target?: string; args?: Record<string, string | null> } = {},
): DeclaredImage {
	const values: Record<string, string> = {};
	const stages: Stage[] = [];
	for (const instruction of instructionsOf(text)) take(instruction, { values, stages, args });
	const stage = (target && stages.find(({ name }) => name === target.toLowerCase())) || stages.at(-1);
	return stage ?? { image: '', ports: [], command: [], environment: {} };
}

function take(
	instruction: any,
	{ values, stages, args }: { values: Record<string, string>; stages: Stage[]; args: Record<string, string | null> },
): void {
	const stage = stages.at(-1);
	const word = instruction.getKeyword();
	const filled = (given: string | null) => withValues(given ?? '', values);
	const words = () => wordsOf(instruction).map(filled);
	if (word === 'ARG') {
		// Without a value it takes up what stands before the first stage.
		for (const property of instruction.getProperties())
			values[property.getName()] = args[property.getName()] ?? (filled(property.getValue()) || ownOf(values, property.getName()) || '');
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

/** What is copied from the folder of a build into its image, in whichever stage. */
export const copiesIn = (text: string): { sources: string[]; target: string }[] =>
	instructionsOf(text).flatMap((instruction: any) => {
		if (!['COPY', 'ADD'].includes(instruction.getKeyword())) return [];
		if (instruction.getFlags().some((flag: Flag) => flag.getName() === 'from')) return [];
		const words = wordsOf(instruction);
		const target = words.pop();
		return target === undefined || words.length === 0 ? [] : [{ sources: words, target }];
	});

/** One that begins with another of the file has what that one has. */
function stageOf(image: string, name: string, stages: Stage[]): Stage {
	const before = stages.find((stage) => stage.name !== '' && stage.name === image.toLowerCase());
	const { ports = [], entrypoint = [], cmd = [], environment = {} } = before ?? {};
	const copied = { ports: [...ports], environment: { ...environment }, command: [...entrypoint, ...cmd] };
	return { name: name.toLowerCase(), image: before?.image ?? image, entrypoint, cmd, ...copied };
}

/** In brackets as JSON, else as a shell reads it. The parser's own strings of a list have lost their blanks. */
function wordsOf(instruction: any): string[] {
	try {
		const words = JSON.parse(instruction.getArgumentsContent());
		if (Array.isArray(words)) return words.map(String);
	} catch {
		// It is no JSON.
	}
	return instruction.getArguments().map((argument: Argument) => argument.getValue());
}

/** Of one over UDP nothing. */
function portIn(text: string): number[] {
	const [, port] = /^(\d{1,5})(?:\/tcp)?$/i.exec(text) ?? [];
	return port === undefined ? [] : [Number(port)];
}

/** Of all values in one text: each line may have twice that before. */
const VALUES_MOST = 4096;

function withValues(text: string, values: Record<string, string>) {
	let left = VALUES_MOST;
	return text.replace(/\$(?:\{(\w+)(?::?-([^}]{0,999}))?\}|(\w+))/g, (_, name, otherwise, plain) => {
		const value = ownOf(values, name ?? plain) || otherwise || '';
		left -= value.length;
		return left < 0 ? '' : value;
	});
}

/**
 * How a folder or file of this machine stands into which services of a user's system may write: how large it is, whether it is a
 * database's, and who has it open. It is only looked at.
 */
export type Look = {
	/** other: a socket, a device; null: not there */
	kindOf: (path: string) => 'folder' | 'file' | 'other' | null;
	/** in bytes; more than the most where it has more */
	sizeOf: (path: string, mostBytes: number) => number;
	/** whether a database's files lie in it */
	isStore: (path: string) => boolean;
	/** of networks that are not the lab's */
	takenSubnets: string[];
	isEmptyFolder: (path: string) => boolean;
	/** folder in which the engine has its volumes; empty where that is not known */
	volumesRoot: string;
	/** where something is mounted that stays writable in a read-only mount of what is above it */
	openMounts?: string[];
	/** of this machine, at which the engine listens; empty where that is not known */
	socket: string;
	/** where its links lead, as the engine sees it */
	real: (path: string) => string;
	/** of this program with containers: the engine is on this machine, and listens at a socket of it */
	sharesSockets: boolean;
	/** who has it open as a database, as a clause; null: nobody that is known */
	openBy: (path: string) => string | null;
};

/** by a running container that is none of the lab's */
type Mounted = { container: string; source: string };

/** Of a folder with more files than these it takes too long to look at all. */
export const ENTRIES_MOST = 200_000;
/** That each file takes at least. */
const BLOCK_BYTES = 4096;
/** https://man7.org/linux/man-pages/man5/proc_locks.5.html */
const LOCKS = '/proc/locks';
const LOCKED = /([0-9a-f]+:[0-9a-f]+:\d+)/;

/** @param engine what it tells */
export const lookWith = ({
	mounted = [],
	subnets = [],
	volumesRoot = '',
	socket = '',
	sharesSockets = true,
	openMounts = [],
}: {
	mounted?: Mounted[];
	subnets?: string[];
	volumesRoot?: string;
	socket?: string;
	sharesSockets?: boolean;
	openMounts?: string[];
} = {}): Look => ({
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

function kindOf(path: string): ReturnType<Look['kindOf']> {
	const found = statOf(path);
	if (found === undefined) return null;
	if (found.isDirectory()) return 'folder';
	return found.isFile() ? 'file' : 'other';
}

/** What cannot be looked into counts nothing. */
function sizeOfPath(path: Parameters<Look['sizeOf']>[0], mostBytes: Parameters<Look['sizeOf']>[1]): ReturnType<Look['sizeOf']> {
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

/** What a builder is sent of a folder, until it is too much, by the list of its Dockerfile, or of the folder where that is none of it. Of what it ignores plain names count, if nothing is taken back. */
export function sentOf(root: string, dockerfile: string | null, mostBytes: number) {
	const read = (path: string) => (leavesFolder(path) ? null : readIfThere(path));
	const text = (dockerfile === null ? null : read(`${resolve(root, dockerfile)}.dockerignore`)) ?? read(join(root, '.dockerignore')) ?? '';
	const plain = text.split('\n').filter((line) => !line.startsWith('#'));
	const left = new Set(/^[ \t]*!/m.test(text) ? [] : plain.map((line) => line.trim().replace(/^\/|\/$/g, '')));
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

function openBy(path: string, mounted: Mounted[]): string | null {
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

/** @returns null where it may not be looked into */
function entriesIn(path: string): Dirent[] | null {
	try {
		return readdirSync(path, { withFileTypes: true });
	} catch {
		return null;
	}
}

function filesIn(path: string): Found[] | null {
	const files = entriesIn(path)?.filter((entry) => entry.isFile());
	return files?.map(({ name }) => ({ name, bytes: sizeOf(join(path, name)) })) ?? null;
}

/** What is gone by now, or may not be asked for, is not there. */
function statOf(path: string) {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}

const sizeOf = (path: string) => statOf(path)?.size ?? 0;

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

/** Of each device number, as the kernel packs it. https://man7.org/linux/man-pages/man3/makedev.3.html */
function inodeOf(path: string) {
	const found = statOf(path);
	if (found === undefined) return 'none';
	const major = (found.dev >> 8) & 0xfff;
	const minor = (found.dev & 0xff) | ((found.dev >> 12) & 0xfff00);
	const hex = (number: number) => number.toString(16).padStart(2, '0');
	return `${hex(major)}:${hex(minor)}:${found.ino}`;
}
