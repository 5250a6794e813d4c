/**
 * Files that Compose reads beside those that it is given: what they include and extend, and files of variables, of which the content gets into a
 * service's environment or into the files themselves. What Compose resolves says nothing of where that is from, so that its files are followed before
 * it reads them. What a variable in a name stands for Compose itself is asked, of a mirror of the files in which there is nothing but such names.
 */

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isSomethingAt } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { shellWord } from '../base/format-command.ts';
import { lineWithCodes } from '../base/hidden-characters.ts';
import { addedIn, documentsIn, refuseOdd } from '../catalog/alias-expansion.ts';
import { includesIn, isPlain, mayName, servicesIn } from '../catalog/compose-parts.ts';
import { composeWith } from '../docker/compose.ts';
import type { System } from '../docker/containers.ts';
import { literal } from './compose-changes.ts';
import type { Away } from './dangers.ts';
import { graveOf } from './grave-places.ts';
import { follow, isWithin } from './real-path.ts';

/** files that Compose reads as one: those that it is given, or those of one include */
type Part = {
	id: string;
	/** where their paths begin */
	from: string;
	files: string[];
	/** files of variables that it is given for them */
	variables: string[];
	/** that they include */
	parts: Part[];
	/** texts of which it is not known yet what they stand for */
	open: string[];
};

/** of a service, in one file */
type Definition = {
	file: string;
	/** only by another's word */
	isExtended: boolean;
	service: string;
	/** whole paths */
	variables: string[];
	extended: { files: string[]; service: string }[];
};

type Named = {
	/** whole paths of its files, however it comes by them */
	variablesOf: (service: string) => string[];
	/** whole paths of the Compose files */
	composed: string[];
	/** whole paths of files of variables for them */
	taken: string[];
	/** the same of those for services */
	variables: string[];
	/** files of variables that lie outside of the folder */
	outside: Away[];
	/** of what the given files include */
	replaced: (text: string) => string;
	/** throws where what Compose has made of them may be from elsewhere */
	refuseUnknown: (config: any) => void;
};
const PARTS_MOST = 500;
/** Names by variables, in files that are found by such names: each round finds those of the one before. */
const ROUNDS_MOST = 20;
const ASK_LIMIT_MS = 20_000;
/** Calls of Compose in a round; of thirty names with one that it refuses ten are needed. */
const ASKED_MOST = 40;
/** What Compose would get from elsewhere. https://docs.docker.com/reference/compose-file/include/ */
const REMOTE = /^([a-z][a-z\d+.-]*:\/\/|git@|github\.com\/)/i;

/**
 * @param system as Compose is called
 * @throws {NotReadyError} naming a file that is not to be read
 */
export async function followNamed(
	system: System,
	{
		isAllowed = () => false,
		...given
	}: {
		/** what lies in it is the user's own */
		folder: string;
		/** by its whole path */
		read: (file: string) => string | null;
		/** folder for what Compose is asked */
		scratch: string;
		/** by the user, by its path without links */
		isAllowed?: (path: string) => boolean;
	},
): Promise<Named> {
	const known: Map<string, string> = new Map();
	for (let round = 0; ; round += 1) {
		const { root, composed, doubts, definitions, taken } = followWith(system, { ...given, known, isAllowed });
		const values = !isOpen(root) ? null : round < ROUNDS_MOST ? await askCompose(system, root, given.scratch) : new Map();
		for (const [key, value] of values ?? []) known.set(key, value);
		if (values !== null && values.size > 0) continue;
		if (values !== null) doubts.push(`"${openIn(root)[0]}", of which Compose does not say what it stands for`);
		// Compose reads them with the rest, those of services that a run leaves out too.
		for (const { service, isExtended } of definitions)
			for (const path of isExtended ? [] : variablesOf(service, definitions))
				refuseGrave(VARIABLES, path, { folder: given.folder, isAllowed });
		const ofServices = definitions.flatMap(({ variables }) => variables);
		return {
			variablesOf: (service) => variablesOf(service, definitions),
			...{ composed, taken, variables: ofServices },
			outside: outsideOf([...taken, ...ofServices], given.folder),
			replaced: (text) => known.get(keyOf(root, text)) ?? text,
			refuseUnknown: (config) => (isAllowed('/') ? undefined : refuseUnknown(config, { definitions, doubts })),
		};
	}
}

/** Of a file that names no others, and whose services only Compose can read. */
const UNSEEN: Definition = { file: '', isExtended: true, service: '', variables: [], extended: [] };

function refuseUnknown({ services = {} }: any, { definitions, doubts }: { definitions: Definition[]; doubts: string[] }): void {
	const known = new Set(definitions.map(({ service }) => service));
	const unseen = definitions.includes(UNSEEN) ? [] : Object.keys(services).filter((service) => !known.has(service));
	const [doubt] = [
		...doubts,
		...unseen.map((service) => `the service ${service}, which stands in none of the files that could be followed`),
	];
	if (doubt === undefined) return;
	throw new NotReadyError(
		`The Compose file: expected to see which files it reads; found ${doubt}.`,
		'write include, extends and env_file plainly, with paths that have no variables, in a file of UTF-8; or allow all of it with --allow.',
	);
}

function outsideOf(paths: string[], folder: string): Away[] {
	const { real: own } = follow(folder);
	const found = paths.filter(isSomethingAt).map((path) => ({ path, real: follow(path).real }));
	// By a link it is named with that.
	const named = found
		.filter(({ real }) => !isWithin(real, own))
		.toSorted((one, other) => Number(one.path === one.real) - Number(other.path === other.real));
	return [...new Map(named.toReversed().map((one) => [one.real, one])).values()].toReversed();
}

function variablesOf(service: string, definitions: Definition[]): string[] {
	// A set gives what is added while it is walked.
	const open = new Set(definitions.filter((one) => one.service === service && !one.isExtended));
	for (const { file, extended } of open)
		for (const { files, service: name } of extended)
			for (const other of definitions)
				if (other.service === name && (files.length > 0 ? files.includes(other.file) : other.file === file || !other.isExtended))
					open.add(other);
	return [...new Set([...open].flatMap(({ variables }) => variables))];
}

const valuesOf = (flags: string[], name: string) => flags.flatMap((flag, at) => (flags[at - 1] === name ? [flag] : []));
const withoutFlags = (flags: string[], names: string[]) =>
	flags.filter((flag, at) => !names.includes(flag) && !names.includes(flags[at - 1]));

function rootOf({ cwd, flags }: System): Part {
	const files = valuesOf(flags, '--file').map((file) => resolve(cwd, file));
	const [place = dirname(files[0] ?? join(cwd, 'compose.yaml'))] = valuesOf(flags, '--project-directory').slice(-1);
	const variables = valuesOf(flags, '--env-file').map((file) => resolve(cwd, file));
	return { id: 'root', from: resolve(cwd, place), files, variables, parts: [], open: [] };
}

/**
 * As far as it is known what names stand for.
 * @returns taken: files of variables of parts
 */
function followWith(
	system: System,
	{
		folder,
		read,
		known,
		isAllowed,
	}: { folder: string; read: (file: string) => string | null; known: Map<string, string>; isAllowed: (path: string) => boolean },
): { root: Part; composed: string[]; doubts: string[]; definitions: Definition[]; taken: string[] } {
	const root = rootOf(system);
	const doubts = [] as string[];
	const definitions = [] as Definition[];
	const taken = [] as string[];
	const refuse = (what: string, paths: string[]) => {
		for (const path of paths) {
			refuseGrave(what, path, { folder, isAllowed });
			refuseOdd(path);
		}
		if (what === VARIABLES) taken.push(...paths);
	};
	refuse(VARIABLES, [join(root.from, '.env'), join(system.cwd, '.env'), ...root.variables]);
	const added: Map<string, number> = new Map();
	const parts = [root];
	for (const part of parts) {
		if (parts.length > PARTS_MOST) {
			doubts.push(`more than ${PARTS_MOST} files that are included`);
			break;
		}
		followPart(part, { read, known, added, doubts, definitions, refuse });
		parts.push(...part.parts);
	}
	return { root, composed: [...added.keys()], doubts, definitions, taken };
}

const VARIABLES = 'file of variables';
const COMPOSE_FILE = 'Compose file';

function refuseGrave(what: string, path: string, { folder, isAllowed }: { folder: string; isAllowed: (path: string) => boolean }): void {
	if (REMOTE.test(path))
		throw new NotReadyError(
			`The Compose file: expected each ${what} that it reads on this machine; found ${path}.`,
			'get it, and name the copy.',
		);
	const grave = graveOf(path, { writes: false, around: { folder } });
	if (grave === null || isAllowed(grave.path)) return;
	throw new NotReadyError(
		`${lineWithCodes(path)}: expected a ${what} of this system’s own; found ${lineWithCodes(grave.path)}: ${grave.why}.`,
		`write what the system needs into a file of its own; or add --allow=${shellWord(grave.path)} to the command, if its services may have that.`,
	);
}

function followPart(
	part: Part,
	{
		read,
		known,
		added,
		doubts,
		definitions,
		refuse,
	}: {
		read: (file: string) => string | null;
		known: Map<string, string>;
		/** by file, values that its aliases add; to which it adds */
		added: Map<string, number>;
		/** to which it adds */
		doubts: string[];
		/** to which it adds */
		definitions: Definition[];
		refuse: (what: string, paths: string[]) => void;
	},
) {
	const replaced = (text: string) => {
		const value = text.includes('$') ? known.get(keyOf(part, text)) : text;
		if (value === undefined) part.open.push(text);
		return value ?? [];
	};
	const waiting = part.files.map((file) => ({ file, isExtended: false }));
	const isNew = (file: string) => !waiting.some((one) => one.file === file);
	for (const { file, isExtended } of waiting) {
		const text = read(file);
		if (text === null) {
			if (isSomethingAt(file)) doubts.push(`${file}, which cannot be read`);
			continue;
		}
		const documents = documentsIn(file, text);
		const before = [...added].reduce((sum, [other, more]) => (other === file ? sum : sum + more), 0);
		added.set(file, addedIn(file, documents, before));
		if (!isPlain(text, documents)) {
			if (mayName(text)) doubts.push(`${file}, which Compose reads as another text than it seems to be`);
			definitions.push(UNSEEN);
		}
		// By its version Compose begins at the one or at the other.
		const places = [...new Set([part.from, dirname(file)])];
		for (const found of isExtended ? [] : documents.flatMap(includesIn)) {
			const [paths, variables] = [found.paths.flatMap(replaced), found.variables.flatMap(replaced)];
			const place = [replaced(found.place)].flat();
			if (paths.length < Math.max(found.paths.length, 1) || variables.length < found.variables.length || place.length === 0) continue;
			for (const way of waysTo(places)) part.parts.push(...partIn(part, { paths, variables, place: place[0], way, refuse }));
		}
		for (const { service, variables, extended } of documents.flatMap(servicesIn)) {
			const parents = extended.map((one) => {
				const files = [one.file ?? []].flat().flatMap(replaced);
				const whole = files.flatMap((path) => placed(path, places));
				refuse(COMPOSE_FILE, whole);
				waiting.push(...whole.filter(isNew).map((path) => ({ file: path, isExtended: true })));
				return [replaced(one.service)].flat().map((name) => ({ files: whole, service: name }));
			});
			const whole = variables.flatMap(replaced).flatMap((path) => placed(path, places));
			for (const path of whole) refuseOdd(path);
			definitions.push({ file, isExtended, service, variables: whole, extended: parents.flat() });
		}
	}
}

/** @returns none where no file of it is there, or it is known */
function partIn(
	{ id, parts }: Part,
	{
		paths,
		variables: named,
		place,
		way,
		refuse,
	}: {
		paths: string[];
		variables: string[];
		place: string;
		way: (path: string) => string;
		refuse: (what: string, paths: string[]) => void;
	},
): Part[] {
	const [files, variables] = [paths.map(way), named.map(way)];
	const at = place === '' ? dirname(files[0]) : way(place);
	refuse(COMPOSE_FILE, files);
	refuse(VARIABLES, [...variables, join(at, '.env')]);
	if (!files.some(isSomethingAt)) return [];
	const own = createHash('sha256')
		.update(JSON.stringify([id, files, variables, at]))
		.digest('hex');
	return parts.some((one) => one.id === own) ? [] : [{ id: own, from: at, files, variables, parts: [], open: [] }];
}

/** By its version, and by where a path stands, Compose takes a tilde for the home, with whatever is behind it. */
const waysTo: (places: string[]) => ((path: string) => string)[] = (places) =>
	[false, true].flatMap((hasHome) =>
		places.map((place) => (path) => {
			if (hasHome && path.startsWith('~')) return join(os.homedir(), path.slice(1));
			return isAbsolute(path) || REMOTE.test(path) ? path : resolve(place, path);
		}),
	);

const placed: (path: string, places: string[]) => string[] = (path, places) => [...new Set(waysTo(places).map((way) => way(path)))];

const keyOf = ({ id }: Part, text: string) => `${id} ${text}`;

const openIn = ({ open, parts }: Part): string[] => [...open, ...parts.flatMap(openIn)];
const isOpen = (part: Part) => openIn(part).length > 0;

/** @returns what each with a variable stands for in the given files, as far as Compose says it */
export async function replacedIn(system: System, texts: string[], scratch: string): Promise<Map<string, string>> {
	const root = { ...rootOf(system), open: texts.filter((text) => text.includes('$')) };
	const values = isOpen(root) ? await askCompose(system, root, scratch) : new Map();
	return new Map(texts.map((text) => [text, values.get(keyOf(root, text)) ?? text]));
}

/**
 * One text that Compose refuses, and need not take (`!reset`), would hide what the others stand for: then the half of them is asked.
 * @returns by keyOf, of those that Compose takes
 * @throws {NotReadyError} when it refuses too many
 */
async function askCompose(system: System, root: Part, scratch: string): Promise<Map<string, string>> {
	const known = [] as [string, string][];
	const waiting = [[...new Set(openIn(root))]];
	for (const [asked, texts] of waiting.entries()) {
		if (asked === ASKED_MOST)
			throw new NotReadyError(
				`The Compose file: expected names of files for which Compose says what they stand for; found many that it refuses, such as "${texts[0]}".`,
				'correct their variables, or leave them out.',
			);
		const found = await askAtOnce(system, withOpen(root, texts), scratch);
		const half = texts.length / 2;
		if (found !== null) known.push(...found);
		else if (half > 0.5) waiting.push(texts.slice(0, half), texts.slice(half));
	}
	return new Map(known);
}

const withOpen: (part: Part, texts: string[]) => Part = (part, texts) => ({
	...part,
	open: part.open.filter((text) => texts.includes(text)),
	parts: part.parts.map((one) => withOpen(one, texts)),
});

/**
 * Each part has a service in the mirror, whose labels are its open texts. It includes what the part includes, with the same files of variables, so that
 * Compose replaces each text as it would in its file.
 * @returns by keyOf; null where Compose refuses
 */
async function askAtOnce(system: System, root: Part, scratch: string): Promise<[string, string][] | null> {
	const parts = [root];
	for (const part of parts) parts.push(...part.parts.filter(isOpen));
	const fileOf = ({ id }: Part) => join(scratch, `mirror-${id}.json`);
	for (const part of parts) await writeFile(fileOf(part), JSON.stringify(mirrorOf(part, fileOf)));
	const flags = [
		...withoutFlags(system.flags, ['--file', '--project-directory']),
		...['--project-directory', root.from, '--file', fileOf(root)],
	];
	const { failed, stdout } = await composeWith({ ...system, flags }, ['config', '--format', 'json'], { limitMs: ASK_LIMIT_MS });
	if (failed) return null;
	const { services = {} } = JSON.parse(stdout);
	return parts.flatMap((part) =>
		part.open.flatMap((text, at) => {
			const value = services[serviceOf(part)]?.labels?.[at];
			return value === undefined ? [] : [[keyOf(part, text), literal(value)] as [string, string]];
		}),
	);
}

const serviceOf = ({ id }: Part) => `mirror-${id}`;

function mirrorOf(part: Part, fileOf: (part: Part) => string): object {
	const included = part.parts.filter(isOpen).map((one) => {
		// Compose refuses the files for one that is not there, too.
		const variables = one.variables.filter(isSomethingAt).map(escaped);
		return { path: fileOf(one), project_directory: escaped(one.from), ...(variables.length > 0 ? { env_file: variables } : {}) };
	});
	return {
		...(included.length > 0 ? { include: included } : {}),
		services: { [serviceOf(part)]: { image: 'mirror', labels: Object.fromEntries(part.open.map((text, at) => [String(at), text])) } },
	};
}

/** That Compose replaces nothing in it. */
export const escaped = (text: string) => text.replaceAll('$', '$$$$');

/**
 * @param config as Compose has resolved it
 * @returns with `env_file` of each service
 */
export function withVariableFiles(config: any, { variablesOf: filesOf }: Named): any {
	const services = Object.entries<any>(config.services ?? {}).map(([service, found]) => {
		const files = filesOf(service).map((path) => ({ path: escaped(path) }));
		return [service, files.length > 0 ? { ...found, env_file: files } : found];
	});
	return { ...config, services: Object.fromEntries(services) };
}
