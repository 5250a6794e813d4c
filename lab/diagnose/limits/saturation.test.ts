import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import { FROM } from '../fixtures/story.ts';
import { machineBusyIn } from './machine-busy.ts';
import { cpuShares, resourcesOf } from './resources.ts';

test('a service is measured over the load: CPU, the share of throttled periods, memory', () => {
	const raw = recordOf();
	setCpu(raw, 'app-1', 0.9, 4, 4);
	for (const row of raw.containers) if (row.name === 'app-1' && row.t > FROM + 5) row.memory_bytes = 2 ** 27;
	const { 'app-1': app, k6 } = resourcesOf(raw, factsOf(raw).window);
	assert.deepEqual(app, {
		tier: 'app',
		cpu_quota_cores: 0.5,
		cpu_cores: { mean: 0.177, max: 0.45 },
		cpu_throttled_fraction: 0.1,
		memory_bytes: { mean: 103_713_699, max: 2 ** 27 },
	});
	assert.equal(k6.cpu_cores.mean, 0.3);
});

test('a service without a quota is never throttled', () => {
	const raw = recordOf();
	for (const row of raw.containers) row.periods = 0;
	assert.equal(resourcesOf(raw, factsOf(raw).window).mongo.cpu_throttled_fraction, null);
});

test('a service whose container was never read has no figures', () => {
	const raw = recordOf();
	raw.containers = [];
	const { mongo } = resourcesOf(raw, factsOf(raw).window);
	assert.deepEqual([mongo.cpu_cores, mongo.cpu_throttled_fraction, mongo.memory_bytes.max], [{ mean: null, max: null }, null, null]);
});

test("CPU second by second is a share of the quota, or of the host's cores where there is none", () => {
	const raw = recordOf();
	setCpu(raw, 'app-1', 0.9, 4, 4);
	raw.manifest.services = raw.manifest.services.map((service: any) =>
		service.name === 'k6' ? { ...service, cpu_quota_cores: null } : service,
	);
	const shares = cpuShares(factsOf(raw), [3, 4, 5, 99]);
	assert.deepEqual(shares['app-1'], [0.3, 0.9, 0.3, null]);
	assert.deepEqual(shares.k6, [0.075, 0.075, 0.075, null]);
});

test('a quota that was changed while the service ran is the one that its seconds are shares of', () => {
	const raw = recordOf();
	for (const row of raw.containers) if (row.name === 'app-1') row.cpu_limit_cores = row.t >= FROM + 4 && row.t <= FROM + 6 ? 0.1 : 0.5;
	const shares = () => cpuShares(factsOf(raw), [4, 5, 6, 7])['app-1'];
	assert.deepEqual(shares(), [0.3, 1.5, 1.5, 0.3]);
	for (const row of raw.containers) if (row.name === 'app-1') row.cpu_limit_cores = null;
	assert.ok(
		shares().every((share) => share !== null && share < 0.04),
		'of four cores',
	);
});

test('where readings do not tell the quota, the kernel tells that it was used up: it stopped the service in each of its periods', () => {
	const raw = recordOf();
	const rows = raw.containers.filter(({ name }) => name === 'app-1');
	for (const row of rows) row.throttled_periods += 90 * Math.min(2, Math.max(0, row.t - FROM - 3));
	assert.deepEqual(cpuShares(factsOf(raw), [3, 4, 5, 6])['app-1'], [0.3, 1, 1, 0.3]);
});

test('the machine is as busy as its cores were in that time', () => {
	const raw = recordOf();
	let more = 0;
	for (const row of raw.host) {
		// Four cores, all of them from second 5 on.
		if (row.t > FROM + 4) more += 4;
		Object.assign(row, { cpu_busy_s: row.t - FROM + 5 + more, cpu_total_s: 5 * (row.t - FROM + 5) });
	}
	const facts = factsOf(raw);
	assert.deepEqual([machineBusyIn(facts, 0, 4), machineBusyIn(facts, 4, 10)], [0.2, 1]);
	assert.equal(machineBusyIn(facts, 0, Number.POSITIVE_INFINITY).toFixed(3), '0.733');
});

test('a machine that was not watched is not called busy', () => {
	const raw = recordOf();
	raw.host = raw.host.slice(0, 1);
	assert.equal(machineBusyIn(factsOf(raw), 0, Number.POSITIVE_INFINITY), 0);
});
