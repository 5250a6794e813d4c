/**
 * The lab's own programs (app/): each keeps a log of its requests and, once a second, a line of itself and of its pool of connections.
 */

import { requestLogOf } from '../../base/paths.js';
import { parseLines } from '../../options/json-lines.js';
import { AS_CONTAINER } from '../contract.js';
import { bareRecord, parseRequestLog, pulseOf } from '../whole-lines.js';

/** What it calls any error of the queue that it puts writes into (app/queue/queue.js). */
const QUEUE_ERROR = 'QueueError';

/** @param {string} service */
const pulseFile = (service) => `${service}.ndjson`;

/** @type {import('../contract.js').Adapter} */
export const adapter = {
  product: 'lab-app',
  title: 'Node.js',
  isLabsOwn: true,
  detect: () => null,
  unlabelled: ({ tier }) => tier === 'app',
  watches: () => [AS_CONTAINER],
  overlay: () => ({}),
  version: { command: ['node', '--version'], pattern: /v(\S+)/, component: 'node' },
  sample: null,
  recorded: (service) => [requestLogOf(service), pulseFile(service)],
  selfRecord: ({ file }, { service, wanted }) => ({
    pulse: parseLines(file(pulseFile(service)), pulseFile(service)).map(pulseOf),
    ...parseRequestLog(file(requestLogOf(service)), service, wanted),
  }),
  errorSignal: (error) => (error === QUEUE_ERROR ? 'queue-failed' : null),
  read: (_files, about) => ({
    ...bareRecord(about, 'lab-app'),
    uncovered: [`what ${about.service} keeps of itself and of each request is read apart`],
  }),
};
