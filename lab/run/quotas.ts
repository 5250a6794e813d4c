/**
 * CPU quotas of containers, as the engine has them: how one is changed and brought back; and those that are lifted for the warm-up, so that a
 * small node compiles its paths in seconds and not in minutes, and are back before the load.
 */
import { RunFailedError } from '../base/errors.ts';
import type { Service } from '../docker/containers.ts';
import { quotaCores } from '../docker/containers.ts';
import { containerById, engineOf } from '../docker/docker.ts';

export type Quota = { CpuPeriod?: number; CpuQuota?: number; NanoCpus?: number };

/** Docker's own. At the lab's of 10 ms the kernel would take no quota below a tenth of a core. */
const PERIOD_US = 100_000;
const NO_QUOTA = -1;
const NANO = 1e9;

/** What the engine is told of a quota: in the way in which the container got the one that it has, for the engine refuses the other. */
export const quotaOf = (cores: number, { NanoCpus: nano }: Quota): Quota =>
	nano ? { NanoCpus: Math.round(cores * NANO) } : { CpuPeriod: PERIOD_US, CpuQuota: Math.round(cores * PERIOD_US) };

/** @returns that brings it back */
export function quotaBefore({ NanoCpus: nano, CpuPeriod: period, CpuQuota: quota }: Quota): Quota {
	if (nano) return { NanoCpus: nano };
	return quota && quota > 0 ? { CpuPeriod: period || PERIOD_US, CpuQuota: quota } : { CpuQuota: NO_QUOTA };
}

/**
 * @param tiers whose quotas are lifted
 * @returns brings them back
 * @throws {RunFailedError} the function that brings them back, when a container does not have its quota afterwards
 */
export async function liftQuotas(services: Service[], tiers: readonly string[]): Promise<() => Promise<void>> {
	const limited = services.filter(({ tier, cpuQuotaCores }) => tiers.includes(tier) && cpuQuotaCores !== null);
	const before = await Promise.all(limited.map(liftQuota));
	return async () => {
		await Promise.all(limited.map((service, index) => bringBack(service, before[index])));
	};
}

/** what it had */
async function liftQuota({ id }: Service): Promise<Quota> {
	const container = containerById(id);
	const [{ HostConfig: before }, { NCPU: hostCores }] = await Promise.all([container.inspect(), engineOf(id).info()]);
	await container.update(quotaOf(hostCores, before));
	return before;
}

async function bringBack({ id, name, cpuQuotaCores }: Service, before: Quota): Promise<void> {
	const container = containerById(id);
	await container.update(quotaBefore(before));
	const { HostConfig: after } = await container.inspect();
	const cores = quotaCores(after);
	if (cores !== cpuQuotaCores)
		throw new RunFailedError(
			`${name} was to have its quota of ${cpuQuotaCores} of a core back before the load, and has ${cores ?? 'none'}.`,
		);
}
