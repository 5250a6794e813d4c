/**
 * Which load `doubletake init` proposes: a k6 script that lies there, else an OpenAPI document, else requests that were recorded for other
 * programs, else one request that is to be edited.
 */

import { readdirSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { readIfThere } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { lineWithCodes } from '../base/hidden-characters.ts';
import { hostOfEntry, LOAD_DEFAULTS, PROJECT_FILE, type ProjectLoad, placeholderFor, scriptTarget } from '../catalog/project-schema.ts';
import type { ChosenLoad } from '../target/chosen-load.ts';
import { urlHosts } from '../target/host-names.ts';
import { ITSELF, machineAddresses } from '../target/machine-addresses.ts';
import { requestsOf } from './load-requests.ts';
import { KINDS, recordedIn } from './recorded-requests.ts';

/**
 * entries: URLs; hosts: names by
 *   which users ask these; services: of the Compose file; places: what is published at the machine's ports
 */
type System = { entries: string[]; hosts?: string[]; services: string[]; places?: Record<string, string> };

const NAMED_MOST = 5;
/** Comments name pages of documentation; in a text `//` comes after a colon. One without an end goes to that of the text, so that none is looked for twice. */
const COMMENT = /\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|(?<![:\w'"`])\/\/.*$/gm;
/** A name that k6's own option `hosts` leads to the user's machine. */
const LED = /['"`]([\w.-]+)['"`]\s*:\s*['"`](?:127(?:\.\d+){3}|\[::1\]|::1|0\.0\.0\.0)(?::\d+)?['"`]/g;
/** Modules that k6 fetches are no addresses that it loads. */
const IMPORTED = /\b(?:from|import|require)\s*\(?\s*(['"])https?:[^'"]*\1/g;

/** What is said of files names them, and stays a line each. */
export function chooseLoad(candidates: Candidates, system: System): ChosenLoad {
	const { load, said } = chosenOf(candidates, system);
	return { load, said: said.map(lineWithCodes) };
}

function chosenOf({ scripts, documents, recordings }: Candidates, system: System): ChosenLoad {
	const said = [] as string[];
	for (const script of scripts) {
		const { outside, inside } = hostsOf(script.text, system);
		if (outside.length === 0) {
			const rest = others([...scripts, ...documents, ...recordings], script.file, said);
			return {
				load: { script: script.file },
				said: [
					`The load is ${script.file}: a k6 script${nearest(scripts, script)}.`,
					...elsewhere(script, inside, system),
					...said,
					...rest,
				],
			};
		}
		said.push(
			`? ${script.file} is a k6 script and was not taken as the load: it names ${outside.join(', ')}, outside of the run. Where it asks ${system.entries.join(', ')} alone, write script: ${script.file}.`,
		);
	}
	for (const document of documents) {
		const load = { openapi: document.file, ...LOAD_DEFAULTS };
		const found = countOf(load, document.text);
		if (typeof found === 'number') {
			const rest = others([...documents, ...recordings], document.file, said);
			const of = found === 1 ? 'one operation' : `${found} operations`;
			const why = `an OpenAPI document with ${of} that can be asked without harm`;
			return { load, said: [`The load is what ${document.file} describes: ${why}.`, ...said, ...rest] };
		}
		said.push(`? ${document.file} was not taken as the load: ${found}`);
	}
	for (const { file, text } of recordings) {
		const { title = '', urls = [], others: rest = 0 } = recordedIn(file, text) ?? {};
		if (urls.length === 0) {
			said.push(`? ${file} was not taken as the load: no request in it can be sent as it is without harm.`);
			continue;
		}
		const left = rest > 0 ? `; ${rest} others, which may change something or name somebody, are left out` : '';
		return {
			load: { urls, ...LOAD_DEFAULTS },
			said: [
				`The load is ${urls.length === 1 ? 'one request' : `${urls.length} requests`} of ${file}, ${title}${left}.`,
				...said,
				...others(recordings, file, said),
			],
		};
	}
	return {
		load: placeholderFor({ entry: system.entries }),
		said: [
			`The load is a placeholder, "GET /"${system.entries.length > 1 ? ' of each entry' : ''}, asked again and again: edit load.urls in ${PROJECT_FILE}. Nothing that could be the load was ${said.length > 0 ? 'taken' : 'found'}.`,
			...said,
		],
	};
}

const nearest = (all: Found[], one: Found) => (all.length > 1 && all[0] === one ? ', of several the nearest to the Compose file' : '');

function others(all: Found[], chosen: string, said: string[]): string[] {
	const names = all.map(({ file }) => file).filter((file) => file !== chosen && !said.some((text) => text.startsWith(`? ${file} `)));
	if (names.length === 0) return [];
	const shown = names.slice(0, NAMED_MOST).join(', ');
	return [
		`? It could also be ${shown}${names.length > NAMED_MOST ? ` or one of ${names.length - NAMED_MOST} more` : ''}: then name that under load.`,
	];
}

function elsewhere({ file, text }: Found, inside: string[], { entries: [entry], places = {} }: System): string[] {
	const own = machineAddresses(text, places);
	const moved = own.filter(({ place }) => place !== null).map(({ address, place }) => `What it asks of ${address} is asked of ${place}.`);
	const lost = own.some(({ place }) => place === null);
	const left = inside.filter((host) => lost || !ITSELF.test(host));
	if (left.length === 0) return moved;
	const what = left.some((host) => ITSELF.test(host))
		? 'to k6 in its container that is k6 itself'
		: 'so that its requests go past the entry';
	return [...moved, `? ${file} names ${left.join(', ')}: ${what}. Let it ask ${scriptTarget(entry)}, which it finds in __ENV.TARGET.`];
}

/** Hosts of its addresses, but for the entries' and those by which users ask them. */
export function hostsOf(text: string, { entries, hosts: named = [], services }: System): { outside: string[]; inside: string[] } {
	const known = services.map((service) => service.toLowerCase());
	// What is put together there is not known.
	const hosts = urlHosts(text.replace(IMPORTED, '').replace(COMMENT, '')).filter((host) => /^[\w.:-]+$/.test(host));
	const led = [...text.matchAll(LED)].map(([, host]) => host.toLowerCase());
	const asked = [...entries.map((entry) => hostOfEntry(entry).toLowerCase()), ...named, ...led];
	const others = [...new Set(hosts)].filter((host) => !asked.includes(host));
	const isInside = (host: string) => known.includes(host) || ITSELF.test(host);
	return { outside: others.filter((host) => !isInside(host)), inside: others.filter(isInside) };
}

/** how many requests it makes, or why none */
function countOf(load: ProjectLoad, text: string): number | string {
	try {
		return requestsOf(load, () => text).requests.length;
	} catch (error) {
		if (error instanceof NotReadyError) return error.problem.split('\n')[0];
		throw error;
	}
}

/**
 * What lies beside the Compose file and could be the load: k6 scripts, OpenAPI documents, and requests recorded for other programs. They are read and never run; links are not
 * followed. The nearest comes first, and of those that are equally near the one that is most likely meant by its name.
 */
/** file: as seen from the folder */
export type Found = { file: string; text: string };

type Candidates = { scripts: Found[]; documents: Found[]; recordings: Found[] };

await init;

/** Folders below the Compose file's. */
const DEPTH_MOST = 3;
/** Of files and folders that are looked at, in all: `init` takes a second. */
const ENTRIES_MOST = 5000;
const BYTES_MOST = 1 << 20;
/** A recording of a browser holds what was answered too. */
const RECORDING_BYTES_MOST = 64 << 20;
/** Of others, of builds, and of the lab. */
const LEFT_OUT = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', 'coverage', 'venv', '__pycache__', 'reports']);
const SCRIPTS = ['.js', '.mjs', '.ts'];
const DOCUMENTS = ['.yaml', '.yml', '.json'];
const RECORDINGS = ['.har', '.http', '.rest', '.json', '.xml'];
/** The likeliest first. */
const SCRIPT_NAMES = [/^load\.\w+$/, /^(k6|.*[._-]k6|k6[._-].*)\.\w+$/, /load|perf|bench|stress/, /smoke|spike|soak/];
const DOCUMENT_NAMES = [/^openapi\.\w+$/, /openapi/, /^swagger\.\w+$/, /swagger|api/];
/** At the first level of the document, in YAML and in JSON. */
const DESCRIBES_API = /^(?:\{?\s{0,4}"(?:openapi|swagger)"|(?:openapi|swagger))\s*:/m;
const NAMES_FUNCTION = /\bexec\s*:/;

/** @returns each in the order in which they are to be taken */
export function candidatesIn(folder: string): Candidates {
	const files = filesIn(folder);
	const readable = (endings: string[], is: (text: string, file: string) => boolean, most = BYTES_MOST) =>
		files
			.filter((file) => endings.includes(extname(file)) && !file.endsWith('.d.ts'))
			.flatMap((file) => {
				const text = readIfThere(join(folder, file), { mostBytes: most });
				return text !== null && is(text, file) ? [{ file, text }] : [];
			});
	return {
		scripts: readable(SCRIPTS, isScript).toSorted(byNearness(SCRIPT_NAMES)),
		documents: readable(DOCUMENTS, (text) => DESCRIBES_API.test(text)).toSorted(byNearness(DOCUMENT_NAMES)),
		recordings: KINDS.flatMap(({ is }) =>
			readable(RECORDINGS, (text, file) => is(file, text), RECORDING_BYTES_MOST).toSorted(byNearness([])),
		),
	};
}

/** @returns as seen from it, breadth first */
function filesIn(folder: string): string[] {
	const files = [] as string[];
	let looked = 0;
	let level = [''];
	for (let depth = 0; depth <= DEPTH_MOST && level.length > 0; depth += 1) {
		const next = [] as string[];
		for (const place of level) {
			for (const entry of entriesOf(join(folder, place))) {
				looked += 1;
				if (looked > ENTRIES_MOST) return files;
				const path = posix.join(place, entry.name);
				if (entry.isFile()) files.push(path);
				else if (entry.isDirectory() && !entry.name.startsWith('.') && !LEFT_OUT.has(entry.name)) next.push(path);
			}
		}
		level = next;
	}
	return files;
}

function entriesOf(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}

/** It sends requests, and has something that k6 could run. */
function isScript(text: string) {
	// The lexer takes long for what is no module of k6's anyway.
	if (!text.includes('k6/http')) return false;
	try {
		const [imports, exports] = parse(text);
		const names = exports.map(({ n }) => n);
		const sends = imports.some(({ n, d }) => n === 'k6/http' && d === -1);
		return sends && (names.includes('default') || (names.includes('options') && NAMES_FUNCTION.test(text)));
	} catch {
		// TypeScript is not read by it.
		return /^[ \t]*import\b[^;]*['"]k6\/http['"]/m.test(text) && /^export default\b/m.test(text);
	}
}

const byNearness: (names: RegExp[]) => (one: Found, other: Found) => number = (names) => (one, other) => {
	const rankOf = ({ file }: Found) => {
		const found = names.findIndex((pattern) => pattern.test(posix.basename(file).toLowerCase()));
		return [file.split('/').length, found < 0 ? names.length : found];
	};
	const [[depth, rank], [otherDepth, otherRank]] = [rankOf(one), rankOf(other)];
	return depth - otherDepth || rank - otherRank || (one.file < other.file ? -1 : 1);
};
