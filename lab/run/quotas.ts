/**
 * CPU quotas of containers, as the engine has them: how one is changed and brought back; and those that are lifted for the warm-up, so that a
 * small node compiles its paths in seconds and not in minutes, and are back before the load.
 *
 * @typedef {{ CpuPeriod?: number, CpuQuota?: number, NanoCpus?: number }} Quota
 *
 * @import { Service } from '../docker/containers.ts'
 */
import { RunFailedError } from '../base/errors.ts';
import { quotaCores } from '../docker/containers.ts';
import { containerById, engineOf } from '../docker/docker.ts';

/** Docker's own. At the lab's of 10 ms the kernel would take no quota below a tenth of a core. */
const PERIOD_US = 100_000;
const NO_QUOTA = -1;
const NANO = 1e9;

/**
 * What the engine is told of a quota: in the way in which the container got the one that it has, for the engine refuses the other.
 * @param {number} cores
 * @param {Quota} before
 * @returns {Quota}
 */
export const quotaOf = (cores, { NanoCpus: nano }) =>
	nano ? { NanoCpus: Math.round(cores * NANO) } : { CpuPeriod: PERIOD_US, CpuQuota: Math.round(cores * PERIOD_US) };

/** @param {Quota} before @returns {Quota} that brings it back */
export function quotaBefore({ NanoCpus: nano, CpuPeriod: period, CpuQuota: quota }) {
	if (nano) return { NanoCpus: nano };
	return quota && quota > 0 ? { CpuPeriod: period || PERIOD_US, CpuQuota: quota } : { CpuQuota: NO_QUOTA };
}

/**
 * @param {Service[]} services
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

/** @type {(service: Service) => Promise<Quota>} what it had */
async function liftQuota({ id }) {
	const container = containerById(id);
	const [{ HostConfig: before }, { NCPU: hostCores }] = await Promise.all([container.inspect(), engineOf(id).info()]);
	await container.update(quotaOf(hostCores, before));
	return before;
}

/** @type {(service: Service, before: Quota) => Promise<void>} */
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
