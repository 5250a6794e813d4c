/**
 * The consumer, as published: loops that each pop one write from the list, do it and read one document. What it has popped and not
 * written is in no queue any more: a consumer that is killed loses it, and so it does when the write fails.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { documentWork } from '../documents/documents.js';
import { newConsumption } from './consume.js';
import { serveConsumer } from './consumer.js';
import { KEY, writeIn } from './list.js';
import { connectQueue } from './queue.js';

/** How long a loop waits for something to pop before it looks whether it is to end. */
const WAIT_S = 1;
/** After a command that failed: the client looks for Redis meanwhile. */
const AGAIN_MS = 500;

await serveConsumer(({ config, counts, loops }) => {
	const consume = newConsumption(counts, documentWork(config));
	let ending = false;

	/** A command that waits keeps its connection, so each loop has its own. */
	async function loop() {
		const own = await connectQueue(config.name);
		while (!ending) {
			const popped = await own.brpop(KEY, WAIT_S).catch(() => wait(AGAIN_MS, null));
			// What fails is counted and logged, and nobody tries it again.
			if (popped !== null) await consume(writeIn(popped[1])).catch(() => {});
		}
		own.disconnect();
	}

	const ended = Promise.all(Array.from({ length: loops }, loop));
	return () => {
		ending = true;
		return ended;
	};
});
