/**
 * The list in Redis that is the queue: nodes push to its one end (LPUSH), and consumers pop from the other (BRPOP), the oldest first.
 *
 * @typedef {import('../documents/documents.js').Write} Write
 */
import { requestHandler } from '../lib/request-handler.js';
import { ACCEPTED, QueueError } from './queue.js';

export const KEY = 'documents';

/**
 * @param {import('../lib/config.js').Config} config
 * @param {import('../lib/telemetry.js').Counts} counts
 * @param {{ lpush: (key: string, text: string) => Promise<unknown> }} queue
 * @returns {import('express').RequestHandler} that answers 202 when the queue has the write, and 500 when it has not
 */
export const pushHandler = (config, counts, queue) =>
	requestHandler(config, counts, async (req) => {
		try {
			await queue.lpush(KEY, textOf({ id: req.get('x-request-id'), value: Math.random() }));
		} catch (error) {
			throw new QueueError(String(error));
		}
		return ACCEPTED;
	});

/** @param {Write} write */
const textOf = (write) => JSON.stringify(write);

/** @param {string} text @returns {Write} @throws {SyntaxError} when it is none */
export const writeIn = (text) => JSON.parse(text);
