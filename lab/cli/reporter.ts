/**
 * Where a command's words and its result go. For people the words are on standard output, and the result is in them. With --json standard
 * output has one JSON object, the result or the error, and nothing else; the words are on standard error.
 *
 * Everything that is printed goes through here, and through one filter (base/printable.ts): much of it was written by programs under test.
 */

import { inspect } from 'node:util';
import { EXIT, errorRecord, LabError } from '../base/errors.ts';
import { printable, printableJson } from '../base/printable.ts';
import type { Reporter } from '../base/progress.ts';
import { createProgress } from './progress.ts';

export type Output = { write: (text: string) => unknown };

const INTERRUPTED = { error: { message: 'interrupted' } };

export type OpenLine = typeof import('log-update').createLogUpdate;

/** @param given openLine: of where the words go, where that is a terminal */
export function createReporter({ json, out, err, openLine }: { json: boolean; out: Output; err: Output; openLine?: OpenLine }): Reporter {
	const words = json ? err : out;
	let result: object | null = null;
	return {
		progress: createProgress(words, openLine),
		tell: (text) => void words.write(printable(text)),
		give(found) {
			result = found;
		},
		fail(error, { isShown = false } = {}) {
			if (!isShown) err.write(`error: ${printable(error instanceof LabError ? error.message : inspect(error))}\n`);
			result = { error: errorRecord(error) };
		},
		end(exitCode) {
			if (json) out.write(`${printableJson(result ?? (exitCode === EXIT.interrupted ? INTERRUPTED : {}))}\n`);
		},
	};
}

/** What a reporter of this process writes to. Whether JSON is wanted is known before its command line is taken apart, which may fail. */
export async function processOutputs() {
	const json = process.argv.includes('--json');
	const [out, err] = [process.stdout, process.stderr];
	// What moves the cursor takes 70 ms to load.
	const openLine = (json ? err : out).isTTY ? (await import('log-update')).createLogUpdate : undefined;
	return { json, out, err, openLine };
}
