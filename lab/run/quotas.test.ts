import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeContainers } from '../docker/docker.ts';
import { liftQuotas, quotaBefore, quotaOf } from './quotas.ts';

test('a quota is reported in the way in which the container has one, and comes back as it was', () => {
	assert.deepEqual(quotaOf(0.02, {}), { CpuPeriod: 100_000, CpuQuota: 2000 });
	assert.deepEqual(quotaOf(0.02, { NanoCpus: 5e8 }), { NanoCpus: 2e7 });
	assert.deepEqual(quotaBefore({ CpuQuota: 0, CpuPeriod: 10_000 }), { CpuQuota: -1 });
	assert.deepEqual(quotaBefore({ CpuQuota: 2500, CpuPeriod: 10_000 }), { CpuPeriod: 10_000, CpuQuota: 2500 });
	assert.deepEqual(quotaBefore({ CpuQuota: 0, NanoCpus: 5e8 }), { NanoCpus: 5e8 });
});

/**
 * An engine of two cores that keeps the quotas of its containers.
 * @param quotas by container
 * @param kept what it makes of a quota that it is told
 */
function engineWith(quotas: Record<string, object>, kept: (wanted: any) => object = (wanted) => wanted) {
	const engine = {
		info: async () => ({ NCPU: 2 }),
		getContainer: (id: string) => ({
			inspect: async () => ({ HostConfig: quotas[id] }),
			update: async (wanted: object) => {
				quotas[id] = kept(wanted);
			},
		}),
	};
	placeContainers(engine as any, Object.keys(quotas));
}

const service = (id: string, tier: string, cpuQuotaCores: number | null) => ({ id, name: id, tier, cpuQuotaCores }) as any;

test('the nodes have the whole host for the warm-up, and the quotas that they had for the load', async () => {
	const quotas: Record<string, object> = {
		'app-1': { CpuPeriod: 50_000, CpuQuota: 8500 },
		'app-2': { NanoCpus: 17e7 },
		mongo: { CpuPeriod: 50_000, CpuQuota: 20_000 },
		'app-3': {},
	};
	engineWith(quotas);
	const services = [
		service('app-1', 'app', 0.17),
		service('app-2', 'app', 0.17),
		service('mongo', 'database', 0.4),
		service('app-3', 'app', null),
	];

	const bringBack = await liftQuotas(services, ['app']);
	assert.deepEqual(quotas, {
		'app-1': { CpuPeriod: 100_000, CpuQuota: 200_000 },
		'app-2': { NanoCpus: 2e9 },
		mongo: { CpuPeriod: 50_000, CpuQuota: 20_000 },
		'app-3': {},
	});
	await bringBack();
	assert.deepEqual([quotas['app-1'], quotas['app-2']], [{ CpuPeriod: 50_000, CpuQuota: 8500 }, { NanoCpus: 17e7 }]);
});

test('a node that does not have its quota back is no run', async () => {
	engineWith({ 'app-1': { CpuPeriod: 50_000, CpuQuota: 8500 } }, () => ({ CpuPeriod: 100_000, CpuQuota: 200_000 }));
	const bringBack = await liftQuotas([service('app-1', 'app', 0.17)], ['app']);
	await assert.rejects(bringBack, /app-1 was to have its quota of 0\.17 of a core back before the load, and has 2/);
});

test('where no tier is named nothing is touched', async () => {
	const quotas = { 'app-1': { CpuPeriod: 10_000, CpuQuota: 1700 } };
	engineWith(quotas);
	const bringBack = await liftQuotas([service('app-1', 'app', 0.17)], []);
	await bringBack();
	assert.deepEqual(quotas, { 'app-1': { CpuPeriod: 10_000, CpuQuota: 1700 } });
});
