/**
 * How much a user's YAML becomes when each alias is replaced by what it stands for. Compose replaces them all before it looks at the rest:
 * nine lines with ten aliases of the line before each would take it minutes and all of the memory.
 */

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Document } from 'yaml';
import { isAlias, isCollection, isPair } from 'yaml';
import { isSomethingAt, readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { documentsOf, includesIn, servicesIn } from './compose-parts.ts';

/**
 * Values that aliases may stand for in all files of a system together. Compose 2.26 took 40 us and 1.5 KB for each on two cores of an AMD EPYC;
 * two hundred services that share fifty lines have 20,000.
 */
const ADDED_MOST = 100_000;
const FILE_MOST_BYTES = 10e6;
const FILES_MOST = 500;
/** Of the reader. */
const TOO_DEEP = 'RESOURCE_EXHAUSTION';

/**
 * Of the files that Compose would be given, and of those that they include or extend as far as their names stand there. It reads the files of
 * variables too, and would wait for a pipe.
 * @param folder in which Compose is called
 * @returns whole paths of all of them
 * @throws {NotReadyError} naming the file
 */
export function refuseExpansion(folder: string, files: string[]): string[] {
	const waiting = files.map((file) => resolve(folder, file));
	const seen = new Set(waiting);
	let added = 0;
	refuseOdd(join(folder, VARIABLES));
	for (const file of waiting) {
		const text = readText(file, { mostBytes: FILE_MOST_BYTES });
		// Compose says better what is wrong with one that is not there.
		if (text === null) continue;
		const documents = documentsIn(file, text);
		added += addedIn(file, documents, added);
		const named = documents.map(namedIn);
		const placesOf = (name: string) => [resolve(dirname(file), name), resolve(folder, name)];
		refuseOdd(join(dirname(file), VARIABLES));
		for (const path of named.flatMap(({ variables }) => variables).flatMap(placesOf)) refuseOdd(path);
		for (const path of named.flatMap(({ parts }) => parts).flatMap(placesOf))
			if (!seen.has(path) && isSomethingAt(path) && !isFolder(path)) {
				seen.add(path);
				waiting.push(path);
			}
		if (waiting.length > FILES_MOST)
			throw new NotReadyError(
				`The Compose file: expected at most ${FILES_MOST} files that it includes or extends; found more.`,
				'leave some out.',
			);
	}
	return waiting;
}

/** In the folder of each Compose file. */
const VARIABLES = '.env';

/** A program can be given no longer one (execve(2)). */
const VALUE_MOST = 131_072;
/** Of another. */
const VALUE_LIKELY = 1024;
const VARIABLE = /^\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(["']?)(.*)$/;

/**
 * A folder in the place of a file Compose tells by itself. Of forty lines, each with twice the value before, Compose 2.26 took 7 GB in 20 s.
 * @throws {NotReadyError} when a file of variables is none that ends, or a value of it
 */
export function refuseOdd(path: string) {
	if (!isSomethingAt(path) || isFolder(path)) return;
	const lengths: Map<string, number> = new Map();
	let [open, quote] = ['', ''];
	for (const line of readText(path, { mostBytes: FILE_MOST_BYTES })?.split('\n') ?? []) {
		const [, name = open, mark = '', rest = ''] = VARIABLE.exec(line) ?? [];
		const named = [...line.matchAll(/\$\{?(\w+)/g)].map(([, other]) => lengths.get(other) ?? VALUE_LIKELY);
		// Within quotes a line may look like one.
		for (const one of new Set([name, open])) {
			const length = named.reduce((sum, more) => sum + more, line.length + (one === open ? (lengths.get(one) ?? 0) : 0));
			if (one !== '' && named.length > 0 && length > VALUE_MOST)
				throw new NotReadyError(
					`${path}: expected values of at most 131,072 bytes; found ${one}, which others make longer.`,
					'shorten it.',
				);
			lengths.set(one, length);
		}
		if (quote !== '') [open, quote] = line.includes(quote) ? ['', ''] : [open, quote];
		else if (mark !== '' && !rest.includes(mark)) [open, quote] = [name, mark];
	}
}

const isFolder = (path: string) => {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
};

/** as far as they can be read; of what is wrong in them Compose tells the line */
export function documentsIn(file: string, text: string): Document[] {
	const documents = documentsOf(text);
	// What is deeper than the reader goes is left out by it, and could hold anything.
	if (documents.some(({ errors }) => errors.some(({ code }) => code === TOO_DEEP)))
		throw new NotReadyError(`${file}: expected a Compose file; found values within values, deeper than can be read.`, 'correct it.');
	return documents;
}

/**
 * @param documents of it
 * @param before that others have
 * @returns values that there are more when each alias is replaced
 * @throws {NotReadyError} when they are too many, together with those
 */
export function addedIn(file: string, documents: Document[], before: number = 0): number {
	const added = documents.reduce((sum, { contents }) => sum + addedByAliases(contents), 0);
	if (before + added > ADDED_MOST) throw tooMuch(file, before + added);
	return added;
}

/**
 * How many values there are more when each alias is replaced.
 * @param contents of a document
 * @returns infinite where an alias is within what it stands for
 */
function addedByAliases(contents: unknown): number {
	const sizes: Map<string, number> = new Map();
	let added = 0;
	const sizeOf: (node: any) => number = (node) => {
		if (isAlias(node)) {
			// One that stands for nothing is refused by whoever reads the file.
			const size = sizes.get(node.source) ?? 1;
			added += size - 1;
			return size;
		}
		if (node?.anchor) sizes.set(node.anchor, Number.POSITIVE_INFINITY);
		const parts: any[] = isCollection(node) ? node.items.flatMap((item) => (isPair(item) ? [item.key, item.value] : [item])) : [];
		const size = parts.reduce((sum, part) => sum + sizeOf(part), 1);
		if (node?.anchor) sizes.set(node.anchor, size);
		return size;
	};
	sizeOf(contents);
	return added;
}

/**
 * As they are written; those with variables in them are looked at when Compose has said what they stand for.
 * @returns parts: Compose files; variables: files of variables and labels
 */
function namedIn(document: Document): { parts: string[]; variables: string[] } {
	const [included, services] = [includesIn(document), servicesIn(document)];
	const isName = (name: string | null) => name !== null && !name.includes('$') && !name.includes('\0');
	return {
		parts: [
			...included.flatMap(({ paths }) => paths),
			...services.flatMap(({ extended }) => extended.flatMap(({ file }) => file ?? [])),
		].filter(isName),
		variables: [...included, ...services].flatMap(({ variables }) => variables).filter(isName),
	};
}

const tooMuch = (file: string, added: number) =>
	new NotReadyError(
		`${file}: expected aliases (*name) that stand for at most ${ADDED_MOST.toLocaleString('en-US')} values together; found ${
			Number.isFinite(added) ? `some that stand for ${added.toLocaleString('en-US')}` : 'one that stands within itself'
		}.`,
		'write out what aliases of aliases stand for, or leave it out.',
	);

/**
 * Of a file that the lab reads itself, within the same bound.
 * @returns what it says
 * @throws {NotReadyError}
 */
export function valueIn(file: string, document: Document): any {
	const added = addedByAliases(document.contents);
	if (added > ADDED_MOST) throw tooMuch(file, added);
	try {
		return document.toJS({ maxAliasCount: -1 });
	} catch (error) {
		if (!(error instanceof ReferenceError)) throw error;
		throw new NotReadyError(`${file}: expected each alias (*name) to stand for something; found: ${error.message}.`, 'correct its name.');
	}
}
