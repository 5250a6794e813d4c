/**
 * Which hosts may run what: a service runs on those that have the label of its tier.
 *
 * @typedef {import('./stack-file.js').Model} Model
 *
 * @typedef {object} Node
 * @property {string} name
 * @property {string[]} labels  those that are `yes`
 * @property {boolean} isReady  it answers, and takes new containers
 */

import { NotReadyError } from '../../base/errors.js';
import { docker } from '../../docker/docker.js';

/** A host of the Swarm has the label of each tier that it may run. @param {string} tier */
const tierLabel = (tier) => `doubletake.${tier}`;
export const YES = 'yes';

/**
 * Where a service runs: on the hosts of its tier, or of the tier that it has to be beside.
 * @param {{ labels: Record<string, string> }} service
 */
export const placeLabelOf = ({ labels }) => tierLabel(labels['doubletake.beside'] ?? labels['doubletake.tier']);

/** @returns {Promise<Node[]>} of the Swarm */
export async function listNodes() {
  const nodes = /** @type {any[]} */ (await docker.listNodes());
  return nodes.map(({ Description: description, Spec: spec, Status: status }) => ({
    name: description.Hostname,
    labels: Object.keys(spec.Labels ?? {}).filter((label) => spec.Labels[label] === YES),
    isReady: status.State === 'ready' && spec.Availability === 'active',
  }));
}

/**
 * The images that each host needs.
 * @param {Model['services']} services  of the stack
 * @param {Node[]} nodes
 * @param {string[]} reached  names of the hosts whose engines the lab reaches
 * @returns {Record<string, string[]>} images by host
 * @throws {NotReadyError} when no host may run a service, or one may that the lab does not reach
 */
export function imagesByHost(services, nodes, reached) {
  /** @type {Record<string, string[]>} */
  const images = Object.fromEntries(reached.map((name) => [name, []]));
  const hosts = nodes.filter(({ isReady }) => isReady);
  const unplaced = new Set(
    Object.values(services)
      .map(placeLabelOf)
      .filter((label) => !hosts.some(({ labels }) => labels.includes(label))),
  );
  if (unplaced.size > 0)
    throw new NotReadyError(
      `Expected a host for each tier; found none that is ready and has the label ${[...unplaced].join(', ')}.`,
      `give it to a host: ${[...unplaced].map((label) => `docker node update --label-add ${label}=${YES} ${hosts[0]?.name ?? '<host>'}`).join('; ')}`,
    );
  for (const service of Object.values(services)) {
    for (const { name } of hosts.filter(({ labels }) => labels.includes(placeLabelOf(service)))) {
      if (!reached.includes(name))
        throw new NotReadyError(
          `Expected to reach the engine of each host that may run something; found ${name} (${placeLabelOf(service)}), which HOSTS does not name.`,
          `name it (HOSTS='${name}=ssh://...'), or take its label away: docker node update --label-rm ${placeLabelOf(service)} ${name}`,
        );
      if (!images[name].includes(service.image)) images[name].push(service.image);
    }
  }
  return images;
}
