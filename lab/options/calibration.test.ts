import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { capacityOf, quotasOf } from '../catalog/budgets.ts';
import { recordOf } from '../diagnose/fixtures/record.ts';
import { resultOf } from '../diagnose/result.ts';
import {
	CALIBRATION,
	calibrationOf,
	conditionsOf,
	costSpread,
	isServedBy,
	needsCalibration,
	shareSpreads,
	takesCalibration,
	whyUnfit,
} from './calibration.ts';
import type { Settings } from './settings.ts';
import { readSettings } from './settings.ts';

/** Two nodes behind Nginx, none of whose requests failed. */
const measured = resultOf(recordOf({ balanced: true }));
const here = {
	machine: { cpu_model: 'a processor', cores: 2, kernel: '6.1' },
	images: {
		APP_IMAGE: 'app:1',
		NGINX_IMAGE: 'nginx:1',
		MONGO_IMAGE: 'mongo:1',
		K6_IMAGE: 'k6:1',
		NODE_IMAGE: 'node:1',
		TOKYO_IMAGE: 'tokyo:1',
	},
	git: { commit: 'abc', changed: false },
};
const calibration = calibrationOf(measured, here);
const HOUR_MS = 3_600_000;
const at = Date.parse(calibration.measured);
const CORES = 2;

const asked: (env?: Record<string, string | undefined>, architecture?: string) => Settings = (env = {}, architecture = '2a') =>
	readSettings(architecture, env);

test('a calibration is asked of an architecture in which every tier is, under a load and a budget that there are', () => {
	const settings = asked({ LOAD: CALIBRATION.load, BUDGET: CALIBRATION.budget }, CALIBRATION.architecture);
	assert.equal(needsCalibration(settings), false);
	assert.equal(scenarioOf(CALIBRATION.architecture), 'documents');
	assert.equal(architectures[CALIBRATION.architecture].published, 'doubling.2a');
});

test('what a request costs a tier is the CPU of all its services over the finished requests', () => {
	const { resources, metrics } = measured;
	const cores = (service: string) => Number(resources[service].cpu_cores.mean);
	const nodes = cores('app-1') + cores('app-2');
	assert.ok(Math.abs(calibration.demand_ms.app - (nodes * 1000) / metrics.throughput_rps) < 0.001);
	assert.ok(Math.abs(calibration.demand_ms.generator - (cores('k6') * 1000) / metrics.throughput_rps) < 0.001);
	assert.deepEqual(Object.keys(calibration.demand_ms).sort(), ['app', 'database', 'generator', 'load-balancer']);
});

test('a run that is INVALID, that failed, or that lacks a reading is no calibration, and the reason is said', () => {
	const refused = (differing: object, why: RegExp) => assert.throws(() => calibrationOf({ ...measured, ...differing }, here), why);
	refused({ validity: { verdict: 'INVALID', reasons: ['counts differ'] } }, /cannot be used: its run is INVALID: counts differ\./);
	refused({ metrics: { ...measured.metrics, failure_rate: 0.02 } }, /cannot be used: 2\.0 % of its requests failed/);
	const { k6: _, ...others } = measured.resources;
	refused({ resources: others }, /no CPU time could be read of generator/);
	const unread = { ...measured.resources.mongo, cpu_cores: { mean: null, max: null } };
	refused({ resources: { ...measured.resources, mongo: unread } }, /no CPU time could be read of database/);
});

test('a calibration of this machine and these images holds for a day', () => {
	assert.equal(whyUnfit(calibration, here, at + 23 * HOUR_MS), null);
	assert.match(whyUnfit(calibration, here, at + 25 * HOUR_MS) ?? '', /holds for a day/);
	assert.match(whyUnfit(calibration, here, at - HOUR_MS) ?? '', /holds for a day/);
	assert.match(whyUnfit(null, here, at) ?? '', /none was made here yet/);
});

test('a calibration of another machine, kernel or image does not fit, and an image that it does not use is nothing to it', () => {
	for (const differing of [{ cores: 4 }, { kernel: '6.2' }, { cpu_model: 'another' }])
		assert.match(whyUnfit(calibration, { ...here, machine: { ...here.machine, ...differing } }, at) ?? '', /of another machine/);
	const withImage = (images: Record<string, string>) => ({ ...here, images: { ...here.images, ...images } });
	assert.match(whyUnfit(calibration, withImage({ APP_IMAGE: 'app:2' }), at) ?? '', /another image \(app:1, now app:2\)/);
	assert.equal(whyUnfit(calibration, withImage({ TOKYO_IMAGE: 'tokyo:2' }), at), null);
});

test('readings of a machine that changes its speed are far apart in what a request costs, and near in the tiers’ shares of it', () => {
	// Three real calibrations, minutes apart.
	const readings = [
		{ generator: 0.366, 'load-balancer': 0.161, app: 0.769, database: 0.316 },
		{ generator: 0.467, 'load-balancer': 0.199, app: 1.02, database: 0.45 },
		{ generator: 0.356, 'load-balancer': 0.157, app: 0.755, database: 0.314 },
	].map((demand) => ({ ...calibration, demand_ms: demand }));
	// 1.612, 2.136 and 1.582 ms: the largest less the smallest, over the mean.
	assert.equal(costSpread(readings).toFixed(3), '0.312');
	const shares = Object.entries(shareSpreads(readings)).map(([tier, spread]) => [tier, spread.toFixed(3)]);
	assert.deepEqual(Object.fromEntries(shares), { generator: '0.038', 'load-balancer': '0.069', app: '0.001', database: '0.073' });
});

test('the quotas follow from the shares alone: on a machine of half the speed they are the same', () => {
	const slower = Object.fromEntries(Object.entries(calibration.demand_ms).map(([tier, ms]) => [tier, 2 * ms]));
	for (const budget of ['fair', 'scale']) assert.deepEqual(quotasOf(budget, CORES, slower), quotasOf(budget, CORES, calibration.demand_ms));
});

test('a run needs a calibration for its quotas or for its think time, and for nothing else', () => {
	for (const env of [{ BUDGET: 'fair' }, { BUDGET: 'scale' }, { LOAD: 'patient' }, { LOAD: 'patient', THINK: '5', BUDGET: 'fair' }])
		assert.equal(needsCalibration(asked(env)), true, JSON.stringify(env));
	for (const env of [{}, { LOAD: 'open' }, { BUDGET: 'database' }, { LOAD: 'patient', THINK: '5' }])
		assert.equal(needsCalibration(asked(env)), false, JSON.stringify(env));
	assert.equal(needsCalibration(asked({}, 'crud')), false);
	assert.equal(takesCalibration(asked({ LOAD: 'patient', THINK: '5' })), true);
	assert.equal(takesCalibration(asked()), false);
});

test('2,000 patient users demand what one node serves under the budget of their run', () => {
	for (const BUDGET of ['none', 'fair']) {
		const { quotas, think_time_s: think } = conditionsOf(asked({ LOAD: 'patient', BUDGET }), CORES, calibration);
		assert.deepEqual(quotas, quotasOf(BUDGET, CORES, calibration.demand_ms));
		const capacity = capacityOf({ quotas, cores: CORES, demandMs: calibration.demand_ms });
		assert.ok(Math.abs(2000 / Number(think) / capacity - 1) < 0.001, BUDGET);
	}
	assert.ok(
		Number(conditionsOf(asked({ LOAD: 'patient', BUDGET: 'fair' }), CORES, calibration).think_time_s) >
			Number(conditionsOf(asked({ LOAD: 'patient' }), CORES, calibration).think_time_s),
	);
});

test('a think time that is given stands, and the loads that have their own keep it', () => {
	assert.equal(conditionsOf(asked({ LOAD: 'patient', THINK: '1400' }), CORES, null).think_time_s, 1.4);
	assert.equal(conditionsOf(asked({ LOAD: 'ramp' }), CORES, calibration).think_time_s, null);
});

test('a rate that is asked for as a share is one of what that very system serves when it is full', () => {
	const wanted = asked({ LOAD: 'constant', BUDGET: 'database', RATE: '33%' }, 'a');
	const served = { architecture: 'a', budget: 'database', variables: {}, rps: 94.2, runs: ['calibration/one'] };
	assert.equal(conditionsOf(wanted, CORES, { ...calibration, served }).rate_rps, 31);
	assert.equal(conditionsOf(asked(), CORES, { ...calibration, served }).rate_rps, null);
	assert.equal(needsCalibration(wanted), true);
	for (const without of [null, calibration])
		assert.throws(() => conditionsOf(wanted, CORES, without), /RATE: expected what the system serves when it is full/);
});

test('what was served is of one architecture, one budget and the same variables', () => {
	const limits = (given: Record<string, string>) => asked({ LOAD: 'constant', RATE: '33%', ...given }, 'a-limits');
	const { architecture, budget, variables } = limits({ READ_COST: '100' });
	const served = { architecture, budget, variables, rps: 94.2, runs: [] };
	assert.equal(isServedBy(served, limits({ READ_COST: '100' })), true);
	for (const other of [limits({}), limits({ READ_COST: '100', BUDGET: 'database' })]) assert.equal(isServedBy(served, other), false);
	assert.equal(isServedBy(undefined, limits({})), false);
});

test('what would follow from a calibration is refused without one', () => {
	assert.throws(
		() => conditionsOf(asked({ LOAD: 'patient' }), CORES, null),
		/LOAD=patient: expected .*found nothing\.\n.*make calibrate.*THINK=/,
	);
	assert.throws(() => conditionsOf(asked({ BUDGET: 'fair' }), CORES, null), /BUDGET=fair: expected/);
});
