/**
 * The queue that hands each write out until somebody says that it is done: BullMQ, whose jobs are in Redis. A job has its request's id, so
 * that one that is added twice is in the queue once, and one that is done twice is stored once.
 *
 * @typedef {import('../documents/documents.js').Write} Write
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { requestHandler } from '../lib/request-handler.js';
import { ACCEPTED, QueueError } from './queue.js';

export const NAME = 'documents';
export const BULL_VERSIONS = { bullmq: createRequire(import.meta.url)('bullmq/package.json').version };

/** BullMQ knows a kind of job by its name; there is one. */
const KIND = 'write';
/**
 * Five attempts wait 15 s in all, which outlasts a database that is started again. What is done need not be kept; what has failed five times
 * is, for somebody to look at. The lab's own choice: BullMQ's default is one attempt, and to keep everything.
 */
const JOB = { attempts: 5, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: true, removeOnFail: false };

/**
 * @param {import('../lib/config.js').Config} config
 * @param {import('../lib/telemetry.js').Counts} counts
 * @param {{ add: (kind: string, data: { value: number }, job: object) => Promise<unknown> }} queue
 * @returns {import('express').RequestHandler} that answers 202 when the queue has the write, and 500 when it has not
 */
export const addHandler = (config, counts, queue) =>
	requestHandler(config, counts, async (req) => {
		try {
			await queue.add(KIND, { value: Math.random() }, { ...JOB, jobId: req.get('x-request-id') ?? randomUUID() });
		} catch (error) {
			throw new QueueError(String(error));
		}
		return ACCEPTED;
	});

/**
 * @param {{ id?: string, data: { value: number }, attemptsMade: number, opts: { attempts?: number } }} job
 * @returns {{ write: Write, isLast: boolean }} isLast: when it fails now it is not tried again
 */
export const writeOf = ({ id, data, attemptsMade, opts }) => ({
	write: { id, value: data.value },
	isLast: attemptsMade + 1 >= (opts.attempts ?? 1),
});
