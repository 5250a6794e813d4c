/**
 * CPU, throttling, memory, pressure, disk and open files of every container, once a second: from the kernel's files where the lab can read them, else
 * from the Docker API's stream of statistics. Nothing is asked of the containers themselves.
 */
import { createInterface } from 'node:readline';
import { findCgroup } from '../../docker/cgroup.js';
import { containerById } from '../../docker/docker.js';
import { observeCgroups } from './observe-cgroups.js';

const NANOSECONDS = 1e9;

/**
 * @param {import('../../docker/containers.js').Service[]} services
 * @param {import('../../docker/system.js').Lines} record
 * @returns {Promise<() => void>} stops watching
 */
export async function observeContainers(services, record) {
  const readable = services.flatMap((service) => {
    const cgroup = findCgroup(service);
    return cgroup ? [{ name: service.name, cgroup }] : [];
  });
  return readable.length === services.length ? observeCgroups(readable, record) : watchStreams(services, record);
}

/** @type {(services: import('../../docker/containers.js').Service[], record: import('../../docker/system.js').Lines) => Promise<() => void>} */
async function watchStreams(services, record) {
  const streams = await Promise.all(
    services.map(async ({ id, name }) => {
      const stream = await containerById(id).stats({ stream: true });
      const lines = createInterface({ input: /** @type {NodeJS.ReadableStream} */ (stream) });
      lines.on('line', (line) => {
        const statistics = parse(line);
        // A container that has ended goes on sending empty statistics.
        if (!statistics?.cpu_stats?.system_cpu_usage || statistics.read.startsWith('0001')) return;
        record.write({ name, ...digest(statistics) });
      });
      return /** @type {import('node:stream').Readable} */ (stream);
    }),
  );
  return () => {
    for (const stream of streams) stream.destroy();
  };
}

/** A stream that is cut may end inside a line. @param {string} line */
function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * @param {any} statistics one answer of GET /containers/{id}/stats
 * @returns {{ t: number } & import('../../docker/cgroup.js').Usage}
 */
function digest(statistics) {
  const { cpu_stats: cpu, memory_stats: memory } = statistics;
  return {
    t: Date.parse(statistics.read) / 1000,
    cpu_s: cpu.cpu_usage.total_usage / NANOSECONDS,
    periods: cpu.throttling_data.periods,
    throttled_periods: cpu.throttling_data.throttled_periods,
    throttled_s: cpu.throttling_data.throttled_time / NANOSECONDS,
    memory_bytes: Math.max(0, (memory.usage ?? 0) - (memory.stats?.inactive_file ?? memory.stats?.total_inactive_file ?? 0)),
  };
}
