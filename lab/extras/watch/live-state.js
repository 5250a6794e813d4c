/**
 * How a run stands now, of what the observers write and k6's users tell: for a page that shows it while it goes on. Pure.
 *
 * @typedef {object} LiveService
 * @property {string} name
 * @property {string} tier
 * @property {number | null} cores       used in the last second; null before two readings
 * @property {number | null} cores_most  its quota; null without one
 * @property {number | null} connections open TCP connections in its network namespace
 * @property {number | null} connections_most  that its own table has room for
 * @property {number | null} waiting     connections that wait to be accepted
 * @property {number | null} files       open files of the process that has most
 * @property {number | null} files_most  that it may have
 * @property {boolean} ended
 *
 * @typedef {object} Snapshot
 * @property {number | null} t_s         now: seconds from the start of the load, negative before it; null before the load generator began
 * @property {[from: number, to: number] | null} of_s  seconds of the load that stage, users and figures are of; null without figures
 * @property {string} stage
 * @property {number | null} users
 * @property {number | null} rps
 * @property {number | null} p95_ms
 * @property {number | null} failed      0 to 1
 * @property {number} left_s             from now
 * @property {boolean} is_longest        it may end before
 * @property {LiveService[]} services    in the order in which requests pass them
 */
import { inTierOrder } from '../../report/tiers.js';

export class LiveState {
  /** @type {Map<string, LiveService & { cpu: { t: number, cpu_s: number } | null }>} */
  #services = new Map();
  /** @type {Record<string, number>} */
  #connectionsMost = {};

  /** @param {string} name @param {number} connections  that it may have open */
  limit(name, connections) {
    this.#connectionsMost[name] = connections;
  }

  /** @param {{ name: string, tier: string, cpuQuotaCores: number | null }[]} services */
  describe(services) {
    const tiers = Object.fromEntries(services.map(({ name, tier }) => [name, tier]));
    for (const name of inTierOrder(Object.keys(tiers), (service) => tiers[service])) {
      const quota = services.find((service) => service.name === name)?.cpuQuotaCores ?? null;
      const connectionsMost = this.#connectionsMost[name] ?? null;
      this.#services.set(name, { ...UNREAD, name, tier: tiers[name], cores_most: quota, connections_most: connectionsMost });
    }
  }

  /**
   * @param {string} record  its name
   * @param {any} line       of it
   */
  take(record, line) {
    const service = this.#services.get(line.name);
    if (service === undefined) return;
    if (record === 'containers') takeUsage(service, line);
    if (record === 'kernel') {
      service.connections = line.sockets?.inuse ?? null;
      service.waiting =
        line.accept?.reduce((/** @type {number} */ sum, /** @type {{ queued: number }} */ { queued }) => sum + queued, 0) ?? null;
    }
    if (record === 'events' && (line.action === 'die' || line.action === 'start')) service.ended = line.action === 'die';
  }

  /**
   * @param {import('../../cli/progress.js').LoadStatus} status
   * @returns {Snapshot}
   */
  snapshot({ stage, users, rps, p95Ms, failureRate, leftS, isLongest = false, nowS = null, ofS = null }) {
    return {
      t_s: nowS,
      of_s: ofS,
      stage,
      users,
      rps,
      p95_ms: p95Ms,
      failed: failureRate,
      left_s: Math.max(0, leftS),
      is_longest: isLongest,
      services: [...this.#services.values()].filter(({ tier }) => tier !== 'observer').map(({ cpu: _, ...service }) => service),
    };
  }
}

/** @type {Omit<LiveService, 'name' | 'tier'> & { cpu: null }} */
const UNREAD = {
  ...{ cores: null, cores_most: null, connections: null, connections_most: null, waiting: null, files: null, files_most: null },
  ...{ ended: false, cpu: null },
};

/** @type {(service: LiveService & { cpu: { t: number, cpu_s: number } | null }, line: any) => void} */
function takeUsage(service, { t, cpu_s: cpuS, fds }) {
  const before = service.cpu;
  if (before !== null && t > before.t) service.cores = Math.max(0, (cpuS - before.cpu_s) / (t - before.t));
  service.cpu = { t, cpu_s: cpuS };
  service.files = fds?.open_files ?? null;
  service.files_most = fds?.limit ?? null;
}
