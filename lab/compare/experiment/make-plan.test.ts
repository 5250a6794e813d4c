import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import { DEFAULT_BUDGET, EXPERIMENT_BUDGET } from '../../catalog/budgets.ts';
import { experiments } from '../../catalog/experiments.ts';
import { planOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { ANY_LOOK } from '../../stats/any-look.ts';
import { announcedText } from '../stopping.ts';
import { planComparison, planExperiment } from './make-plan.ts';

/** Each of these is refused before anything is asked of the machine. */
const refused: (env: Record<string, string>, text: RegExp) => Promise<void> = (env, text) =>
	assert.rejects(planComparison(env), (error) => error instanceof NotReadyError && text.test(error.message));

test('arms of which a request is not the same thing are refused, with what it is of each', async () => {
	await refused(
		{ A: '2a', B: 'tickets-1', LOAD: 'smoke' },
		/^A and B: expected architectures that take the same requests; found 2a: "GET \/: writes .*", tickets-1: "POST \/tickets: .*"/,
	);
});

test('arms of one scenario get past that, to what is refused of their load', async () => {
	await refused({ A: 'tickets-1', B: 'tickets-3', LOAD: 'ramp' }, /^LOAD: expected one of checkout, smoke; found "ramp"/);
});

test('a comparison is under the standard load of its scenario unless one is given', async () => {
	await refused({ A: 'tokyo', B: 'tokyo:THREADS=4', THREADS: 'many' }, /^THREADS: /);
});

test('a baseline of another scenario is refused, though it was measured under a load of the same name', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-make-plan-'));
	try {
		const arms = [{ id: '2a', architecture: '2a' }];
		const attempts = [{ block: 1, arm: '2a', run: 'compare/one/runs/1', validity: 'VALID' as const, took_s: 50 }];
		await mkdir(join(folder, 'runs/1'), { recursive: true });
		for (const file of ['result.json', 'report.html']) await writeFile(join(folder, 'runs/1', file), '{}');
		await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms, attempts, pairs: [] })));
		await refused({ A: '2a', B: 'tickets-1', BASELINE: folder }, /take the same requests; found 2a \(baseline\): /);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});

test('a baseline that is not there is refused', async () => {
	await refused({ B: 'a', BASELINE: 'nowhere' }, /^BASELINE: expected the folder of an experiment.*; found no manifest\.json in nowhere\./);
});

test('thresholds are for a single run, and are refused of an experiment', async () => {
	await assert.rejects(planExperiment('doubling', { EXPECT: 'failure_rate<0.1' }), /EXPECT: .*; found an experiment/);
	await refused({ A: 'a', B: '2a', EXPECT: 'failure_rate<0.1' }, /EXPECT: .*; found a comparison/);
});

test('a variable that changes no arm is refused', async () => {
	await refused({ A: 'a', B: '2a', WORKERS: '3' }, /^WORKERS: expected none, because it changes nothing about any arm of this comparison/);
	await refused({ A: 'a', B: '2a', FAULTS: 'short' }, /^FAULTS: expected none/);
	await refused({ A: 'a', B: '2a', RATE: '100' }, /^RATE: expected none, because LOAD=ramp /);
	await assert.rejects(
		planExperiment('doubling', { A: 'a' }),
		/A: expected none, because it changes nothing about any arm of the experiment doubling/,
	);
	await assert.rejects(planExperiment('doubling', { THREADS: '3' }), /THREADS: expected none/);
});

test('a variable that every arm has its own value of changes none, and one that some have not is taken', async () => {
	await refused({ A: 'crud:WORKERS=5', B: 'crud:WORKERS=20', WORKERS: '3' }, /^WORKERS: expected none/);
	await assert.rejects(planExperiment('sensitivity', { DELAY: '5' }), /DELAY: expected none/);
	assert.deepEqual((await planComparison({ A: 'crud', B: 'crud:WORKERS=20', WORKERS: '3' })).variables, { WORKERS: '3' });
	assert.deepEqual((await planExperiment('doubling', { DELAY: '5' })).variables, { DELAY: '5' });
	assert.deepEqual((await planComparison({ A: 'a', B: '2a', LOAD: 'open', RATE: '100' })).variables, { RATE: '100' });
	const captured = await planComparison({ A: 'crud', B: 'crud:WORKERS=20', CAPTURE: '1' });
	assert.deepEqual(captured.variables, { CAPTURE: '1' });
	assert.match(captured.command, / CAPTURE=1 /);
});

test('a variable of the machine is never refused, and neither is one that is switched off', async () => {
	const plan = await planComparison({
		A: 'tickets-1',
		B: 'tickets-2',
		BUSY: 'allow',
		IMAGES: 'local',
		INTEGRITY: '0',
		WORKERS: '',
		USER: 'ada',
	});
	assert.deepEqual([plan.images, plan.variables], ['local', {}]);
});

test('arms are left out of an experiment, and not of a comparison', async () => {
	await refused({ A: 'a', B: '2a', ARMS: 'a' }, /^ARMS: expected an experiment, .* found a comparison/);
	await assert.rejects(planExperiment('doubling', { ARMS: 'a,3a' }), /^NotReadyError: ARMS: expected some of a,a-lb,/);
});

test('a comparison that names no budget has the one of a run, and an experiment its own', async () => {
	assert.equal((await planComparison({ A: 'a', B: '2a' })).budget, DEFAULT_BUDGET);
	for (const [id, { budget = EXPERIMENT_BUDGET }] of Object.entries(experiments))
		assert.equal((await planExperiment(id, {})).budget, budget, id);
});

test('an experiment of several loads makes every arm under each, or under the one that is given', async () => {
	const { arms, command, pairs, load } = await planExperiment('remedies', { ARMS: '2a,2a-slots' });
	assert.deepEqual(
		arms.map(({ id }) => id),
		['2a (patient)', '2a-slots (patient)', '2a (surge)', '2a-slots (surge)'],
	);
	assert.deepEqual([load, pairs.length], ['patient', 2]);
	assert.doesNotMatch(command, /LOAD=/);
	const surge = await planExperiment('remedies', { ARMS: '2a,2a-slots', LOAD: 'surge' });
	assert.deepEqual(
		surge.arms.map(({ id, variables }) => [id, variables?.RATE]),
		[
			['2a', '150%'],
			['2a-slots', '150%'],
		],
	);
	assert.match(surge.command, / LOAD=surge /);
	assert.equal((await planExperiment('remedies', { LOAD: 'surge', RATE: '400' })).variables.RATE, '400');
	await assert.rejects(planExperiment('remedies', { RATE: '400' }), /^NotReadyError: RATE: /);
});

test('the rule for stopping is in the plan with its hash, and says before the first run what so many blocks find', async () => {
	const { stopping, stopping_hash: hash, repeats, command } = await planComparison({ A: 'a', B: '2a', STOP: 'early' });
	assert.deepEqual([stopping, hash?.length, repeats], [ANY_LOOK, 64, 23]);
	assert.match(command, / STOP=early REPEATS=23 /);
	assert.match(
		announcedText(ANY_LOOK, { repeats, control: null }),
		/at most 23 repetitions, which find a loss of 10\.0 % .* noise of 9\.7 %/,
	);
	await refused({ B: '2a', BASELINE: 'nowhere', STOP: 'early' }, /^STOP: expected none with BASELINE/);
});
