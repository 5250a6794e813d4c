/**
 * Plans that are made beside what is kept below reports/, and gone on with there.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, afterEach, mock, test } from 'node:test';
import { shapes } from '../../../k6/lib/shapes.js';
import { planOf } from '../../diagnose/fixtures/experiment-runs.ts';
import type { Arm, Plan } from '../plan.ts';

const reports = await mkdtemp(join(os.tmpdir(), 'doubletake-kept-plans-'));
after(() => rm(reports, { recursive: true }));
// Read once, as the lab is loaded.
process.env.DOUBLETAKE_REPORTS = reports;
const { docker } = await import('../../docker/docker.ts');
const { describeMachine } = await import('../../docker/lock.ts');
const { makePlan } = await import('./make-plan.ts');
const { planToResume } = await import('./read-plan.ts');

mock.method(docker, 'info', async () => ({}));
const machine = await describeMachine();
afterEach(async () => {
	await rm(join(reports, 'compare'), { recursive: true, force: true });
});

const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));

/** A plan of two blocks, gone on with. */
async function resumed(env: Record<string, string> = {}) {
	const schedule = [
		['a', '2a'],
		['2a', 'a'],
	];
	const plan = planOf({ id: 'compare/20260314T092600Z-77aa', arms, repeats: 2, schedule, machine });
	const folder = join(reports, plan.id);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'manifest.json'), JSON.stringify(plan));
	return { before: schedule, plan: await planToResume(folder, { RESUME: folder, ...env }) };
}

test('blocks are added behind those that are planned, and fewer than planned are refused', async () => {
	const extended = 'planned for 2 repetitions, and extended to 4 afterwards';
	for (const env of [{}, { REPEATS: '2' }] as Record<string, string>[]) {
		const { before, plan } = await resumed(env);
		assert.deepEqual([plan.schedule, plan.repeats, plan.notes.includes(extended)], [before, 2, false]);
	}
	await assert.rejects(resumed({ REPEATS: '1' }), /REPEATS: expected 2 or more, as planned when it began; found "1"/);
	const { before, plan } = await resumed({ REPEATS: '4' });
	assert.deepEqual([plan.schedule.slice(0, 2), plan.schedule.length, plan.repeats, plan.notes.includes(extended)], [before, 4, 4, true]);
});

const record: (started: string, differing?: Record<string, unknown>) => Record<string, any> = (started, differing = {}) => ({
	...{ load: 'ramp', budget: 'fair', variables: {}, machine, arm: arms[0], control: { started, noise: {} } },
	...differing,
});

/** When the control was made by which a new plan is judged, where these are kept. */
async function controlBeside(
	records: Record<string, any>[],
	{
		arms: wanted = arms,
		loads,
		load = 'ramp',
		env = {},
	}: { arms?: Arm[]; loads?: Plan['loads']; load?: string; env?: Record<string, string> } = {},
) {
	for (const [index, control] of records.entries()) {
		await mkdir(join(reports, 'compare', String(index)), { recursive: true });
		await writeFile(join(reports, 'compare', String(index), 'control.json'), JSON.stringify(control));
	}
	const [base, other = base] = wanted.map(({ id }) => id);
	const plan = await makePlan(
		{
			id: 'test',
			table: { title: 'two', question: 'Which?', load, arms: wanted, pairs: [[base, other]] },
			claims: () => [],
			...{
				budget: 'fair',
				ofPlan: ['LOAD', 'BUDGET', 'SEED'],
				keep: async () => ({ loads }),
				what: 'the test',
				words: ['compare'],
				given: [],
			},
		},
		{ SEED: '1', ...env },
	);
	return plan.control?.started ?? null;
}

test('the newest control counts that was made of one of the arms, on this machine, under this load and budget', async () => {
	assert.equal(await controlBeside(['2026-03-01', '2026-03-03', '2026-03-02'].map((started) => record(started))), '2026-03-03');
});

test('a control counts in whatever order it names what all its arms were given', async () => {
	const env = { DELAY: '5', CAPTURE: '1' };
	for (const variables of [env, { CAPTURE: '1', DELAY: '5' }])
		assert.equal(await controlBeside([record('2026-03-01', { variables })], { env }), '2026-03-01');
});

test('any other control says nothing of this comparison', async () => {
	for (const differing of [
		{ load: 'smoke' },
		{ budget: 'none' },
		{ variables: { DELAY: '100' } },
		{ machine: { ...machine, cores: machine.cores + 2 } },
		{ machine: { ...machine, cpu_model: 'another' } },
		{ fingerprint: 'of a load of its own' },
		{ arm: { id: 'a-lb', architecture: 'a-lb' } },
		{ arm: { id: 'a', architecture: 'a', variables: { DELAY: '100' } } },
	])
		assert.equal(await controlBeside([record('2026-03-01', differing)]), null, JSON.stringify(differing));
});

test('of an own system a control counts that was made under the same load, and no other', async () => {
	const resolved = { title: 'shop as it is', given: [], compose: ['compose.yaml'], commit: null, absent: [], fingerprint: 'files' };
	const arm = { id: 'shop', architecture: 'shop', resolved };
	const asked = { arms: [arm], load: 'steps', loads: { steps: { shape: shapes.steps({}), change: {}, fingerprint: 'load' } } };
	const of = (differing: Record<string, unknown>) => controlBeside([record('2026-03-01', { load: 'steps', arm, ...differing })], asked);
	assert.ok(await of({ fingerprint: 'load' }));
	const first = { id: 'shop', architecture: 'shop', own: resolved };
	assert.ok(await of({ arm: first, fingerprint: 'load' }), 'as the first version kept it');
	assert.equal(await of({ fingerprint: 'another' }), null);
	assert.equal(await of({}), null);
});
