/**
 * What Redis recorded of a load: what it logged of its own troubles, and what it counted once a second.
 */
import { bareRecord } from '../bare-record.js';
import { countersOf, limitOf, sampledExtent, unsampled } from '../sampled.js';
import { readLog } from './log.js';

/** The slow log's own default length (slowlog-max-len): a full one counts no further. */
const SLOW_LOG_LENGTH = 128;

/** @type {Record<string, (sample: any) => unknown>} */
const COUNTERS = {
  'connections-exhausted': ({ rejected }) => rejected,
  'out-of-memory': ({ out_of_memory_replies: count }) => count,
  'server-error': ({ error_replies: count }) => count,
  slow: ({ slow_commands: count }) => count,
  commands: ({ commands }) => commands,
  evicted_keys: ({ evicted_keys: count }) => count,
  keyspace_hits: ({ keyspace_hits: count }) => count,
  keyspace_misses: ({ keyspace_misses: count }) => count,
};

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log, samples }, about) {
  const { service, level, window } = about;
  const { messages, heard } = readLog(level === 0 ? '' : log, window);
  const limits = sampledExtent(samples, window);
  const told = limits !== 'none' || heard;
  return {
    ...bareRecord(about, 'redis'),
    coverage: { requests: 'none', reasons: told ? 'partial' : 'none', limits },
    uncovered: [
      `Redis knows no requests: a command that failed in ${service} belongs to no single one`,
      limits === 'none'
        ? `Redis does not log the clients and commands that it refuses, and those of ${service} were not counted`
        : `Redis does not log the clients and commands that it refuses: those of ${service} are counted to the second, and not each told`,
      ...(heard || level === 0 ? [] : [`${service} wrote no log to its output: that it stopped, or could not save, is not known from it`]),
      ...(samples.some(({ slow_commands: slow }) => slow >= SLOW_LOG_LENGTH)
        ? [`the slow log of ${service} has as many entries as Redis keeps by default (${SLOW_LOG_LENGTH}): there may be more slow commands`]
        : []),
      ...unsampled(service, samples, window, 'redis-cli is not in its container, or was not let in without a password'),
    ],
    messages,
    counters: countersOf(withoutOwn(samples), window, COUNTERS),
    limits: [
      ...limitOf(
        'client connections',
        samples,
        window,
        (sample) => sample.max_clients,
        (sample, size) => (sample.refused ? size : sample.clients),
      ),
      ...limitOf(
        'memory',
        samples,
        window,
        (sample) => sample.max_memory,
        (sample) => sample.used_memory,
      ),
    ],
  };
}

/** With the clients that were rejected, of which those that were the lab's own question are none. @param {any[]} samples */
function withoutOwn(samples) {
  let own = 0;
  let last = 0;
  return samples.map((sample) => {
    if (sample.refused) own += 1;
    const count = sample.rejected_connections;
    if (typeof count !== 'number') return sample;
    // It began anew, and so did its count.
    if (count < last) own = 0;
    last = count;
    return { ...sample, rejected: Math.max(0, count - own) };
  });
}
