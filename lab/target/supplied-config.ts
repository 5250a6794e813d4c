/**
 * Reads what Compose makes of a user's files where something that they need is not there: a file of variables, or a value. What others
 * publish lacks these on purpose, and comes with an example of them. The user's files stay as they are.
 */

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isMap, parseDocument } from 'yaml';
import { NotReadyError } from '../base/errors.ts';
import { lineWithCodes } from '../base/hidden-characters.ts';
import { SECRET_NAME } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { runBounded, shell } from '../docker/bounded.ts';
import { composeWith, isObeyed, missingEnvFileIn, missingFileIn, missingVariableIn, readConfig, refusedOf } from '../docker/compose.ts';
import { projectSystem, type System } from '../docker/containers.ts';
import { makeScratch } from '../docker/scratch.ts';
import { type Changes, override, reset, together } from './compose-changes.ts';
import type { Away } from './dangers.ts';
import { exampleOf } from './example-file.ts';
import {
	type ForeignValue,
	foreignValues,
	placeOfUnset,
	type ReadFile,
	refuseForeign,
	unsetIn,
	withoutParts,
	withoutWords,
} from './foreign-files.ts';
import { withoutEnvFile } from './included-env.ts';
import { isOfPlace, isTag, likelyValue } from './made-up.ts';
import { changesText } from './overlay.ts';
import { follow, isWithin } from './real-path.ts';
import { secretValues } from './secret-values.ts';
import { escaped, followNamed, replacedIn, withVariableFiles } from './variable-files.ts';

/** what every later call of Compose has to be told too */
export type Supplies = {
	/** of `docker compose` */
	flags: string[];
	env: Record<string, string>;
	/** to the files */
	changes: Changes;
	/** of files, by their whole paths, without what Compose here is too old to know */
	copies?: Record<string, string>;
	/** a sentence each */
	said: string[];
};

/**
 * What a Compose file says that the Compose of this machine is too old to know. It refuses the whole file for that, so that it is given a copy
 * without it. Pure.
 */
/** path: of what the key stands in */
type Unknown = { file: string; path: string[]; key: string };

/** That came with 2.20 and later. https://docs.docker.com/reference/compose-file/ */
const NEWER = [
	...[
		'annotations',
		'attach',
		'develop',
		'gpus',
		'include',
		'interface_name',
		'label_file',
		'models',
		'post_start',
		'pre_stop',
		'provider',
	],
	...['entitlements', 'provenance', 'sbom', 'use_api_socket'],
];
/** In the place of what a provider makes: Compose wants an image, and hands nothing else on. */
const PROVIDED = 'doubletake-provided:';
const REFUSED = /validating (\S+): (\S+) additional propert(?:y|ies) '?([\w-]+)'?(?:,.*)? (?:is )?not allowed/i;

/**
 * @param words by which Compose refuses a file
 * @returns null where it is something else, or no version of Compose knows it
 */
function unknownIn(words: string): Unknown | null {
	const [, file, place, key] = REFUSED.exec(words) ?? [];
	if (key === undefined || !NEWER.includes(key)) return null;
	return { file, path: place === '(root)' ? [] : place.split('.'), key };
}

/**
 * @param text of the file
 * @returns without it, wherever it stands as there; null where it is not found
 */
function withoutKey(text: string, { path, key }: Pick<Unknown, 'path' | 'key'>): string | null {
	const document = parseDocument(text, { logLevel: 'silent' });
	const node = path.length === 0 ? document.contents : document.getIn(path, true);
	if (document.errors.length > 0 || !isMap(node) || !node.has(key)) return null;
	if (key === 'provider') {
		const type = String(document.getIn([...path, key, 'type']) ?? '');
		node.set('image', `${PROVIDED}${type.replace(/[^\w.-]/g, '') || 'unknown'}`);
	}
	node.delete(key);
	return document.toString({ lineWidth: 0 });
}

/**
 * What a provider makes is no container, as where Compose knows it.
 * @param config as Compose has resolved such copies
 */
function restoreProviders({ services = {} }: { services?: Record<string, any> }) {
	for (const found of Object.values(services)) {
		if (!found.image?.startsWith(PROVIDED)) continue;
		found.provider = { type: found.image.slice(PROVIDED.length) };
		delete found.image;
	}
}

/**
 * On the engine's own bridge are containers of anybody.
 * @returns services that were to be there
 */
function onOwnNetwork({ services = {} }: any): string[] {
	const names = Object.keys(services).filter((name) => /^(bridge|default)$/.test(services[name].network_mode ?? ''));
	for (const name of names) {
		delete services[name].network_mode;
		services[name].networks = { default: null };
	}
	return names;
}

const saidOfBridge = (names: string[]) =>
	names.length === 0 ? [] : [`On a network of the run, in place of the engine’s own bridge, on which others are: ${names.join(', ')}.`];

/**
 * @param version of Compose
 * @returns a sentence for each key
 */
const aboutNewer = (unknown: Unknown[], version: string): string[] =>
	[...new Set(unknown.map(({ key }) => key))].map((key) => {
		const places = unknown.filter((one) => one.key === key).map(({ path }) => path[1] ?? 'the file itself');
		return `${key} (${[...new Set(places)].join(', ')}): Compose ${version} does not know it, and the run is without.`;
	});

/** Each says one missing variable at a time. */
const TRIES_MOST = 40;
const READ_LIMIT_MS = 20_000;
/** Secrets in all: a folder's own files cannot take the room of what lies elsewhere. */
const FOREIGN_MOST = 4000;

const NOTHING: Supplies = { flags: [], env: {}, changes: {}, said: [] };

/**
 * @param read a file, by its whole path
 * @param permission by the user, by its path without links
 * @returns doubts: of Compose, a sentence each; named: the config, with the files of variables that its
 * services name; composed, taken: as followNamed has them, but for the run's own; variables: its outside; foreign: what files outside fill in
 * @throws {NotReadyError} when Compose refuses the files all the same, or one of variables is not to be read
 */
export async function readSupplied(
	given: Parameters<typeof projectSystem>[0],
	read: (file: string) => string | null,
	{ isAllowed = () => false }: { isAllowed?: (path: string) => boolean } = {},
): Promise<{
	config: any;
	supplies: Supplies;
	doubts: string[];
	named: any;
	composed: string[];
	taken: string[];
	variables: Away[];
	foreign: ForeignValue[];
}> {
	const isThere = (file: string) => read(file) !== null;
	const settingOf = settingsFor(given, read);
	const learn = learnFrom(given, read);
	learn({});
	const { real: own } = follow(given.folder);
	const named = given.files.map((file) => resolve(given.folder, file));
	const readAll = (paths: string[]): ReadFile[] =>
		[...new Set(paths)].flatMap((path) => {
			const [text, { real }] = [read(path), follow(path)];
			// What the command itself names its user knows.
			return text === null ? [] : [{ path, text, isOwn: isWithin(real, own) || isAllowed(real) || named.includes(path) }];
		});
	let supplies = beforehand(given, read);
	let bridged = [] as string[];
	const made = [] as string[];
	const scratch = await makeScratch('read');
	try {
		const unknown = [] as Unknown[];
		for (let tries = 0; ; tries += 1) {
			const doubts = [] as string[];
			const system = suppliedSystem({ ...given, files: await withFile(given.files, supplies.changes, scratch) }, supplies);
			const files = await followNamed(system, { folder: given.folder, read, scratch, isAllowed });
			const isOfUser = (file: string) => dirname(file) !== scratch && !Object.values(supplies.copies ?? {}).includes(file);
			const composed = [...new Set([...named, ...files.composed.filter(isOfUser)])];
			const taken = readAll(files.taken);
			const foreign = foreignValues(taken);
			secrets.learn(
				foreign.map(({ value }) => value),
				FOREIGN_MOST,
			);
			const found = await readConfig(system, {}, (doubt) => doubts.push(doubt)).catch((error) => error);
			const repaired =
				found instanceof Error && tries < TRIES_MOST
					? await repairedFor(found, { system, supplies, given, read, replaced: files.replaced })
					: null;
			if (repaired !== null) {
				unknown.push(...repaired.unknown);
				supplies = joined({ ...supplies, copies: repaired.copies }, { ...NOTHING, said: repaired.said });
				continue;
			}
			if (!(found instanceof Error)) {
				restoreProviders(found);
				bridged = onOwnNetwork(found);
			}
			const more = await moreFor(found, { supplies, doubts, settingOf, isThere, readNamed: () => readUnresolved(system, scratch) });
			if (more === null || tries === TRIES_MOST) {
				const filled = [...readAll(composed), ...taken];
				if (found instanceof Error) throw withoutWords(found, filled);
				learn(found);
				const whole = [...filled, ...readAll(files.variables)];
				const shown = made.map((name) => {
					const place = placeOfUnset(name, whole);
					return place === null ? name : `what stands behind a "$" in ${place}`;
				});
				const said = made.length > 0 ? [`Not set, and made up for the run: ${[...new Set(shown)].join(', ')}.`] : [];
				const newer = unknown.length > 0 ? aboutNewer(unknown, await composeVersion()) : [];
				files.refuseUnknown(found);
				refuseForeign('A name in the Compose file', secretValues(found, { shell: {}, env: '' }).names, foreign);
				return {
					config: found,
					named: withVariableFiles(found, files),
					supplies: { ...supplies, said: [...supplies.said, ...newer, ...said, ...saidOfBridge(bridged)].map(lineWithCodes) },
					doubts: [...new Set(doubts.map((doubt) => lineWithCodes(withoutParts(doubt, whole))))],
					...{ composed, taken: files.taken, variables: files.outside, foreign },
				};
			}
			made.push(...Object.keys(more.env));
			supplies = { ...joined(supplies, more), env: { ...supplies.env, ...more.env } };
		}
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

/**
 * What is still missing.
 * @param found what Compose made of the files, or its refusal
 */
async function moreFor(
	found: any,
	{
		supplies,
		doubts,
		settingOf,
		isThere,
		readNamed,
	}: {
		supplies: Supplies;
		doubts: string[];
		settingOf: (name: string) => string;
		isThere: (file: string) => boolean;
		readNamed: () => Promise<NamedFiles>;
	},
): Promise<Supplies | null> {
	if (found instanceof Error && missingEnvFileIn(found) !== null) {
		const more = ofEnvFiles(await readNamed(), isThere);
		return Object.keys(more.changes).length > 0 ? more : null;
	}
	const unset = doubts.flatMap(unsetIn);
	const names = [
		...new Set([...emptyOf(found, unset), ...unset.filter((name) => SECRET_NAME.test(name)), ...secretsUnset(found, settingOf)]),
	];
	// Others can do without.
	const obeyed = [...(found instanceof Error ? [missingVariableIn(found) ?? ''] : []), ...secretsUnset(found, settingOf)].find(isObeyed);
	if (obeyed !== undefined)
		throw new NotReadyError(
			`The Compose file: expected to need no variable that programs of this machine obey; found ${obeyed}.`,
			'set it in this shell if you mean it, or give it another name in the Compose file.',
		);
	const values = names.flatMap((name) => (Object.hasOwn(supplies.env, name) || isObeyed(name) ? [] : [[name, likelyValue(name)]]));
	return values.length > 0 ? { ...NOTHING, env: Object.fromEntries(values) } : null;
}

/** Variables that Compose, or the name of an image, cannot do without. */
function emptyOf(found: any, unset: string[]): string[] {
	if (found instanceof Error) {
		const required = missingVariableIn(found);
		return required === null ? unset.filter(isOfPlace) : [required];
	}
	const isUntagged = Object.values<any>(found.services ?? {}).some(({ image = '' }) => image.endsWith(':'));
	return isUntagged ? unset.filter(isTag) : [];
}

/** What Compose makes of the files with what is supplied, where variables of the shell are others. */
export async function readAgain(
	given: Parameters<typeof projectSystem>[0],
	supplies: Supplies,
	env: Record<string, string | undefined>,
): Promise<any> {
	const scratch = await makeScratch('read');
	try {
		const files = await withFile(given.files, supplies.changes, scratch);
		const found = await readConfig(suppliedSystem({ ...given, files }, supplies), env as any);
		onOwnNetwork(found);
		return found;
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

/** Of Compose's secrets, those that are variables. */
const secretsUnset = (found: any, settingOf: (name: string) => string): string[] =>
	found instanceof Error
		? []
		: Object.values<any>(found.secrets ?? {}).flatMap(({ environment = '' }) =>
				environment !== '' && settingOf(environment) === '' ? [environment] : [],
			);

async function withFile(files: string[], changes: Changes, scratch: string): Promise<string[]> {
	if (Object.keys(changes).length === 0) return files;
	const file = join(scratch, 'supplied.yaml');
	await writeFile(file, changesText(changes));
	return [...files, file];
}

/** By service. */
type NamedFiles = Record<string, { path: string; required?: boolean }[]>;

/** Files of variables, as Compose merges what the files say of them. */
async function readUnresolved(system: System, scratch: string): Promise<NamedFiles> {
	const { failed, stdout } = await composeWith(system, ['config', '--no-interpolate', '--format', 'json'], { limitMs: READ_LIMIT_MS });
	const services = Object.entries<any>((failed ? null : JSON.parse(stdout))?.services ?? {}).map(([service, found]) => ({
		service,
		named: [found?.env_file ?? []].flat().map((one) => (typeof one === 'string' ? { path: one } : one)),
	}));
	const texts = services.flatMap(({ named }) => named.map(({ path }) => path));
	const values = await replacedIn(system, texts, scratch);
	return Object.fromEntries(
		services.map(({ service, named }) => [service, named.map((one) => ({ ...one, path: values.get(one.path) ?? one.path }))]),
	);
}

/** What variables of the files are, as far as that is known without Compose. */
function settingsFor(
	{ folder, files, env = {} }: Parameters<typeof projectSystem>[0],
	read: (file: string) => string | null,
): (name: string) => string {
	const own = parseEnv(read(join(folderOf(folder, files), '.env')) ?? '');
	return (name) => env[name] || shell[name] || own[name] || '';
}

/** What is secret in the files is known before anything is said or kept of them. */
const learnFrom: (given: Parameters<typeof projectSystem>[0], read: (file: string) => string | null) => (config: any) => void =
	({ folder, files, env = {} }, read) =>
	(config) => {
		const { values, keys } = secretValues(config, { shell: { ...shell, ...env }, env: read(join(folderOf(folder, files), '.env')) ?? '' });
		secrets.exempt(keys);
		secrets.learn(values);
	};

/** Compose sees them all from the folder of the first. */
const folderOf: (folder: string, files: string[]) => string = (folder, files) => dirname(resolve(folder, files[0] ?? ''));

export function suppliedSystem(
	given: Parameters<typeof projectSystem>[0],
	{ flags, env, copies = {} }: Pick<Supplies, 'flags' | 'env' | 'copies'>,
): System {
	const files = given.files.map((file) => copies[resolve(given.folder, file)] ?? file);
	const system = projectSystem({ ...given, files, env: { ...env, ...given.env } });
	// A copy lies elsewhere than what its paths begin at.
	const place = Object.keys(copies).length > 0 ? ['--project-directory', folderOf(given.folder, given.files)] : [];
	return { ...system, flags: [...flags, ...place, ...system.flags] };
}

/** Files in the place of those that Compose refuses, for what can be done without. */
async function repairedFor(
	refusal: Error,
	{
		system,
		supplies: { copies = {} },
		given,
		read,
		replaced,
	}: {
		system: System;
		supplies: Supplies;
		given: Parameters<typeof projectSystem>[0];
		read: (file: string) => string | null;
		/** with variables replaced */
		replaced: (text: string) => string;
	},
): Promise<{ copies: Record<string, string>; unknown: Unknown[]; said: string[] } | null> {
	const files = given.files.map((file) => resolve(given.folder, file));
	const textOf = (file: string) => read(copies[file] ?? file) ?? '';
	const missing = missingFileIn(refusal);
	if (missing !== null) {
		const instead = exampleOf(missing, (file) => read(file) !== null);
		const about = { missing, instead, folder: folderOf(given.folder, given.files), replaced };
		for (const file of files) {
			const text = withoutEnvFile(textOf(file), about);
			if (text !== null) return { copies: await withCopy(copies, file, text), unknown: [], said: [aboutEnvFile(missing, instead)] };
		}
		return null;
	}
	// In its own words.
	const { failed, all } = await composeWith(system, ['config', '--quiet'], { limitMs: READ_LIMIT_MS });
	const key = failed ? unknownIn(String(all)) : null;
	const file = files.find((one) => (copies[one] ?? one) === key?.file);
	const text = key === null || file === undefined ? null : withoutKey(textOf(file), key);
	return key === null || file === undefined || text === null
		? null
		: { copies: await withCopy(copies, file, text), unknown: [key], said: [] };
}

const aboutEnvFile = (path: string, instead: string | null) =>
	`${basename(path)} (env_file) is not there: ${instead ? `${basename(instead)} is read in its place` : 'nothing is read in its place'}.`;

/** Of this process, and gone with it. */
let copiesFolder: Promise<string> | null = null;

async function withCopy(copies: Record<string, string>, file: string, text: string): Promise<Record<string, string>> {
	copiesFolder ??= makeScratch('files').then((made) => {
		process.once('exit', () => rmSync(made, { recursive: true, force: true }));
		return made;
	});
	const copy = join(await copiesFolder, `${createHash('sha256').update(file).digest('hex').slice(0, 12)}-${basename(file)}`);
	await writeFile(copy, text);
	return { ...copies, [file]: copy };
}

/** As it calls itself. */
async function composeVersion() {
	const { failed, stdout } = await runBounded('docker', ['compose', 'version', '--short'], { limitMs: READ_LIMIT_MS });
	return failed ? 'here' : String(stdout).trim();
}

/** What can be seen without Compose: an example of `.env` where that is not there. */
function beforehand(
	{ folder, files }: Pick<Parameters<typeof projectSystem>[0], 'folder' | 'files'>,
	read: (file: string) => string | null,
): Supplies {
	const file = join(folderOf(folder, files), '.env');
	const example = read(file) === null ? exampleOf(file, (one) => read(one) !== null) : null;
	const refused = refusedOf(Object.keys(parseEnv(read(example ?? file) ?? '')));
	const said = example === null ? [] : [`.env is not there: ${basename(example)} is read in its place.`];
	if (refused.length > 0)
		said.push(`.env sets ${refused.join(', ')}: empty in the run, because Docker’s programs obey it; set it in this shell if you mean it.`);
	const env = Object.fromEntries(refused.map((name) => [name, '']));
	return { ...NOTHING, flags: example === null ? [] : ['--env-file', example], env, said };
}

const joined: (one: Supplies, other: Supplies) => Supplies = (one, other) => ({
	...one,
	changes: together(one.changes, other.changes),
	said: [...new Set([...one.said, ...other.said])],
});

function ofEnvFiles(named: NamedFiles, isThere: (file: string) => boolean): Supplies {
	const services: [string, object][] = [];
	const said = new Set();
	for (const [service, all] of Object.entries(named)) {
		const missing = all.filter(({ path, required = true }) => required && !isThere(path));
		if (missing.length === 0) continue;
		const kept = all.flatMap((one) => {
			const inPlace = missing.includes(one) ? exampleOf(one.path, isThere) : one.path;
			if (inPlace !== one.path) said.add(aboutEnvFile(one.path, inPlace));
			return inPlace === null ? [] : [{ ...one, path: escaped(inPlace) }];
		});
		services.push([service, { env_file: kept.length > 0 ? override(kept) : reset() }]);
	}
	return {
		...NOTHING,
		changes: services.length > 0 ? { services: Object.fromEntries(services) } : {},
		said: [...(said as Set<string>)],
	};
}
