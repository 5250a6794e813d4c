/**
 * What MongoDB recorded of a load: what it logged, and what its own status said once a second.
 */
import { bareRecord } from '../bare-record.js';
import { countersOf, limitOf, sampledExtent, unsampled } from '../sampled.js';
import { readLog } from './log.js';

/** @type {Record<string, (sample: any) => unknown>} */
const COUNTERS = {
  inserts: ({ operations }) => operations?.insert,
  queries: ({ operations }) => operations?.query,
  updates: ({ operations }) => operations?.update,
  deletes: ({ operations }) => operations?.delete,
  commands: ({ operations }) => operations?.command,
  user_errors: ({ user_errors: count }) => count,
};

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log, samples }, about) {
  const { service, level, window } = about;
  const { messages, heard, full } = readLog(level === 0 ? '' : log, about);
  return {
    ...bareRecord(about, 'mongo'),
    coverage: { requests: 'none', reasons: heard ? 'partial' : 'none', limits: sampledExtent(samples, window) },
    uncovered: [
      `MongoDB knows no requests: an operation that failed in ${service} belongs to no single one`,
      heard
        ? `MongoDB logs no operation that it answers with an error: why one failed in ${service} is not known from it`
        : `${service} wrote no log that the lab can read to its output (level 0, a log file, or older than 4.4): whom it refused, and what took long in it, is not known`,
      ...unsampled(
        service,
        samples,
        window,
        'it does not answer on port 27017 without TLS, or wants a password that is not in its own environment',
      ),
    ],
    messages,
    counters: countersOf(samples, window, COUNTERS),
    limits: [...connectionLimit(full, samples, window), ...['read', 'write'].flatMap((kind) => ticketLimit(kind, samples, window))],
  };
}

/**
 * Its own limit, or that of the file descriptors that it may open. When all are taken it tells the lab nothing any more, and how many they
 * are stands in the lines of those that it refused.
 * @type {(full: import('./log.js').Said['full'], samples: any[], window: import('../contract.js').About['window']) => import('../contract.js').Limit[]}
 */
function connectionLimit(full, samples, window) {
  const told = [...samples, ...full].toSorted((one, other) => one.t - other.t);
  return limitOf(
    'connections',
    told,
    window,
    ({ connections, used }) => used ?? (connections && connections.current + connections.available),
    ({ connections, used, refused }, size) => used ?? (refused ? size : connections?.current),
  );
}

/**
 * From 7.0 on the server changes their number itself, to keep its throughput: then they are no limit that something runs into.
 * @param {string} kind @param {any[]} samples @param {import('../contract.js').About['window']} window
 */
function ticketLimit(kind, samples, window) {
  const sizes = new Set(samples.flatMap(({ tickets }) => tickets?.[kind]?.totalTickets ?? []));
  if (sizes.size !== 1) return [];
  const limits = limitOf(
    `${kind} tickets`,
    samples,
    window,
    ({ tickets }) => tickets?.[kind]?.totalTickets,
    ({ tickets }) => tickets?.[kind]?.out,
  );
  return limits.map((limit) => ({ ...limit, unit: 'operations' }));
}
