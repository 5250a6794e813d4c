/**
 * What the wrapper around a user's script exports in the script's place: its options, setup, teardown and handleSummary, each with the
 * lab's part. `script` is the namespace of the script's module; what it does not export is undefined.
 */
import { changedOptions } from './changed-load.js';
import { flushAtOnce } from './request-log.js';
import { tellEnd, tellStart } from './start.js';
import { addedMetrics, mayAbort, optionsWith } from './user-options.js';
import { recordOf, redirected, withoutOurs } from './user-summary.js';

/** @typedef {Record<string, any>} Script */
/** @typedef {(line: object) => void} Say */

/** @type {Say} */
const toLog = (line) => console.error(JSON.stringify(line));

/**
 * Each user reads them anew, and hears so whether its load may be aborted.
 * @param {Script} script
 * @param {boolean} [abortsItself]  by its text
 * @param {import('./changed-load.js').LoadChange} [change]  of a trial
 */
export function userOptions(script, abortsItself = false, change = undefined) {
	flushAtOnce(abortsItself || mayAbort(script.options));
	return optionsWith(change === undefined ? script.options : changedOptions(script.options, change));
}

/**
 * Runs the script's setup and marks the moment after it: the load begins, and the lab places every other record by it. Returns a
 * promise only where the script's does.
 * @param {Script} script @param {() => void} [tell]
 */
export function userSetup(script, tell = tellStart) {
	const isWanted = typeof script.setup === 'function' && script.options?.noSetup !== true;
	const started = (/** @type {unknown} */ result) => {
		tell();
		return result;
	};
	return () => whenDone(isWanted ? script.setup() : undefined, started);
}

/**
 * Marks the moment at which the load ended, then runs the script's teardown: a script may end long before its longest time, and k6's own
 * time has its setup and teardown in it.
 * @param {Script} script @param {() => void} [tell]
 */
export function userTeardown(script, tell = tellEnd) {
	const isWanted = typeof script.teardown === 'function' && script.options?.noTeardown !== true;
	return (/** @type {unknown} */ data) => {
		tell();
		return isWanted ? script.teardown(data) : undefined;
	};
}

/**
 * @param {Script} script
 * @param {string} folder of the record
 * @param {Say} [say]
 */
export function userSummary(script, folder, say = toLog) {
	return (/** @type {any} */ data) => {
		// Before the script's own, which may change what it is given.
		const ours = { [`${folder}/k6-summary.json`]: recordOf(data) };
		const withOurs = (/** @type {unknown} */ returned) => {
			const { outputs, files } = redirected(returned, folder);
			if (Object.keys(files).length > 0) say({ event: 'summary-files', files });
			return { ...outputs, ...ours };
		};
		const failed = (/** @type {unknown} */ error) => {
			say({ event: 'summary-failed', error: String(error) });
			return ours;
		};
		if (typeof script.handleSummary !== 'function') return ours;
		try {
			return whenDone(script.handleSummary(withoutOurs(data, addedMetrics(script.options))), withOurs, failed);
		} catch (error) {
			return failed(error);
		}
	};
}

/** @type {(result: any, next: (value: unknown) => unknown, failed?: (error: unknown) => unknown) => unknown} */
const whenDone = (result, next, failed) => (typeof result?.then === 'function' ? result.then(next, failed) : next(result));
