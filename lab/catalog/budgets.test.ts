import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import type { PerTier } from './budgets.ts';
import {
	budgets,
	CPU_PERIOD_US,
	capacityOf,
	DEFAULT_BUDGET,
	definitionOf,
	EXPERIMENT_BUDGET,
	isComputed,
	judgedUnder,
	periodOf,
	quotasOf,
	quotaVariables,
} from './budgets.ts';
import { claimsOf } from './claims.ts';
import { experiments } from './experiments.ts';

/** Of the order that a request costs on two cores of a server. */
const DEMAND_MS: PerTier = { app: 0.9, 'load-balancer': 0.3, database: 0.5, generator: 0.4 };
const COMPUTED = Object.keys(budgets).filter(isComputed);
/** Quotas are whole microseconds of a period. */
const ROUNDING = 1 / CPU_PERIOD_US;

const near: (actual: number, expected: number) => void = (actual, expected) =>
	assert.ok(Math.abs(actual - expected) <= 2 * ROUNDING, `${actual}, expected ${expected}`);

for (const id of COMPUTED) {
	const nodes = budgets[id].nodes ?? 0;
	for (const cores of [2, 4]) {
		test(`under ${id} on ${cores} cores the nodes run out first, the others keep their room, and all of them fit`, () => {
			const quotas = quotasOf(id, cores, DEMAND_MS);
			assert.deepEqual(Object.keys(quotas).sort(), ['app', 'database', 'load-balancer']);
			const rps = (nodes * quotas.app * 1000) / DEMAND_MS.app;
			near((rps * DEMAND_MS['load-balancer']) / 1000, 0.6 * quotas['load-balancer']);
			near((rps * DEMAND_MS.database) / 1000, (id === 'scale' ? 0.5 : 0.7) * quotas.database);
			const generator = (rps * DEMAND_MS.generator) / 1000 / 0.6;
			near(nodes * quotas.app + quotas['load-balancer'] + quotas.database + generator, 0.93 * cores);
		});
	}

	test(`under ${id} one node serves its share of what all of them serve, and is the tier that binds`, () => {
		const quotas = quotasOf(id, 2, DEMAND_MS);
		const one = capacityOf({ quotas, cores: 2, demandMs: DEMAND_MS });
		near((one * DEMAND_MS.app) / 1000, quotas.app);
		for (const tier of ['load-balancer', 'database']) assert.ok((nodes * one * DEMAND_MS[tier]) / 1000 < 0.75 * quotas[tier], tier);
	});

	test(`${id} without a calibration, or with half of one, says what is missing before anything starts`, () => {
		assert.throws(() => quotasOf(id, 2), NotReadyError);
		assert.throws(() => quotasOf(id, 2), /BUDGET=.*found nothing of app, load-balancer, database, generator/);
		assert.throws(() => quotasOf(id, 2, { ...DEMAND_MS, database: 0 }), /found nothing of database\./);
	});

	test(`${id} that would leave a node less than the kernel takes is refused with both figures`, () => {
		const least = 1000 / periodOf(id);
		assert.throws(
			() => quotasOf(id, 5 * least, DEMAND_MS),
			new RegExp(`at least ${least} of a core for each of \\d nodes.*${5 * least} cores leave 0\\.0\\d\\d\\.`),
		);
	});
}

test('on many cores a node and the balancer get no more than the one core that they can use', () => {
	const cheap = { ...DEMAND_MS, 'load-balancer': 0.2 };
	assert.equal(quotasOf('fair', 64, cheap).app, 1);
	assert.ok(quotasOf('fair', 64, cheap)['load-balancer'] < 1);
	const dear = { ...DEMAND_MS, 'load-balancer': 0.6 };
	assert.equal(quotasOf('fair', 64, dear)['load-balancer'], 1);
	assert.ok(quotasOf('fair', 64, dear).app < 1);
});

test('a dearer request lowers the throughput, and leaves the shares as they are', () => {
	const twice = Object.fromEntries(Object.entries(DEMAND_MS).map(([tier, ms]) => [tier, 2 * ms]));
	for (const [tier, quota] of Object.entries(quotasOf('fair', 2, DEMAND_MS))) near(quotasOf('fair', 2, twice)[tier], quota);
});

test('without quotas one node serves what the cores bear, and on many of them what its one thread bears', () => {
	assert.equal(Math.round(capacityOf({ quotas: {}, cores: 2, demandMs: DEMAND_MS })), 952);
	assert.equal(Math.round(capacityOf({ quotas: {}, cores: 64, demandMs: DEMAND_MS })), 1111);
});

test('the tier that is short of its quota decides what a node serves', () => {
	const quotas = { app: 0.5, 'load-balancer': 0.5, database: 0.1 };
	assert.equal(Math.round(capacityOf({ quotas, cores: 2, demandMs: DEMAND_MS })), 200);
});

test('a fixed budget takes its shares of the cores and needs no calibration', () => {
	const { app, database } = quotasOf('database', 2);
	assert.equal(app, 0.76);
	assert.ok(database < app);
});

test('no budget gives the generator a quota, which would stop its clocks', () => {
	for (const id of Object.keys(budgets)) assert.equal(quotasOf(id, 4, DEMAND_MS).generator, undefined, id);
});

test('no quota is below the 1 ms that the kernel takes', () => {
	const quotas = quotasOf('database', 0.01);
	for (const text of Object.values<any>(quotaVariables('database', quotas))) assert.ok(Number(text) >= 1000, text);
	assert.equal(quotas['load-balancer'], 1000 / CPU_PERIOD_US);
});

test('without quotas there is no variable of one either', () => {
	assert.deepEqual(quotaVariables('none', quotasOf('none', 2)), { CPU_PERIOD: '10000' });
});

test('a variable holds whole microseconds of a period and is named after its tier', () => {
	const quotas = { app: 0.3, 'load-balancer': 0.15 };
	assert.deepEqual(quotaVariables('fair', quotas), { CPU_PERIOD: '10000', APP_CPU_QUOTA: '3000', LOAD_BALANCER_CPU_QUOTA: '1500' });
	assert.deepEqual(quotaVariables('scale', quotas), { CPU_PERIOD: '50000', APP_CPU_QUOTA: '15000', LOAD_BALANCER_CPU_QUOTA: '7500' });
});

test('where four nodes have to fit two cores a quota is more than a tick of the kernel, 4 ms', () => {
	assert.ok(quotasOf('scale', 2, DEMAND_MS).app * periodOf('scale') > 4000);
});

test('every budget has a title, and those that stand in for one that is not given are in the table', () => {
	for (const [id, { title }] of Object.entries(budgets)) assert.ok(title, id);
	assert.ok(budgets[DEFAULT_BUDGET] && budgets[EXPERIMENT_BUDGET]);
});

test('a plan is judged by the definition that it keeps, whatever the table says today', () => {
	const kept = { ...experiments.workers, load: 'another', claims: [] };
	assert.equal(definitionOf({ experiment: 'workers', claims: [], definition: kept })?.load, 'another');
});

test('a plan from before definitions were kept falls back to the table, with its own claims', () => {
	const claims = claimsOf('workers').slice(0, 1);
	const definition = definitionOf({ experiment: 'workers', claims });
	assert.deepEqual([definition?.load, definition?.claims], ['workers', claims]);
	assert.equal(definitionOf({ experiment: 'compare', claims: [] }), null);
});

test('the own condition answers every claim, and another load has the own budget unless it names one', () => {
	assert.deepEqual(
		judgedUnder({
			load: 'ramp',
			judged_under: [
				{ load: 'calm', claims: ['D2'] },
				{ load: 'ramp', budget: 'none', claims: ['D3'] },
			],
		}),
		[
			{ load: 'ramp', budget: 'fair', claims: null },
			{ budget: 'fair', load: 'calm', claims: ['D2'] },
			{ budget: 'none', load: 'ramp', claims: ['D3'] },
		],
	);
});

test('what other conditions can answer are claims that there are', () => {
	for (const [id, table] of Object.entries(experiments)) {
		const ids = claimsOf(id).map((claim) => claim.id);
		for (const { claims } of judgedUnder(table)) for (const claim of claims ?? []) assert.ok(ids.includes(claim), `${id}: ${claim}`);
	}
});
