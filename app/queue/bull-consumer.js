/**
 * The consumer of BullMQ's queue: does each write at least once. What it has in hand when it is killed is handed out again, and what fails
 * is tried again; a write that was there already is none the second time.
 */
import { Worker } from 'bullmq';
import { createOnce, documentWork } from '../documents/documents.js';
import { BULL_VERSIONS, NAME, writeOf } from './bull.js';
import { newConsumption } from './consume.js';
import { serveConsumer } from './consumer.js';
import { connectQueue } from './queue.js';

/**
 * A write takes milliseconds, so that one whose consumer has not spoken of it for so long is handed out again, and that is looked for as
 * often. BullMQ's default is 30 s for both; the lab's own choice, within what a run waits for.
 */
const UNSPOKEN_MS = 5000;
/** BullMQ gives up what was handed out again so often; its default is once. */
const HANDED_OUT_MOST = 10;

const connection = await connectQueue('consumer', { isPatient: true });

await serveConsumer(({ config, counts, loops }) => {
	const own = { stored_already: 0 };
	counts.own = own;
	const create = createOnce(() => {
		own.stored_already += 1;
	});
	const consume = newConsumption(counts, documentWork(config, { create }));
	const worker = new Worker(
		NAME,
		(job) => {
			const { write, isLast } = writeOf(job);
			return consume(write, isLast);
		},
		{ connection, concurrency: loops, lockDuration: UNSPOKEN_MS, stalledInterval: UNSPOKEN_MS, maxStalledCount: HANDED_OUT_MOST },
	);
	// Told by the command that fails, too; without a listener it would end the process.
	worker.on('error', () => {});
	return async () => {
		await worker.close();
		connection.disconnect();
	};
}, BULL_VERSIONS);
