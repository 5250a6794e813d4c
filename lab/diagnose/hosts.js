/**
 * The hosts of a run on a Swarm, for the report: what each is, what ran on it and how busy it was.
 *
 * @typedef {import('../record/result.js').HostReport} HostReport
 */

import { rounded } from '../stats/numbers.js';
import { busyBetween } from './limits/machine-busy.js';
import { machinesOf } from './limits/machines.js';

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {HostReport[]} in their order; none of a run on one engine
 */
export function hostsOf({ raw, window }) {
  const machines = machinesOf(raw);
  const services = /** @type {{ name: string, host?: string }[]} */ (raw.manifest.services ?? []);
  return (raw.manifest.hosts ?? []).map((/** @type {import('../extras/swarm/host-facts.js').HostFacts} */ host) => {
    const machine = machines.find(({ hosts }) => hosts.includes(host.name));
    const rows = (machine?.rows ?? []).filter(({ t }) => t > window.from && t <= window.to);
    return {
      name: host.name,
      services: services.filter(({ host: on }) => on === host.name).map(({ name }) => name),
      beside: (machine?.hosts ?? []).filter((name) => name !== host.name),
      cores: host.cores,
      memory_bytes: host.memory_bytes,
      os: host.os,
      kernel: host.kernel,
      engine: host.engine,
      busy_share: rows.length < 2 ? null : (rounded(busyBetween(rows), 4) ?? null),
      clock_offset_s: host.clock === null ? null : rounded(host.clock.offset_s, 4),
      clock_within_s: host.clock === null ? null : rounded(host.clock.within_s, 4),
    };
  });
}
