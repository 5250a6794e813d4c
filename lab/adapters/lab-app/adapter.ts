/**
 * The lab's own programs (app/): each keeps a log of its requests and, once a second, a line of itself and of its pool of connections.
 */

import { requestLogOf } from '../../base/paths.ts';
import { parseLines } from '../../base/values.ts';
import { bareRecord } from '../bare-record.ts';
import { parseRequestLog } from '../complete-lines.ts';
import type { Adapter } from '../contract.ts';
import { AS_CONTAINER } from '../contract.ts';
import { heartbeatOf } from '../pulse.ts';

/** What it calls any error of the queue that it puts writes into (app/queue/queue.js). */
const QUEUE_ERROR = 'QueueError';

const NONE = new Set();

const heartbeatFile = (service: string) => `${service}.ndjson`;

export const adapter: Adapter = {
	product: 'lab-app',
	title: 'Node.js',
	isLabsOwn: true,
	detect: () => null,
	unlabelled: ({ tier }) => tier === 'app',
	watches: () => [AS_CONTAINER],
	overlay: () => ({}),
	version: { command: ['node', '--version'], pattern: /v(\S+)/, component: 'node' },
	sample: null,
	recorded: (service) => [requestLogOf(service), heartbeatFile(service)],
	errorSignal: (error) => (error === QUEUE_ERROR ? 'queue-failed' : null),
	read: ({ file }, about) => {
		const { service, wanted = NONE } = about;
		const { received: identified, ...kept } = parseRequestLog(file(requestLogOf(service)), service, wanted);
		return {
			...bareRecord(about, 'lab-app'),
			heartbeat: parseLines(file(heartbeatFile(service))).map(heartbeatOf),
			...{ ...kept, identified },
		};
	},
};
