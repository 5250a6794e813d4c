/**
 * Who is there and who asks whom: every service is a hop, every pair that talks an edge. The manifest names its edges; in one of before, and
 * where a program makes the load, they follow from the tiers.
 *
 * @typedef {{ from: string, to: string }} Edge  by the services' names
 * @typedef {{ name: string, service?: string, tier: string, address?: string, addresses?: string[] }} Described  name: of the container;
 *   service: Compose's, common to several
 *
 * @typedef {object} Topology
 * @property {Edge[]} edges
 * @property {{ name: string, tier: string }} entry the tier that the generator talks to; of several the first
 * @property {Set<string>} entries                  all that it talks to
 * @property {Map<string, import('../../record/types.js').Tier>} tiers  of the services
 * @property {Map<string, string>} names            address to service
 * @property {Map<string, string[]>} replicas       containers by the name that several have in common
 * @property {string[]} observers                   services of the lab's own, which no request passes
 */

import { wayOfTiers } from '../../adapters/observed-system.js';

/**
 * @param {{ services?: Described[], edges?: Edge[] }} manifest
 * @param {string} generator  its name
 * @returns {Topology}
 */
export function topologyOf({ services = [], edges }, generator) {
  const asked = (edges ?? []).flatMap(({ from, to }) => (from === generator ? [to] : []));
  const { name, tier } = entryOf(services, asked[0]);
  const replicas = replicasOf(services);
  return {
    edges: edges ?? edgesByTier(services, generator),
    entry: { name, tier },
    entries: new Set([name, ...asked]),
    tiers: new Map(
      services.flatMap((service) =>
        [service.name, service.service ?? service.name].map((key) => [
          key,
          /** @type {import('../../record/types.js').Tier} */ (service.tier),
        ]),
      ),
    ),
    names: namesOf(services, replicas),
    replicas,
    observers: services.filter((service) => service.tier === 'observer').map((service) => service.name),
  };
}

/** @param {Described[]} services @param {string} generator @returns {Edge[]} */
function edgesByTier(services, generator) {
  const { entries, edges } = wayOfTiers(services);
  return [...entries.map((to) => ({ from: generator, to })), ...edges.map(([from, to]) => ({ from, to }))];
}

/** Where the edges are named, whom the generator asks; else the first tier that is there. @type {(services: Described[], asked: string | undefined) => { name: string, tier: string }} */
function entryOf(services, asked) {
  const first = ['load-balancer', 'app', 'database'].map((tier) => services.find((service) => service.tier === tier)).find(Boolean);
  return services.find(({ name }) => name === asked) ?? first ?? { name: 'app', tier: 'app' };
}

/**
 * @param {Pick<Described, 'name' | 'service'>[]} services
 * @returns {Map<string, string[]>} containers by the name that they have in common; only where there are several
 */
function replicasOf(services) {
  /** @type {Map<string, string[]>} */
  const all = new Map();
  for (const { name, service = name } of services) all.set(service, [...(all.get(service) ?? []), name]);
  return new Map([...all].filter(([, names]) => names.length > 1));
}

/** @type {(services: Described[], replicas: Topology['replicas']) => Topology['names']} */
const namesOf = (services, replicas) =>
  new Map([
    ...[...replicas.keys()].map((name) => /** @type {const} */ ([name, name])),
    ...services.flatMap(({ address, addresses = [], name }) =>
      [...(address === undefined ? [] : [address]), ...addresses, name].map((key) => /** @type {const} */ ([key, name])),
    ),
  ]);
