/**
 * What an adapter gives the lab beside its `Adapter`, where watching at level 2 means a changed copy of the service's own configuration.
 * The lab reads the configuration (from the mount's source or out of the image), writes `overlaid(text).text` into the service's folder
 * in the run's record under `name`, and the adapter's overlay mounts it from there.
 *
 * @typedef {object} Overlaid
 * @property {string} text
 * @property {string[]} changes  a sentence for each change that was made, for the user to consent to; empty: nothing was to be changed
 *
 * @typedef {object} Configuration
 * @property {string} name       of the changed copy in the service's folder of the record
 * @property {(service: ServiceModel) => string | null} pathOf  in the container; null when the lab cannot lay
 *   a copy over it (several files, or a configuration that is no file)
 * @property {(text: string) => Overlaid} overlaid  throws `NotReadyError` for a text that is no configuration
 *
 * @import { Level, OverlayPart, ServiceModel, Watch } from './contract.ts'
 */

import http from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { connectTo, wayTo } from '../base/relays.ts';
import { AS_CONTAINER } from './contract.ts';

/**
 * What a service gives whose own log is read as it is, or in the lab's format once a changed copy is laid over its configuration.
 * @param {Configuration} configuration
 * @param {ServiceModel} service
 * @param {{ log: Pick<Watch, 'gives' | 'needs'>, copy: string }} reported  copy: what the changed copy gives
 * @returns {Watch[]}
 */
export function watchesOf({ pathOf }, service, { log, copy }) {
	const path = pathOf(service);
	/** @type {Watch[]} */
	const watches = [AS_CONTAINER, { level: 1, ...log }];
	if (path !== null) watches.push({ level: 2, gives: copy, needs: `consent to lay a changed copy over ${path}` });
	return watches;
}

/**
 * The overlay that mounts the changed copy over the original.
 * @param {Configuration} configuration
 * @param {ServiceModel} service
 * @param {Level} level
 * @returns {OverlayPart}
 */
export function overlayOf({ name, pathOf }, service, level) {
	const target = level >= 2 ? pathOf(service) : null;
	return target === null ? {} : { mounts: [{ source: `raw:${name}`, target, readOnly: true }] };
}

/*
 * Asks a running proxy for its counters from outside its container: at the container's address, so that no program has to be in its
 * image. Every answer comes within a limit, or is none.
 */

/** An adapter must answer within a second; the rest is for what the lab does with the answer. */
const ANSWER_LIMIT_MS = 800;

/**
 * A table of all counters of a large configuration has some hundred kilobytes. What is longer is no answer to this question.
 */
const LONGEST_ANSWER_BYTES = 8 * 1024 * 1024;
const GOOD = 200;

/**
 * Writes a text to a socket and reads to its end.
 * @param {string} host
 * @param {number} port
 * @param {string} question
 * @returns {Promise<string | null>} null when there was no whole answer in time
 */
export async function askSocket(host, port, question) {
	const endsAt = Date.now() + ANSWER_LIMIT_MS;
	const socket = await connectTo(host, port).catch(() => null);
	if (socket === null) return null;
	return new Promise((resolve) => {
		/** @type {Buffer[]} */
		const chunks = [];
		let length = 0;
		const finish = (/** @type {string | null} */ answer) => {
			clearTimeout(limit);
			socket.destroy();
			resolve(answer);
		};
		const limit = setTimeout(() => finish(null), endsAt - Date.now());
		socket.on('error', () => finish(null));
		socket.on('data', (chunk) => {
			length += chunk.length;
			if (length > LONGEST_ANSWER_BYTES) finish(null);
			else chunks.push(chunk);
		});
		socket.on('end', () => finish(Buffer.concat(chunks).toString('utf8')));
		socket.write(question);
	});
}

/**
 * @param {string} url
 * @returns {Promise<string | null>} the body of a good answer; null when there was none in time
 */
export const askHttp = (url) =>
	new Promise((resolve) => {
		const { hostname: host, port, pathname, search } = new URL(url);
		const options = {
			host,
			port,
			path: `${pathname}${search}`,
			signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
			...wayTo(host, Number(port)),
		};
		const request = http.get(options, (response) => {
			const isGood = response.statusCode === GOOD;
			textOf(response).then(
				(body) => resolve(isGood ? body : null),
				() => resolve(null),
			);
		});
		// The proxy is not up yet, is gone, or is full: the sample is missing, which the reader says.
		request.on('error', () => resolve(null));
	});
