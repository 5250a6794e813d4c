/**
 * Asks a running proxy for its counters from outside its container: at the container's address, so that no program has to be in its
 * image. Every answer comes within a limit, or is none.
 */

import http from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { connectTo, wayTo } from '../base/relays.ts';

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
