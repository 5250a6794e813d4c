/**
 * Quotas that are lifted for the warm-up, so that a small node compiles its paths in seconds and not in minutes, and are back before the load.
 */
import { RunFailedError } from '../base/errors.js';
import { quotaCores } from '../docker/containers.js';
import { containerById, engineOf } from '../docker/docker.js';
import { quotaBefore, quotaOf } from './faults/deeds.js';

/**
 * @param {import('../docker/containers.js').Service[]} services
 * @param {readonly string[]} tiers  whose quotas are lifted
 * @returns {Promise<() => Promise<void>>} brings them back
 * @throws {RunFailedError} the function that brings them back, when a container does not have its quota afterwards
 */
export async function liftQuotas(services, tiers) {
  const limited = services.filter(({ tier, cpuQuotaCores }) => tiers.includes(tier) && cpuQuotaCores !== null);
  const before = await Promise.all(limited.map(liftQuota));
  return async () => {
    await Promise.all(limited.map((service, index) => bringBack(service, before[index])));
  };
}

/** @type {(service: import('../docker/containers.js').Service) => Promise<import('./faults/deeds.js').Quota>} what it had */
async function liftQuota({ id }) {
  const container = containerById(id);
  const [{ HostConfig: before }, { NCPU: hostCores }] = await Promise.all([container.inspect(), engineOf(id).info()]);
  await container.update(quotaOf(hostCores, before));
  return before;
}

/** @type {(service: import('../docker/containers.js').Service, before: import('./faults/deeds.js').Quota) => Promise<void>} */
async function bringBack({ id, name, cpuQuotaCores }, before) {
  const container = containerById(id);
  await container.update(quotaBefore(before));
  const { HostConfig: after } = await container.inspect();
  const cores = quotaCores(after);
  if (cores !== cpuQuotaCores)
    throw new RunFailedError(
      `${name} was to have its quota of ${cpuQuotaCores} of a core back before the load, and has ${cores ?? 'none'}.`,
    );
}
