/**
 * Variables of the environment that the source of a service reads and that say how many of something there are: nobody may have set them, and
 * then their program has a number of its own.
 */

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readIfThere } from '../base/bounded-file.ts';

export type ReadVariable = {
	name: string;
	/** the number that stands beside it; null where there is none */
	standard: string | null;
	/** text that it is compared with: to set it so turns what is the case without it */
	turns?: string;
	/** "main.py, line 7" */
	at: string;
};

/** Source files, in the languages whose ways to read a variable are known. */
const SOURCE = /\.(c?js|mjs|tsx?|py|rb|ru|go|java|kts?|scala|php|rs|cs|exs?|ya?ml|properties)$/i;
/** Folders of others' code, and of tests. */
const OTHERS = /^(node_modules|vendor|dist|build|target|venv|__pycache__|tests?|spec|\..*)$/;
/** The proof's own choices: a service has fewer files of its own, and a longer one was made by a program. */
const FILES_MOST = 400;
const DEPTH_MOST = 6;
const FILE_MOST_BYTES = 256 * 1024;

/**
 * Node's `env.POOL ?? 5`, `os.environ.get("POOL", "5")`, `ENV.fetch('POOL') { 5 }`, `os.Getenv("POOL")`, `getenv('POOL') ?: 5`, `${POOL:5}`.
 */
const READ =
	/(?:\bprocess[.]env[.]|\b(?:process[.]env|ENV|environ|\$_ENV|\$_SERVER)\[|\b[gG]etenv\(|\benviron\.get\(|\bENV\.fetch\(|\benv::var\(|\bGetEnvironmentVariable\(|\bSystem\.get_env\(|\$\{)\s*["'`]?(?<name>[A-Z][A-Z0-9_]{2,})["'`]?[\])]*(?:\s*(?:,|\|\||\?\?|\?:|:-?|\{)\s*["']?(?<standard>\d{1,9})\b)?(?:\s*[!=]==?\s*["'](?<turns>true|false|1|0|on|off|yes|no)["'])?/g;

/** @param file as a reader knows it */
const variablesIn = (text: string, file: string): ReadVariable[] =>
	[...text.matchAll(READ)].map(({ groups, index }) => ({
		name: groups?.name ?? '',
		standard: groups?.standard ?? null,
		...(groups?.turns === undefined ? {} : { turns: groups.turns }),
		at: `${file}, line ${text.slice(0, index).split('\n').length}`,
	}));

/**
 * @param places folders and files of this machine
 * @returns each name once, with a number where one stands beside it anywhere
 */
export function variablesOf(places: string[]): ReadVariable[] {
	const found: Map<string, ReadVariable> = new Map();
	for (const [path, name] of places.flatMap((place) => sourcesIn(place)).slice(0, FILES_MOST))
		for (const variable of variablesIn(readIfThere(path, { mostBytes: FILE_MOST_BYTES }) ?? '', name)) {
			const known = found.get(variable.name);
			if (known === undefined || (known.standard === null && variable.standard !== null)) found.set(variable.name, variable);
		}
	return [...found.values()];
}

/** Links lead elsewhere and are left. */
function sourcesIn(place: string, depth: number = 0, root: string = place): [path: string, name: string][] {
	if (SOURCE.test(place)) return [[place, relative(root, place) || (place.split('/').at(-1) ?? place)]];
	if (depth > DEPTH_MOST) return [];
	try {
		return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
			if (entry.isDirectory() && !OTHERS.test(entry.name)) return sourcesIn(join(place, entry.name), depth + 1, root);
			return entry.isFile() && SOURCE.test(entry.name) ? sourcesIn(join(place, entry.name), depth, root) : [];
		});
	} catch {
		return [];
	}
}
