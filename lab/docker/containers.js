/**
 * The containers of a stack, and what of the lab is still there.
 */
import { join } from 'node:path';
import { PROJECT } from '../base/paths.js';
import { containerNames } from './container-names.js';
import { isElsewhere } from './describe-machine.js';
import { containerById, docker, engineSocket } from './docker.js';
import { isOfLab, labSystem } from './system.js';

export const PROJECT_LABEL = 'com.docker.compose.project';
export const SERVICE_LABEL = 'com.docker.compose.service';
/** Its name in the Compose file. */
export const VOLUME_LABEL = 'com.docker.compose.volume';
/** The same of a Swarm; its stack's name is before it. */
export const SWARM_SERVICE_LABEL = 'com.docker.swarm.service.name';
/** By which a Swarm knows what belongs to a stack. */
export const STACK_LABEL = 'com.docker.stack.namespace';
/** Of a container that may be on one of several hosts. */
const HOST_LABEL = 'doubletake.host';
const NUMBER_LABEL = 'com.docker.compose.container-number';
/** Of those that the shipped Compose files give to whatever they make. */
const SHIPPED_LABEL = /^doubletake\./;
/** The kernel's own period of a CPU quota. */
const DEFAULT_PERIOD_US = 100_000;
const NANO = 1e9;

/** @typedef {import('./system.js').System} System */

/**
 * A container as the lab knows it: by the labels of its service.
 * @typedef {object} Service
 * @property {string} service  Compose's name
 * @property {string} [host]   on which it is, where there are several
 * @property {string} name     what its figures are called: label doubletake.name, with a number where the service has several containers
 * @property {string} tier     label doubletake.tier; observer where no request passes it
 * @property {string | null} product  label doubletake.product: whose adapter reads it; null where the lab itself does
 * @property {import('../adapters/contract.js').Level} watch  label doubletake.watch: how far it is watched; 0 unless given
 * @property {string} id       container
 * @property {number} pid      of the container's first process on the host; 0 where it does not run
 * @property {string} address  on the first of its networks
 * @property {string[]} addresses  on all of them
 * @property {number | null} cpuQuotaCores as the engine enforces it; null when unlimited
 * @property {string} image    as the Compose file names it
 * @property {string} imageId
 */

/** @param {System} system */
export const labelOf = ({ project }) => `${PROJECT_LABEL}=${project}`;

/** @param {string} label */
const filterOf = (label) => JSON.stringify({ label: [label] });

/** Its containers, running or not. @param {System} system */
export async function listContainers(system) {
  if (system.deployment) return system.deployment.listContainers();
  return docker.listContainers({ all: true, filters: filterOf(labelOf(system)) });
}

/**
 * What of this machine containers and networks have in use that are none of the lab's.
 * @returns {Promise<{ mounted: { container: string, source: string }[], subnets: string[], volumesRoot: string, sharesSockets: boolean }>}
 *   nothing where no engine answers: whoever needs it says so; volumesRoot, sharesSockets: as in lab/target/folder-state.js
 */
export async function listInUse() {
  const asked = Promise.all([docker.listContainers(), docker.listNetworks(), docker.info()]);
  const [containers, networks, engine] = await asked.catch(() => /** @type {Awaited<typeof asked>} */ ([[], [], {}]));
  const isOthers = (/** @type {Record<string, string> | undefined} */ labels) => !isOfLab(labels?.[PROJECT_LABEL]);
  const mounted = containers
    .filter(({ Labels }) => isOthers(Labels))
    .flatMap(({ Names, Id, Mounts = [] }) =>
      Mounts.filter(({ Type, RW }) => Type === 'bind' && RW).map(({ Source }) => ({ container: Names[0]?.slice(1) ?? Id, source: Source })),
    );
  const subnets = networks
    .filter(({ Labels }) => isOthers(Labels))
    .flatMap(({ IPAM }) => (IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []));
  return {
    ...{ mounted, subnets, volumesRoot: engine.DockerRootDir ? join(engine.DockerRootDir, 'volumes') : '' },
    sharesSockets: (await engineSocket()) !== null && !isElsewhere(engine),
  };
}

/** @typedef {{ project: string, what: string }} Leftover  what: a container, a network or a volume, by name */

/** What of the lab is still there, of any run. @returns {Promise<Leftover[]>} */
export const listLeftovers = async () => (await listProjects()).made;

/**
 * What bears the name of the architectures' project, and is not the lab's: Compose calls a project after its folder, and any folder may
 * be called so.
 * @returns {Promise<Leftover[]>}
 */
export const listForeign = async () => (await listProjects()).foreign;

/** @returns {Promise<{ made: Leftover[], foreign: Leftover[] }>} under the names of the lab's projects: what it made, and what others did */
async function listProjects() {
  const filters = filterOf(PROJECT_LABEL);
  const [containers, networks, { Volumes: volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  const found = [
    ...containers.map(({ Names, Id, Labels }) => ({ labels: Labels, what: `container ${Names[0]?.slice(1) ?? Id.slice(0, 12)}` })),
    ...networks.map(({ Name, Labels }) => ({ labels: Labels, what: `network ${Name}` })),
    ...(volumes ?? []).map(({ Name, Labels }) => ({ labels: Labels, what: `volume ${Name}` })),
  ];
  const named = found
    .map(({ labels, what }) => ({ project: labels?.[PROJECT_LABEL] ?? '', what, isForeign: isForeign(labels ?? {}) }))
    .filter(({ project }) => isOfLab(project));
  const listed = (/** @type {boolean} */ wanted) =>
    named.filter((one) => one.isForeign === wanted).map(({ project, what }) => ({ project, what }));
  return { made: listed(false), foreign: listed(true) };
}

/** A run's project has a name that nobody else gives. @param {Record<string, string>} labels */
const isForeign = (labels) => labels[PROJECT_LABEL] === PROJECT && !bearsOurs(labels);

/** Whether the lab made it: others may give the same names, and nobody else gives these labels. @param {Record<string, string> | null | undefined} labels */
export const bearsOurs = (labels) => Object.keys(labels ?? {}).some((label) => SHIPPED_LABEL.test(label));

/**
 * Whether the stack of an architecture that is up was started by hand, and not by a run of the lab. Its containers say so: a network
 * that an interrupted run left is taken as it is by whoever starts a stack next.
 */
export async function isStackByHand() {
  const containers = await listContainers(labSystem());
  return containers.some(({ Labels }) => Labels['doubletake.run'] === 'by-hand');
}

/**
 * Its containers, in no particular order.
 * @param {System} system
 * @returns {Promise<Service[]>}
 */
export async function listServices(system) {
  const found = await inspectAll(system);
  return found.map(({ container, name, tier, state }) => {
    const addresses = Object.values(state.NetworkSettings.Networks).map(({ IPAddress }) => IPAddress);
    return {
      service: serviceOf(container.Labels),
      ...(container.Labels[HOST_LABEL] === undefined ? {} : { host: container.Labels[HOST_LABEL] }),
      product: container.Labels['doubletake.product'] ?? null,
      watch: levelOf(container.Labels['doubletake.watch']),
      name,
      tier,
      id: container.Id,
      pid: state.State.Pid,
      cpuQuotaCores: quotaCores(state.HostConfig),
      address: addresses[0] ?? '',
      addresses: addresses.filter((address) => address !== ''),
      image: container.Image,
      imageId: container.ImageID,
    };
  });
}

/**
 * The engine has a quota as Compose's `cpus` says it, or as `cpu_quota` does.
 * @param {{ NanoCpus?: number, CpuQuota?: number, CpuPeriod?: number }} host
 */
export function quotaCores({ NanoCpus: nano, CpuQuota: quota, CpuPeriod: period }) {
  if (nano) return nano / NANO;
  return quota && quota > 0 ? quota / (period || DEFAULT_PERIOD_US) : null;
}

/**
 * How each of its containers stands; of one that was started again, the last end and the last start.
 * @param {System} system
 * @returns {Promise<{ name: string, tier: string, running: boolean, exit_code: number, out_of_memory: boolean, started: string, finished: string }[]>}
 */
export async function listStates(system) {
  const found = await inspectAll(system);
  return found.map(({ name, tier, state: { State: state } }) => ({
    name,
    tier,
    running: state.Running,
    exit_code: state.ExitCode,
    out_of_memory: state.OOMKilled,
    started: state.StartedAt,
    finished: state.FinishedAt,
  }));
}

/** @param {System} system */
async function inspectAll(system) {
  const containers = await listContainers(system);
  const names = containerNames(
    containers.map(({ Labels: labels }) => ({
      name: labels['doubletake.name'] ?? serviceOf(labels),
      number: Number(labels[NUMBER_LABEL] ?? 1),
    })),
  );
  return Promise.all(
    containers.map(async (container, index) => ({
      container,
      name: names[index],
      tier: tierOf(container.Labels['doubletake.tier']),
      state: await containerById(container.Id).inspect(),
    })),
  );
}

/** Compose's name of it. @param {Record<string, string>} labels */
export const serviceOf = (labels) => labels[SERVICE_LABEL] ?? labels[SWARM_SERVICE_LABEL]?.slice(labels[STACK_LABEL].length + 1);

/** A user's file calls `other` what the lab calls an observer. @param {string | undefined} label */
const tierOf = (label) => (label === undefined || label === 'other' ? 'observer' : label);

/** @param {string | undefined} label @returns {import('../adapters/contract.js').Level} */
const levelOf = (label) => /** @type {import('../adapters/contract.js').Level} */ (Number(label ?? 0));
