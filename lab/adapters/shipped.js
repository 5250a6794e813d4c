/**
 * The products of the shipped architectures. Their records have files of their own, older than the adapters, and are read by what is
 * named here in neutral words.
 *
 * @typedef {import('./tokyo/program-record.js').Program} Program  what a program that makes its load inside the system says of itself
 */
import { DURABLE } from './mongo/durable.js';

export { isAnswered, isBroken, isOfDatabase, isPoolCleared, isPoolWait, isTimedOut, isUnmade } from './mongo/driver-errors.js';
export { parseRefusals, parseStops } from './mongo/refusals.js';
export { parseRequestLog } from './node/request-log.js';
export { parseInform, parseSpan, parseWriter } from './tokyo/program-record.js';

/** As readers know it, as its figures are called, and the folder of its configurations. */
export const PROXY = Object.freeze({ title: 'Nginx', service: 'nginx', folder: 'nginx' });

/** What a node calls any error of the queue that it puts writes into (app/queue/queue.js). */
const QUEUE_ERROR = 'QueueError';

/** @param {string} error name, of a node's log */
export const isOfQueue = (error) => error === QUEUE_ERROR;

/** As readers know it, as the program that counts is called, and what makes what it acknowledged outlive it. */
export const DATABASE = Object.freeze({ title: 'MongoDB', program: 'mongod', durable: DURABLE });

/** Names inside `raw/` of what they leave there. */
export const SHIPPED_RECORD = Object.freeze({
  database: 'mongo.ndjson',
});

/**
 * How a program that no adapter reads tells its version, by the tier that runs it or, where a tier has several programs, by the service's
 * name. Node's packages come with its own record.
 * @type {Record<string, { component: string, command: string[], pattern: RegExp }>}
 */
export const VERSION_OF = {
  'load-balancer': { component: 'nginx', command: ['nginx', '-v'], pattern: /nginx\/(\S+)/ },
  app: { component: 'node', command: ['node', '--version'], pattern: /v(\S+)/ },
  mongo: { component: 'mongod', command: ['mongod', '--version'], pattern: /db version v(\S+)/ },
  tokyo: { component: 'tokyo cabinet', command: ['tchmgr', 'version'], pattern: /Tokyo Cabinet version (\S+)/ },
};
