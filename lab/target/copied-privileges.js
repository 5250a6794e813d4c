/**
 * What a file gives a service, or the building of its image, of the machine's own, and what the copy of a run has in its place: it works without
 * that, and nobody else on the machine notices it. Pure.
 *
 * @typedef {import('./compose-changes.js').Changes} Changes
 * @typedef {{ changes: Changes, said: string[] }} Part
 */

import { reset, together } from './compose-changes.js';

const HOST = 'host';
/** https://docs.docker.com/reference/compose-file/services/ @type {[key: string, isOfMachine: (value: string) => boolean, what: string][]} */
const OWN = [
  ['pid', (value) => value === HOST, 'processes'],
  ['uts', (value) => value === HOST, 'host name'],
  ['userns_mode', (value) => value === HOST, 'users'],
  ['cgroup', (value) => value === HOST, 'group of processes'],
  ['cgroup_parent', (value) => value !== '', 'group of processes'],
];

/**
 * @param {any} config  as Compose has resolved it
 * @param {{ machine: import('./compose-changes.js').Machine, allowData: boolean, mayGo: (service: string) => boolean }} given  mayGo: a service that
 *   may be left out, and lends nothing
 * @returns {Part}
 */
export function ofNamespaces({ services = {} }, { machine, allowData, mayGo }) {
  if (allowData) return { changes: {}, said: [] };
  const parts = Object.entries(services).map(([service, found]) => {
    const keys = OWN.filter(([key, isOfMachine]) => isOfMachine(String(found[key] ?? '')));
    if (keys.length === 0) return { changes: {}, said: [] };
    const own = [...new Set(keys.map(([, , what]) => what))].join(', ');
    return {
      changes: { services: { [service]: Object.fromEntries(keys.map(([key]) => [key, reset()])) } },
      said: [`${service}: it has its own ${own} in place of the machine’s (${keys.map(([key]) => `${key}: ${found[key]}`).join(', ')}).`],
    };
  });
  const shared = ofSharedMemory(services, { machine, mayGo });
  return {
    changes: [...parts, shared].map(({ changes }) => changes).reduce(together, {}),
    said: [...parts, shared].flatMap(({ said }) => said),
  };
}

/** Those that share the machine's share the run's. @type {(services: Record<string, any>, given: { machine: import('./compose-changes.js').Machine, mayGo: (service: string) => boolean }) => Part} */
function ofSharedMemory(services, { machine: { memoryBytes = 0 }, mayGo }) {
  const sharing = Object.entries(services).flatMap(([service, { ipc }]) => (ipc === HOST ? [service] : []));
  if (sharing.length === 0) return { changes: {}, said: [] };
  const [first, ...others] = sharing.toSorted((one, other) => Number(mayGo(one)) - Number(mayGo(other)));
  // As much as the kernel gives the machine's own: https://docs.kernel.org/filesystems/tmpfs.html
  const size = memoryBytes > 0 && services[first].shm_size === undefined ? { shm_size: Math.floor(memoryBytes / 2) } : {};
  const entries = [
    [first, { ipc: others.length > 0 ? 'shareable' : reset(), ...size }],
    ...others.map((service) => [
      service,
      { ipc: `service:${first}`, ...(services[service].shm_size === undefined ? {} : { shm_size: reset() }) },
    ]),
  ];
  return {
    changes: { services: Object.fromEntries(entries) },
    said: [`${sharing.join(', ')}: the memory that it shares is the run’s in place of the machine’s (ipc: host).`],
  };
}

/** A list, or a mapping. @param {any} value */
const isSaid = (value) => Object.keys(value).length > 0;

/** On which an image is built where nothing is said, or none. */
export const OWN_NETWORKS = ['', 'default', 'none', 'bridge'];
/** What a build leaves, or has of the user's, beside its image. What the user allows is left, but for what would stay. */
/** @type {[key: string, isTaken: (value: any, allowData: boolean) => boolean, what: string][]} */
const OF_BUILD = [
  ['tags', isSaid, 'its image has no name of yours'],
  ['cache_to', isSaid, 'what is built is kept nowhere else'],
  ['network', (value, allowData) => !allowData && !OWN_NETWORKS.includes(String(value)), 'it is built on the engine’s own network'],
  ['ssh', (value, allowData) => !allowData && isSaid(value), 'it is built without your keys'],
];

/** @type {(config: any, given: { allowData: boolean }) => Part} */
export function ofBuilds({ services = {} }, { allowData }) {
  const parts = Object.entries(services).flatMap(([service, { build }]) => {
    const taken = OF_BUILD.filter(([key, isTaken]) => build?.[key] !== undefined && build[key] !== null && isTaken(build[key], allowData));
    if (taken.length === 0) return [];
    const said = `${service}: ${taken.map(([key, , what]) => `${what} (build.${key})`).join(', ')}.`;
    return [{ changes: { services: { [service]: { build: Object.fromEntries(taken.map(([key]) => [key, reset()])) } } }, said }];
  });
  return { changes: parts.map(({ changes }) => changes).reduce(together, {}), said: parts.map(({ said }) => said) };
}
