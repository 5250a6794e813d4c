/**
 * What the manifest of a run says of its services, and of who asks whom: names, addresses and limits. Nothing of their environment.
 *
 * @typedef {import('../docker/containers.js').Service} Service
 *
 * @typedef {object} Way   of requests, by Compose's names of services
 * @property {readonly string[]} entries  where users come in
 * @property {readonly (readonly [string, string])[]} edges  who asks whom
 */
import { GENERATOR_NAME } from '../base/paths.js';
import { compareNames } from '../docker/container-names.js';

/** @param {Service[]} services */
export const describeServices = (services) =>
  services
    .map(({ service, name, host, tier, product, watch, address, addresses, cpuQuotaCores }) => ({
      service,
      name,
      ...(host === undefined ? {} : { host }),
      tier,
      ...(product === null ? {} : { product, watch }),
      address,
      addresses,
      cpu_quota_cores: cpuQuotaCores,
    }))
    .toSorted((one, other) => compareNames(one.name, other.name));

/**
 * By containers: each of a service may ask each of another. The generator's edges are the first.
 * @param {Service[]} services
 * @param {Way | null} way  null where the tiers alone say who asks whom
 * @returns {{ edges?: { from: string, to: string }[] }}
 */
export function describeEdges(services, way) {
  if (way === null) return {};
  const named = (/** @type {string} */ service) =>
    services
      .filter((container) => container.service === service && container.tier !== 'generator')
      .map(({ name }) => name)
      .toSorted(compareNames);
  return {
    edges: [
      ...way.entries.flatMap((service) => named(service).map((to) => ({ from: GENERATOR_NAME, to }))),
      ...way.edges.flatMap(([from, to]) => named(from).flatMap((one) => named(to).map((other) => ({ from: one, to: other })))),
    ],
  };
}
