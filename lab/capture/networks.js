/**
 * The networks of a run, and the bridges on this kernel that they are.
 *
 * @typedef {object} Network
 * @property {string} name
 * @property {string} bridge   the interface that all of its packets pass; empty where there is none such
 * @property {string} gateway  the machine's own address on it; empty where it has none
 * @property {string} unseen   why it has none, in a sentence; empty where it has one
 *
 * @typedef {object} Described  of a network, as the engine gives it
 * @property {string} Id
 * @property {string} Name
 * @property {string} Driver
 * @property {Record<string, string> | null} [Options]
 * @property {{ Config?: { Gateway?: string }[] | null }} [IPAM]
 */

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

/**
 * Networks that the run's project made. One that is the user's own, made elsewhere, has others' traffic too, and is left alone.
 * @param {string} project
 * @param {{ listNetworks: (query: { filters: string }) => Promise<unknown[]> }} engine
 * @returns {Promise<Network[]>}
 */
export async function networksOf(project, engine) {
  const filters = JSON.stringify({ label: [`com.docker.compose.project=${project}`] });
  const found = /** @type {Described[]} */ (await engine.listNetworks({ filters }));
  return found.map(networkOf).sort((one, other) => (one.name < other.name ? -1 : 1));
}
