/**
 * The networks of a run, and the bridges on this kernel that they are; and those that its containers join beside them, which are left alone.
 *
 * @typedef {object} Network
 * @property {string} name
 * @property {string} bridge   the interface that all of its packets pass; empty where there is none such
 * @property {string} gateway  the machine's own address on it; empty where it has none
 * @property {string} unseen   why it has none, in a sentence; empty where it has one
 * @property {string[]} [members]  containers of the run on it, of one that is not the run's own
 *
 * @typedef {object} Described  of a network, as the engine gives it
 * @property {string} Id
 * @property {string} Name
 * @property {string} Driver
 * @property {Record<string, string> | null} [Options]
 * @property {{ Config?: { Gateway?: string }[] | null }} [IPAM]
 */

import { containerNames } from '../../docker/container-names.js';

const BRIDGE_NAME = 'com.docker.network.bridge.name';
const ID_LETTERS = 12;

/** @param {Described} network @returns {Network} */
export function networkOf({ Id: id, Name: name, Driver: driver, Options: options, IPAM: ipam }) {
  const gateway = ipam?.Config?.map(({ Gateway: address = '' }) => address).find((address) => address !== '') ?? '';
  if (driver !== 'bridge')
    return {
      name,
      bridge: '',
      gateway,
      unseen: `the network ${name} is of driver ${driver}: what passes it is on no bridge of this machine`,
    };
  return { name, bridge: options?.[BRIDGE_NAME] ?? `br-${id.slice(0, ID_LETTERS)}`, gateway, unseen: '' };
}

/** The engine's names of the machine's own network, and of none. */
const [MACHINE, NONE] = ['host', 'none'];
const LABELS = { service: 'com.docker.compose.service', name: 'doubletake.name', number: 'com.docker.compose.container-number' };

/** @typedef {{ Labels: Record<string, string>, NetworkSettings?: { Networks?: Record<string, unknown> | null } }} Listed  a container, as the engine gives it */
/** @typedef {Pick<import('dockerode'), 'listNetworks' | 'listContainers'>} Engine */

/**
 * Networks that the run's project made, and those that its containers join beside them.
 * @param {string} project
 * @param {Engine} engine
 * @returns {Promise<Network[]>}
 */
export async function networksOf(project, engine) {
  const filters = JSON.stringify({ label: [`com.docker.compose.project=${project}`] });
  const found = /** @type {Described[]} */ (/** @type {unknown} */ (await engine.listNetworks({ filters })));
  const own = found.map(networkOf).sort((one, other) => (one.name < other.name ? -1 : 1));
  const containers = /** @type {Listed[]} */ (/** @type {unknown} */ (await engine.listContainers({ all: true, filters })));
  return [...own, ...elsewhere(containers, new Set(own.map(({ name }) => name)))];
}

/**
 * What is not the run's own has others' traffic too, and is left alone.
 * @param {Listed[]} containers @param {Set<string>} own @returns {Network[]}
 */
function elsewhere(containers, own) {
  const names = containerNames(
    containers.map(({ Labels: labels }) => ({
      name: labels[LABELS.name] ?? labels[LABELS.service] ?? '',
      number: Number(labels[LABELS.number] ?? 1),
    })),
  );
  /** @type {Map<string, string[]>} */
  const members = new Map();
  for (const [index, { NetworkSettings: settings }] of containers.entries())
    for (const network of Object.keys(settings?.Networks ?? {}))
      if (!own.has(network) && network !== NONE) members.set(network, [...(members.get(network) ?? []), names[index]]);
  return [...members].map(([name, on]) => ({
    name,
    bridge: '',
    gateway: '',
    unseen: leftAlone(name, on.toSorted()),
    members: on.toSorted(),
  }));
}

/** @param {string} name @param {string[]} members */
const leftAlone = (name, members) =>
  name === MACHINE
    ? `${members.join(', ')} is on the machine's own network, with all else there: what the run's networks show of it is seen from one side, as the machine's`
    : `the network ${name} is not of the run's making, and others' traffic passes it too: what ${members.join(', ')} says there is not seen`;
