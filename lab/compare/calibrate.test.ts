import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from '../diagnose/fixtures/experiment-runs.ts';
import type { Calibration } from '../options/calibration.ts';
import { conditionsOf } from '../options/calibration.ts';
import { fixConditions } from './calibrate.ts';
import type { Plan } from './plan.ts';
import { settingsOf } from './planned-systems.ts';

const calibration: Calibration = {
	run: 'calibration/x',
	measured: '2026-03-14T09:26:53Z',
	validity: 'VALID',
	machine: { cpu_model: 'a processor', cores: 2, kernel: '6.1' },
	images: {},
	git: null,
	demand_ms: { app: 0.9, 'load-balancer': 0.3, database: 0.5, generator: 0.4 },
	throughput_rps: 1180,
};
const arms = [
	{ id: 'a', architecture: 'a' },
	{ id: '2a', architecture: '2a' },
	{ id: '2a free', architecture: '2a', variables: { BUDGET: 'none' } },
];
const never = () => assert.fail('nothing was to be measured');

const planWith = (differing: object): Plan => ({ ...planOf({ arms }), machine: { cores: 2 }, attempts: [], ...differing });

test('patient users think equally long in every arm, whatever its budget, and that is settled once', async () => {
	const plan = planWith({ load: 'patient', budget: 'fair' });
	await fixConditions(plan, async () => calibration);
	const thinkTimes = arms.map(({ id }) => settingsOf(plan, id)).map((settings) => conditionsOf(settings, 2, calibration).think_time_s);
	assert.ok(Number(plan.think_time_s) > 2);
	assert.deepEqual(thinkTimes, [plan.think_time_s, plan.think_time_s, plan.think_time_s]);
	assert.equal(plan.calibration, calibration);
	await fixConditions(plan, never);
});

test('a calibration is made when one arm alone needs it, and not when none does', async () => {
	const one = planWith({
		load: 'ramp',
		budget: 'none',
		arms: [...arms, { id: 'a fair', architecture: 'a', variables: { BUDGET: 'fair' } }],
	});
	await fixConditions(one, async (settings) => (settings.budget === 'fair' ? calibration : never()));
	assert.equal(one.calibration, calibration);
	assert.equal(one.think_time_s, null);
	const none = planWith({ load: 'ramp', budget: 'none' });
	await fixConditions(none, never);
	assert.equal(none.calibration, null);
});

test('a think time that is given for all arms stands', async () => {
	const plan = planWith({ load: 'patient', budget: 'none', variables: { THINK: '1400' } });
	await fixConditions(plan, never);
	assert.equal(plan.think_time_s, 1.4);
	assert.equal(settingsOf(plan, '2a').think, 1400);
});

test('runs that had other quotas are not gone on with, and those that had none are', async () => {
	const attempts = [{ block: 1, arm: 'a', run: 'compare/x/runs/1', validity: 'VALID', took_s: 90 }];
	await assert.rejects(fixConditions(planWith({ load: 'ramp', budget: 'fair', attempts }), never), /^NotReadyError: RESUME: expected/);
	await fixConditions(planWith({ load: 'ramp', budget: 'none', attempts }), never);
});

test('arms of several loads share one think time and one rate, each where its load has it', async () => {
	const several = [
		{ id: '2a (patient)', architecture: '2a', load: 'patient' },
		{ id: 'a (surge)', architecture: 'a', load: 'surge', variables: { RATE: '120%' } },
	];
	const plan = planWith({ load: 'patient', budget: 'none', arms: several });
	const served = { architecture: 'a', budget: 'none', variables: {}, rps: 800, runs: [] };
	await fixConditions(plan, async ({ rate_share: share }) => (share === 1.2 ? { ...calibration, served } : never()));
	const [patient, surge] = several.map(({ id }) => settingsOf(plan, id));
	assert.deepEqual([patient.load, surge.load], ['patient', 'surge']);
	assert.equal(patient.think, Math.round(Number(plan.think_time_s) * 1000));
	assert.equal(surge.think, null);
	assert.equal(conditionsOf(surge, 2, plan.calibration ?? null).rate_rps, 960);
});
