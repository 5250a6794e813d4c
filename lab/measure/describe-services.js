/**
 * What the manifest of a run of a shipped architecture says of its services, and of who asks whom.
 */
import { architectures } from '../define/architectures.js';
import { GENERATOR_NAME } from '../define/paths.js';
import { compareNames } from './container-names.js';

/** Where the tiers alone do not say who asks whom. @param {string} id of the architecture */
export function describeEdges(id) {
  const { entry, edges } = architectures[id];
  if (edges === undefined || entry === undefined) return {};
  return { edges: [[GENERATOR_NAME, new URL(entry).hostname], ...edges].map(([from, to]) => ({ from, to })) };
}

/** @param {import('./containers.js').Service[]} services */
export function describeServices(services) {
  return services
    .map(({ service, name, host, tier, product, watch, address, cpuQuotaCores }) => ({
      service,
      name,
      ...(host === undefined ? {} : { host }),
      tier,
      ...(product === null ? {} : { product, watch }),
      address,
      cpu_quota_cores: cpuQuotaCores,
    }))
    .sort((one, other) => compareNames(one.name, other.name));
}
