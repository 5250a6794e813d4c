/**
 * Prepares a user's own k6 script: the text of a module that k6 runs in its place, and the few of its files of which k6 gets a
 * changed copy. Pure: it reads through a function that it is given, and writes nothing.
 *
 * The wrapper exports what the script exports, with the lab's part in options, setup, teardown and handleSummary (k6/lib/user-options.js
 * says which of both wins). It goes to k6 by its standard input (`k6 run -`) in the folder of the script, because k6 finds what
 * `k6/net/grpc` and `k6/experimental/fs` load by the folder of the module that it runs (js/common/initenv.go:28), and the script's
 * folder is not to get a file of ours. Everything else is found by the module that asks for it, so the script's folders are to be
 * mounted under the paths that they have, and the changed copies over the files that they stand for.
 */

import { posix } from 'node:path';
import type { LoadChange } from '../../k6/lib/changed-load.js';
import { NotReadyError } from '../base/errors.ts';
import { readModule } from './script-module.ts';

export type ScriptModule = {
	/** to run; the same as it was where nothing had to be replaced */
	text: string;
	isChanged: boolean;
	/** specifiers, of statements */
	imports: string[];
	/** specifiers, of `require`; some may be in comments */
	requires: string[];
	/** paths of data that are written out; some may be in comments */
	opens: string[];
	/** that it seems to use */
	pageMethods: string[];
	/** it seems that it may end the load */
	aborts: boolean;
	/** why it could not be read; empty where it could. It is then left as it is: k6 will say more. */
	problem: string;
};

/** Where the lab's k6 folder is in the container of k6 (compose/base.yaml). */
const LAB = '/scripts/k6';
/** Far above any script; a bound for the walk. */
const MODULES_MOST = 1000;
const TYPESCRIPT = /\.[cm]?ts$/;

/** Modules of k6 whose requests do not pass through `k6/http`. */
const WITHOUT_IDS = [/^k6\/ws$/, /^k6\/(experimental\/)?websockets$/, /^k6\/(net|experimental)\/grpc$/, /^k6\/browser$/, /^k6\/x\//];

type AttachedScript = {
	/** that k6 is to run */
	wrapper: string;
	/** to be mounted over the files that they stand for */
	changed: { path: string; text: string }[];
	/** of the script: its modules, and data whose paths are written out in them, whether they are there or not */
	files: string[];
	/** what its modules import and open, each with the file and the line that name it; where k6 would find it */
	references: { path: string; from: string; line: number }[];
	/** modules that k6 fetches from the network */
	remote: string[];
	/** a sentence for each thing that the lab will not see, and why */
	notes: string[];
};

/** @throws {NotReadyError} when a file of the script is not there */
export function attachScript({
	entry,
	read,
	lab = LAB,
	change,
}: {
	/** path of the script, absolute */
	entry: string;
	/** the text of a file; null where there is none */
	read: (path: string) => string | null;
	/** where the lab's k6 folder is in the container */
	lab?: string;
	/** what of the load is otherwise than the script has it */
	change?: LoadChange;
}): AttachedScript {
	refuseArchive(entry);
	const modules = modulesOf(entry, read, `${lab}/lib/user-k6.js`);
	const all = [...modules.values()];
	const imported = [...new Set(all.flatMap(({ imports, requires }) => [...imports, ...requires]))].sort();
	const references = [...modules].flatMap(([path, module]) => referencesIn(path, module));
	const data = [...modules].flatMap(([path, { opens }]) => opens.map((opened) => pathFrom(path, opened)));
	const files = [...new Set([...modules.keys(), ...data])].sort();
	return {
		wrapper: wrapperText(entry, { lab, aborts: all.some(({ aborts }) => aborts), change }),
		changed: [...modules].filter(([, { isChanged }]) => isChanged).map(([path, { text }]) => ({ path, text })),
		files,
		references,
		remote: imported.filter(isRemote),
		notes: notesOf(modules, imported),
	};
}

/**
 * @param entry path of the script, absolute
 * @param given lab: where the lab's k6 folder is
 * in the container; aborts: the script may end its load
 */
function wrapperText(entry: string, { lab = LAB, aborts = false, change }: { lab?: string; aborts?: boolean; change?: LoadChange } = {}) {
	// k6 reads a specifier as a part of a URL.
	const script = JSON.stringify(encodeURI(entry).replace(/[?#]/g, encodeURIComponent));
	return `// Made around a k6 script, which is unchanged: what it exports, with ids, counters and Doubletake's summary.
// First, because they replace functions that the script calls.
import '${lab}/lib/user-http.js';
import '${lab}/lib/user-k6.js';
import { userOptions, userSetup, userSummary, userTeardown } from '${lab}/lib/user-script.js';
import * as script from ${script};

export * from ${script};
export default script.default;
export const options = userOptions(script${aborts || change ? `, ${aborts}` : ''}${change ? `, ${JSON.stringify(change)}` : ''});
export const setup = userSetup(script);
export const teardown = userTeardown(script);
export const handleSummary = userSummary(script, __ENV.RECORD_FOLDER);
`;
}

/** @throws {NotReadyError} */
function refuseArchive(entry: string) {
	if (!entry.endsWith('.tar')) return;
	throw new NotReadyError(
		`The k6 script: expected a module (.js or .ts); found the archive "${entry}".`,
		'name the script that it was made of.',
	);
}

/** @returns by path */
function modulesOf(entry: string, read: (path: string) => string | null, replacement: string): Map<string, ScriptModule> {
	const modules: Map<string, ScriptModule> = new Map();
	const waiting = [{ path: entry, from: '', isCertain: true }];
	for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
		const { path, from, isCertain } = next;
		if (modules.has(path)) continue;
		if (modules.size === MODULES_MOST) throw tooMany(entry);
		const source = read(path);
		if (source === null) {
			if (isCertain) throw missing(path, from);
			continue;
		}
		const module = readModule(source, replacement);
		modules.set(path, module);
		// k6 drops imports of types alone, whose files it never looks for.
		const isComplete = !TYPESCRIPT.test(path);
		for (const specifier of module.imports.filter(isLocal))
			waiting.push({ path: pathFrom(path, specifier), from: path, isCertain: isComplete });
		for (const specifier of module.requires.filter(isLocal))
			waiting.push({ path: pathFrom(path, specifier), from: path, isCertain: false });
	}
	return modules;
}

const missing = (path: string, from: string) =>
	new NotReadyError(
		from === ''
			? `The k6 script: expected a file at "${path}"; found none.`
			: `The k6 script: "${from}" imports "${path}"; found no such file.`,
		'correct the path; k6 wants the whole name, with its ending.',
	);

const tooMany = (entry: string) =>
	new NotReadyError(
		`The k6 script: expected at most ${MODULES_MOST.toLocaleString('en-US')} files; "${entry}" imports more.`,
		'bundle it into one file first, as with esbuild.',
	);

function referencesIn(from: string, { text, imports, requires, opens }: ScriptModule): AttachedScript['references'] {
	const lines = text.split('\n');
	return [...[...imports, ...requires].filter(isLocal), ...opens].map((specifier) => ({
		path: pathFrom(from, specifier),
		from,
		// It stands in quotes there, on the line that it has in the file too.
		line: lines.findIndex((line) => line.includes(specifier)) + 1,
	}));
}

const isLocal = (specifier: string) => /^(\.{0,2}\/|file:\/\/\/)/.test(specifier);

const isRemote = (specifier: string) => specifier.startsWith('https://');

/** @param path of a module */
const pathFrom = (path: string, specifier: string) => posix.resolve(posix.dirname(path), specifier.replace(/^file:\/\//, ''));

function notesOf(modules: Map<string, ScriptModule>, imported: string[]): string[] {
	const unseen = imported
		.filter((specifier) => WITHOUT_IDS.some((pattern) => pattern.test(specifier)))
		.map((specifier) => `${specifier}: its requests carry no id and are not placed.`);
	const methods = [...new Set([...modules.values()].flatMap(({ pageMethods }) => pageMethods))].map(
		(method) => `response.${method}(): its requests carry no id and are not placed.`,
	);
	const remote = imported
		.filter(isRemote)
		.map((url) => `${url}: k6 fetches it; its requests are counted, and checks that it makes itself are counted by k6 alone.`);
	const unread = [...modules]
		.filter(([, { problem }]) => problem !== '')
		.map(([path, { problem }]) => `${path}: could not be read (${problem}); its checks are counted by k6 alone.`);
	return [...unseen, ...methods, ...remote, ...unread];
}
