/**
 * Reads the text of an OpenAPI document, YAML or JSON, in a time that grows with its length. Pure.
 */

import type { Document } from 'yaml';
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { NotReadyError } from '../base/errors.ts';

/** Characters; 100,000 paths have some 20 million. */
const TEXT_MOST = 100_000_000;
/** The parser takes more than 100 bytes for each: with more, memory would run out and the program with it. */
const YAML_MOST = 10_000_000;
/** Each takes some 10 kB as well. */
const YAML_PATHS_MOST = 20_000;
const PATH = /(?<![^\s,])["']?\/[^\s:,]*:/g;

/** @throws {NotReadyError} when it is neither, or too long */
export function readOpenApiText(text: string): unknown {
	if (text.length > TEXT_MOST) throw refusal(`at most ${TEXT_MOST / 1e6} MB`, `${(text.length / 1e6).toFixed(1)} MB`);
	const read = jsonIn(text);
	if (read !== null) return read;
	if (text.length > YAML_MOST)
		throw refusal(`at most ${YAML_MOST / 1e6} MB of YAML`, `${(text.length / 1e6).toFixed(1)} MB`, 'write it as JSON.');
	const paths = text.match(PATH)?.length ?? 0;
	if (paths > YAML_PATHS_MOST)
		throw refusal(`at most ${YAML_PATHS_MOST} paths in YAML`, String(paths), 'write it as JSON, or leave out some.');
	return yamlIn(text);
}

/**
 * Many times faster than as YAML, which it is too.
 * @returns null where it is none
 */
function jsonIn(text: string): unknown {
	try {
		return /^\s*\{/.test(text) ? JSON.parse(text) : null;
	} catch {
		return null;
	}
}

function yamlIn(text: string): unknown {
	const lines = new LineCounter();
	// The parser compares each name with all others of its mapping.
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
	const lineOf = (at: number) => `line ${lines.linePos(at).line}`;
	const [fault] = document.errors;
	if (fault !== undefined) throw refusal('YAML or JSON', `what is neither: ${fault.message} (${lineOf(fault.pos[0])})`);
	const twice = nameGivenTwice(document);
	if (twice !== null) throw refusal('each name once in its mapping', `${JSON.stringify(twice.name)} twice (${lineOf(twice.at)})`);
	try {
		return document.toJS();
	} catch (error) {
		throw refusal('YAML or JSON', `what is neither: ${(error as Error).message}`);
	}
}

function nameGivenTwice(document: Document): { name: unknown; at: number } | null {
	let found: { name: unknown; at: number } | null = null;
	visit(document, {
		Map: (_, { items }) => {
			const seen = new Set();
			for (const { key } of items) {
				if (!isScalar(key)) continue;
				if (seen.has(key.value)) found = { name: key.value, at: key.range?.[0] ?? 0 };
				seen.add(key.value);
			}
			return found === null ? undefined : visit.BREAK;
		},
	});
	return found;
}

const refusal = (expected: string, found: string, remedy: string = 'correct it there.') =>
	new NotReadyError(`The OpenAPI document: expected ${expected}; found ${found}.`, remedy);
