/**
 * Where a command's words and its result go. For people the words are on standard output, and the result is in them. With --json standard
 * output has one JSON object, the result or the error, and nothing else; the words are on standard error.
 *
 * Everything that is printed goes through here, and through one filter (base/printable.ts): much of it was written by programs under test.
 *
 * @typedef {object} Reporter
 * @property {Progress} progress  lines on the way
 * @property {(text: string) => void} tell     words, as they are
 * @property {(found: object) => void} give    what the command found, as far as it got; what is given last counts
 * @property {(error: Error, options?: { isShown?: boolean }) => void} fail  what ended the command: a mistake of the lab's own is shown with its
 *   trace; isShown: whoever made it has said it
 * @property {(exitCode: number) => void} end  the last call, once
 *
 * @typedef {{ reporter: Reporter, signal: AbortSignal }} Around  what a command that measures is handed; signal: aborts when its user interrupts
 * @typedef {{ write: (text: string) => unknown }} Output
 */

import { inspect } from 'node:util';
import { EXIT, errorRecord, LabError } from '../base/errors.ts';
import { printable, printableJson, printableLine } from '../base/printable.ts';

const INTERRUPTED = { error: { message: 'interrupted' } };

/** @typedef {typeof import('log-update').createLogUpdate} OpenLine */

/**
 * @param {{ json: boolean, out: Output, err: Output, openLine?: OpenLine }} given  openLine: of where the words go, where that is a terminal
 * @returns {Reporter}
 */
export function createReporter({ json, out, err, openLine }) {
	const words = json ? err : out;
	/** @type {object | null} */
	let result = null;
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

/*
 * The live line on a terminal, plain lines elsewhere.
 */

const PLAIN_EVERY_S = 5;

/**
 * @typedef {object} LoadStatus
 * @property {string} stage           what is going on, in words: in the seconds that the figures are of
 * @property {number | null} users
 * @property {number | null} [usersMost]  where nobody knows how many there are at a time, how many there are at most; null of a load at a rate
 * @property {number | null} rps
 * @property {number | null} p95Ms    of all requests that ended in these seconds
 * @property {number | null} failureRate 0 to 1, of the same
 * @property {number} leftS           seconds until the load ends
 * @property {boolean} [isLongest]    it may end before
 * @property {number | null} [nowS]   seconds since the load began; negative in the warm-up, null before k6 began
 * @property {[from: number, to: number] | null} [ofS]  of the load, that stage, users and figures are of; null without figures
 */

/** @param {Output} out @param {OpenLine} [openLine] */
function createProgress(out, openLine) {
	let lastPlainS = Number.NEGATIVE_INFINITY;
	const live = openLine?.(/** @type {NodeJS.WritableStream} */ (out));
	return {
		/** A line that stays. @param {string} text */
		say(text) {
			live?.clear();
			out.write(`  ${printable(text)}\n`);
		},
		/** @param {LoadStatus} status */
		load(status) {
			const line = printableLine(formatStatus(status));
			if (live) {
				live(line);
				return;
			}
			if (status.leftS > lastPlainS - PLAIN_EVERY_S && status.leftS <= lastPlainS) return;
			lastPlainS = status.leftS;
			out.write(`${line}\n`);
		},
		done() {
			live?.clear();
		},
	};
}

/** @typedef {ReturnType<typeof createProgress>} Progress */

/** @param {LoadStatus} status */
function formatStatus({ stage, users, usersMost, rps, p95Ms, failureRate, leftS, isLongest = false }) {
	const cell = (/** @type {number | null} */ value, /** @type {(value: number) => string} */ format) =>
		value === null ? '–' : format(value);
	return [
		`  ${stage.padEnd(22)}`,
		...(usersMost === undefined ? [`${cell(users, (value) => value.toLocaleString('en-US')).padStart(5)} users`] : []),
		...(typeof usersMost === 'number' ? [`at most ${usersMost.toLocaleString('en-US')} users`] : []),
		`${cell(rps, (value) => Math.round(value).toLocaleString('en-US')).padStart(6)} rps`,
		`p95 ${cell(p95Ms, (value) => `${Math.round(value)} ms`).padStart(8)}`,
		`failed ${cell(failureRate, (value) => `${(value * 100).toFixed(1)} %`).padStart(7)}`,
		`${isLongest ? 'at most ' : ''}${Math.max(0, Math.round(leftS))} s left`,
	].join('  ');
}
