/**
 * Tokyo Cabinet, a store in files: a program in its container makes the load, and says itself what it did.
 */
import { bareRecord } from '../complete-lines.ts';
import { AS_CONTAINER } from '../contract.ts';

/** @type {import('../contract.ts').Adapter} */
export const adapter = {
	product: 'tokyo',
	title: 'Tokyo Cabinet',
	isLabsOwn: true,
	detect: () => null,
	unlabelled: ({ name }) => name === 'tokyo',
	watches: () => [AS_CONTAINER],
	overlay: () => ({}),
	version: { command: ['tchmgr', 'version'], pattern: /Tokyo Cabinet version (\S+)/, component: 'tokyo cabinet' },
	sample: null,
	program: { span: parseSpan, writer: parseWriter, stored: parseInform },
	read: (_files, about) => ({ ...bareRecord(about, 'tokyo'), uncovered: [`what ${about.service} stored its program says itself`] }),
};

/*
 * What it says of itself is the output of `tchmttest`, called by compose/images/tokyo/insert.sh.
 */

/** A writer prints a dot for every 250th part of what its first thread does. */
const DOTS = 250;

/**
 * @param {string} text that insert.sh has printed so far
 * @returns {{ began_s: number | null, ended_s: number | null, exitCodes: number[] }} exit codes in the order of the files
 */
function parseSpan(text) {
	const moment = (/** @type {string} */ name) => {
		const found = new RegExp(`^${name} (\\d+\\.\\d+)\\n`, 'm').exec(text);
		return found ? Number(found[1]) : null;
	};
	const exitCodes = [...text.matchAll(/^writer \d+ (\d+)\n/gm)].map(([, code]) => Number(code));
	return { began_s: moment('began'), ended_s: moment('ended'), exitCodes };
}

/**
 * @param {string} text that `tchmttest write` has printed so far
 * @returns {{ seconds: number | null, done: number }} done: the share of its work, 0 to 1
 */
function parseWriter(text) {
	const seconds = /^time: (\d+\.\d+)$/m.exec(text)?.[1];
	const dots = [...text.matchAll(/^\.+/gm)].reduce((sum, [line]) => sum + line.length, 0);
	return { seconds: seconds === undefined ? null : Number(seconds), done: Math.min(1, dots / DOTS) };
}

/**
 * @param {string} text that `tchmgr inform` printed
 * @returns {number | null} records in the file, null when it could not be read
 */
function parseInform(text) {
	const records = /^record number: (\d+)$/m.exec(text)?.[1];
	return records === undefined ? null : Number(records);
}
