/**
 * What an adapter gives the lab beside its `Adapter`, where watching at level 2 means a changed copy of the service's own configuration.
 * The lab reads the configuration (from the mount's source or out of the image), writes `overlaid(text).text` into the service's folder
 * in the run's record under `name`, and the adapter's overlay mounts it from there.
 */

import http from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { connectTo, wayTo } from '../base/relays.ts';
import type { Level, OverlayPart, ServiceModel, Watch } from './contract.ts';
import { AS_CONTAINER } from './contract.ts';

export type Overlaid = {
	text: string;
	/** a sentence for each change that was made, for the user to consent to; empty: nothing was to be changed */
	changes: string[];
};

export type Configuration = {
	/** of the changed copy in the service's folder of the record */
	name: string;
	/** in the container; null when the lab cannot lay a copy over it (several files, or a configuration that is no file) */
	pathOf: (service: ServiceModel) => string | null;
	/** throws `NotReadyError` for a text that is no configuration */
	overlaid: (text: string) => Overlaid;
};

/**
 * What a service gives whose own log is read as it is, or in the lab's format once a changed copy is laid over its configuration.
 * @param reported copy: what the changed copy gives
 */
export function watchesOf(
	{ pathOf }: Configuration,
	service: ServiceModel,
	{ log, copy }: { log: Pick<Watch, 'gives' | 'needs'>; copy: string },
): Watch[] {
	const path = pathOf(service);
	const watches: Watch[] = [AS_CONTAINER, { level: 1, ...log }];
	if (path !== null) watches.push({ level: 2, gives: copy, needs: `consent to lay a changed copy over ${path}` });
	return watches;
}

/** The overlay that mounts the changed copy over the original. */
export function overlayOf({ name, pathOf }: Configuration, service: ServiceModel, level: Level): OverlayPart {
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
 * @returns null when there was no whole answer in time
 */
export async function askSocket(host: string, port: number, question: string): Promise<string | null> {
	const endsAt = Date.now() + ANSWER_LIMIT_MS;
	const socket = await connectTo(host, port).catch(() => null);
	if (socket === null) return null;
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		let length = 0;
		const finish = (answer: string | null) => {
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

/** @returns the body of a good answer; null when there was none in time */
export const askHttp = (url: string): Promise<string | null> =>
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
