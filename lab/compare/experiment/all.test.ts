import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import { experiments } from '../../catalog/experiments.ts';
import { planOf } from '../../diagnose/fixtures/experiment-runs.ts';
import type { Attempt } from '../plan.ts';
import { newAll, readAll, stepsLeft, variablesFor } from './all-manifest.ts';
import { claimedExperiments } from './findings.ts';
import { estimateOf } from './run-experiment.ts';

const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));
const attempt: (block: number, arm: string) => Attempt = (block, arm) => ({
	block,
	arm,
	run: `${block}-${arm}`,
	validity: 'VALID',
	took_s: 50,
});

test('the experiments are those that have claims, in the order of their table', () => {
	const { experiments: steps, variables, ended } = newAll({});
	assert.deepEqual(
		steps.map(({ experiment }) => experiment),
		claimedExperiments(),
	);
	assert.ok(steps.some(({ experiment }) => experiment === 'doubling') && !steps.some(({ experiment }) => experiment === 'scale'));
	const table = Object.keys(experiments);
	assert.deepEqual(
		claimedExperiments(),
		claimedExperiments().toSorted((one, other) => table.indexOf(one) - table.indexOf(other)),
	);
	assert.ok(steps.every(({ folder, done }) => folder === null && !done));
	assert.deepEqual([variables, ended], [{}, null]);
});

test('what holds for every experiment is kept for all of them', () => {
	const { variables } = newAll({ REPEATS: '2', SEED: '7', LOAD: 'smoke', IMAGES: '', PATH: '/bin' });
	assert.deepEqual(variables, { LOAD: 'smoke', REPEATS: '2', SEED: '7' });
});

test('what each experiment has of its own is refused by name', () => {
	for (const name of ['A', 'B', 'BASELINE', 'BUDGET', 'DELAY', 'RATE'])
		assert.throws(
			() => newAll({ [name]: 'x' }),
			(error) => error instanceof NotReadyError && error.message.includes(`expected no ${name}`),
		);
	assert.throws(() => newAll({ LOAD: 'ramp' }), /LOAD: expected none, or smoke/);
	assert.throws(() => newAll({ EXPECT: 'x' }), /EXPECT: expected none, because it changes nothing about experiment-all/);
});

test('what changes nothing about any experiment is refused as that', () => {
	assert.throws(() => newAll({ FAULTS: 'short' }), /FAULTS: expected none, because it changes nothing about experiment-all/);
	assert.throws(() => newAll({ PARTS: '1' }), /PARTS: expected none/);
	assert.deepEqual(newAll({ BUSY: 'allow', IMAGES: 'hub' }).variables, { IMAGES: 'hub' });
});

test('what remains are the experiments that are not done, the one that was begun among them', () => {
	const steps = [
		{ experiment: 'one', folder: 'one/1', done: true },
		{ experiment: 'two', folder: 'two/2', done: false },
		{ experiment: 'three', folder: null, done: false },
	];
	assert.deepEqual(
		stepsLeft({ experiments: steps }).map(({ experiment }) => experiment),
		['two', 'three'],
	);
});

test('the estimate has a line for each experiment with the runs that are missing, and one for all', () => {
	const begun = planOf({ arms, title: 'Begun', repeats: 8, attempts: [attempt(1, 'a'), attempt(1, '2a')] });
	const nearlyDone = planOf({ arms, title: 'Nearly done', repeats: 1, attempts: [attempt(1, 'a')] });
	assert.deepEqual(estimateOf([begun, nearlyDone]), [
		'Begun        14 runs, about 12 minutes',
		'Nearly done   1 run,  about a minute',
		'in all       15 runs, about 13 minutes',
	]);
});

test('only what a "make experiment-all" left, where it left it, can be gone on with', async (context) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-all-'));
	context.after(() => rm(folder, { recursive: true }));
	await assert.rejects(readAll(folder, {}), /found no manifest\.json/);
	await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms })));
	await assert.rejects(readAll(folder, {}), /found another manifest\.json/);
	await writeFile(join(folder, 'manifest.json'), JSON.stringify(newAll({})));
	await assert.rejects(readAll(folder, {}), /found another manifest\.json/);
	await assert.rejects(readAll(folder, { REPEATS: '2' }), /RESUME: expected no REPEATS/);
});

test('a first look is another load for all experiments but those whose faults are timed to their own', () => {
	const look = { LOAD: 'smoke', SEED: '1' };
	assert.deepEqual(variablesFor('doubling', look), look);
	assert.deepEqual(variablesFor('metastable', look), { SEED: '1' });
	assert.deepEqual(variablesFor('doubling', { SEED: '1' }), { SEED: '1' });
});
