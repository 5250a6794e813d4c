/**
 * The machines that a run was on: this one, or those of a Swarm's hosts. Hosts with one kernel, such as several engines of one machine, are
 * one machine: its CPU is counted once, and each one's containers are the others' neighbours.
 *
 * @typedef {object} Machine
 * @property {string[]} hosts   names; none where the run was on one engine
 * @property {number} cores
 * @property {any[]} rows       of the machine's own record
 * @property {(service: string) => boolean} holds  whether a container ran on it
 */
import { sum } from '../../stats/numbers.js';

/** @typedef {{ name: string, boot_id: string, cores: number }} Host  as the manifest has it */
/** @typedef {{ name: string, host?: string }} Service */
/** @typedef {{ hosts?: Host[], services?: Service[], machine: { cores: number } }} Manifest */

/**
 * @param {{ manifest: any, host: any[] }} raw
 * @returns {Machine[]}
 */
export function machinesOf({ manifest, host }) {
  const { hosts, services = [], machine } = /** @type {Manifest} */ (manifest);
  if (hosts === undefined) return [{ hosts: [], cores: machine?.cores, rows: host, holds: () => true }];
  const boots = [...new Set(hosts.map(({ boot_id: boot }) => boot))];
  return boots.map((boot) => {
    const own = hosts.filter(({ boot_id: other }) => other === boot);
    const names = own.map(({ name }) => name);
    const held = new Set(services.filter(({ host: on }) => on !== undefined && names.includes(on)).map(({ name }) => name));
    return { hosts: names, cores: own[0].cores, rows: rowsOf(names, host), holds: (service) => held.has(service) };
  });
}

/** The first host's, with what the lab's own observers used on all of them. @param {string[]} names @param {any[]} rows */
function rowsOf(names, rows) {
  const [first, ...others] = names.map((name) => rows.filter(({ host }) => host === name));
  if (others.length === 0) return first;
  return first.map((row) => ({ ...row, lab_cpu_s: row.lab_cpu_s + sum(others.map((other) => usedUntil(other, row.t))) }));
}

/** @param {{ t: number, lab_cpu_s: number }[]} rows of one host @param {number} t */
function usedUntil(rows, t) {
  const last = rows.findLast((row) => row.t <= t);
  return last === undefined ? 0 : last.lab_cpu_s - rows[0].lab_cpu_s;
}

/**
 * Cores of the machine that a container ran on.
 * @param {Manifest} manifest
 * @param {string} service
 * @returns {number}
 */
export function coresUnder({ hosts = [], services = [], machine }, service) {
  const on = services.find(({ name }) => name === service)?.host;
  return hosts.find(({ name }) => name === on)?.cores ?? machine.cores;
}

/** How a machine is called where there are several. @param {Machine} machine @param {Machine[]} all */
export const machineName = ({ hosts }, all) => (all.length === 1 ? 'the machine' : hosts.join(' and '));
