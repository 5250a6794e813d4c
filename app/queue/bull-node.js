/**
 * A node that does not write itself: GET / adds the write to BullMQ's queue and answers 202.
 */
import { Queue } from 'bullmq';
import { addHandler, BULL_VERSIONS, NAME } from './bull.js';
import { serveNode } from './node.js';

await serveNode((config, counts, connection) => {
	const queue = new Queue(NAME, { connection });
	// Told by the command that fails, too; without a listener it would end the process.
	queue.on('error', () => {});
	return addHandler(config, counts, queue);
}, BULL_VERSIONS);
