import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { shapes } from '../../../k6/lib/shapes.js';
import { NotReadyError } from '../../base/errors.ts';
import { REPORTS } from '../../base/paths.ts';
import { nameOfFolder } from '../../catalog/architectures.ts';
import { claimsOf } from '../../catalog/claims.ts';
import { planOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { describeMachine } from '../../docker/lock.ts';
import type { Attempt, Plan } from '../plan.ts';
import type { Question } from './make-plan.ts';
import { makePlan } from './make-plan.ts';
import { planToResume, readPlan, remainingOf } from './read-plan.ts';
import { secondsLeft } from './run-experiment.ts';

const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));
const attempt: (block: number, arm: string, validity: 'VALID' | 'SUSPECT' | 'INVALID') => Attempt = (block, arm, validity) => ({
	block,
	arm,
	run: `${block}-${arm}`,
	validity,
	took_s: 50,
});

const asked: Question = {
	id: 'test',
	table: { title: 'two', question: 'Which?', load: 'ramp', arms, pairs: [['a', '2a']], repeats: 3 },
	claims: () => [],
	...{ budget: 'none', ofPlan: ['LOAD', 'BUDGET', 'SEED'], keep: async () => ({}), what: 'the test' },
	...{ words: ['compare'], given: ['A=a'], launcher: 'doubletake' },
};

/** The order of a new plan. */
async function scheduleOf(ids: string[], repeats: number, seed: number) {
	const table = { ...asked.table, arms: ids.map((id) => ({ id, architecture: id })), repeats };
	return (await makePlan({ ...asked, table }, { SEED: String(seed) })).schedule;
}

test('every block has every arm once, in an order that the seed repeats', async () => {
	const schedule = await scheduleOf(['a', '2a', '2a-tuned'], 8, 7);
	assert.deepEqual(schedule, await scheduleOf(['a', '2a', '2a-tuned'], 8, 7));
	assert.notDeepEqual(schedule, await scheduleOf(['a', '2a', '2a-tuned'], 8, 8));
	for (const block of schedule) assert.deepEqual(block.toSorted(), ['2a', '2a-tuned', 'a']);
	assert.ok(new Set(schedule.map((block) => block.join())).size > 2);
});

test('of any two arms each comes first in half of the blocks', async () => {
	for (const seed of [0, 1]) {
		const firsts = (await scheduleOf(['a', '2a'], 8, seed)).filter(([first]) => first === 'a');
		assert.equal(firsts.length, 4);
	}
	assert.equal((await scheduleOf(['a', '2a'], 3, 1)).length, 3);
});

test('what remains is what has no run that counts; an INVALID run is made once more, and no oftener', () => {
	const plan = planOf({ arms, repeats: 2, attempts: [attempt(1, 'a', 'SUSPECT'), attempt(1, '2a', 'INVALID')] });
	assert.deepEqual(remainingOf(plan), [
		{ block: 1, arm: '2a' },
		{ block: 2, arm: 'a' },
		{ block: 2, arm: '2a' },
	]);
	plan.attempts.push(attempt(1, '2a', 'INVALID'));
	assert.deepEqual(remainingOf(plan)[0], { block: 2, arm: 'a' });
});

test('on a machine that may be busy, no run is made again', async () => {
	const attemptsOf = async (BUSY: string) => (await makePlan(asked, { SEED: '7', BUSY })).attempts_most;
	assert.deepEqual([await attemptsOf('refuse'), await attemptsOf('allow')], [2, 1]);
	const plan = planOf({ arms, repeats: 1, attempts: [attempt(1, 'a', 'INVALID')] });
	assert.deepEqual(remainingOf({ ...plan, attempts_most: 1 }), [{ block: 1, arm: '2a' }]);
});

test('the time left is what the runs so far took, or what the load lasts and a little more', () => {
	assert.equal(secondsLeft(planOf({ arms, repeats: 2, attempts: [attempt(1, 'a', 'VALID')] })), 150);
	const planned = secondsLeft(planOf({ arms, repeats: 1 }));
	assert.ok(planned > 2 * 19 && planned < 2 * 60, String(planned));
});

test('runs of each load take their own time', () => {
	const several = [
		{ ...arms[0], load: 'smoke' },
		{ ...arms[1], load: 'surge' },
	];
	const left = (attempts: Attempt[]) => secondsLeft(planOf({ arms: several, repeats: 2, attempts }));
	const [smoke, surge] = several.map((arm) =>
		secondsLeft(planOf({ arms: [arm, arm], load: arm.load, repeats: 1, pairs: [], schedule: [[arm.id]] })),
	);
	assert.equal(left([]), 2 * smoke + 2 * surge);
	assert.equal(left([attempt(1, 'a', 'VALID')]), 50 + 2 * surge);
});

const claiming = { ...asked, claims: () => claimsOf('doubling').slice(0, 1) };
const PLAN = await makePlan(claiming, { SEED: '7' });

/** Reads a plan that was changed after it was made. */
async function rereadWith(change: (plan: any) => void, made: Plan = PLAN) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-plan-'));
	try {
		const plan = structuredClone(made);
		change(plan);
		await writeFile(join(folder, 'manifest.json'), JSON.stringify(plan));
		return await readPlan('RUN', folder);
	} finally {
		await rm(folder, { recursive: true });
	}
}

test('claims of which a threshold was changed are refused, and a plan without claims has no hash of them', async () => {
	assert.match((await rereadWith(() => {})).claims_hash ?? '', /^[0-9a-f]{64}$/);
	const changed = rereadWith((plan) => {
		plan.claims[0].tests[0].threshold += 1;
	});
	await assert.rejects(changed, /RUN: expected the claims that were fixed before the first run \(SHA-256 [0-9a-f]{64}\)/);
	assert.equal((await rereadWith(() => {}, await makePlan(asked, { SEED: '7' }))).claims_hash, null);
	const early = rereadWith((plan) => Object.assign(plan, { stopping: {} }));
	await assert.rejects(early, /RUN: expected the rule for stopping that was fixed/);
});

test('a definition is refused of which anything was changed that decides how the claims may be judged', async () => {
	assert.match((await rereadWith(() => {})).definition_hash ?? '', /^[0-9a-f]{64}$/);
	for (const change of [{ load: 'calm' }, { budget: 'none' }, { judged_under: [] }, { remarks: [] }, { pairs: [] }, { claims: [] }])
		await assert.rejects(
			rereadWith((plan) => Object.assign(plan.definition, change)),
			/RUN: expected the definition that was fixed before the first run \(SHA-256 [0-9a-f]{64}\)/,
			Object.keys(change)[0],
		);
	assert.equal((await rereadWith(() => {}, await makePlan({ ...claiming, id: 'compare' }, { SEED: '7' }))).definition_hash, null);
});

test('what the plan has settled, and what changes nothing about what is resumed, is refused by name', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-plan-'));
	try {
		await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms })));
		for (const [name, text] of [
			['LOAD', /^RESUME: expected no LOAD/],
			['STOP', /^RESUME: expected no STOP: the plan has settled that/],
			['WORKERS', /^RESUME: expected no WORKERS/],
			['FAULTS', /^FAULTS: expected none, because it changes nothing about what is resumed/],
		])
			await assert.rejects(
				planToResume(folder, { RESUME: folder, [String(name)]: '3' }),
				(error) => error instanceof NotReadyError && (text as RegExp).test(error.message),
			);
		await assert.rejects(planToResume(folder, { RESUME: folder, REPEATS: '3' }), /RESUME: expected the experiment where it was begun/);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('of a user’s own system the options of its plan are settled, and what a Compose file may read is not asked', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-plan-'));
	const kept = { loads: { steps: { shape: shapes.steps({}), change: {}, fingerprint: 'f1' } }, allow_data: false };
	const sides = arms.map((arm) => ({ ...arm, architecture: 'shop' }));
	try {
		await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms: sides, ...kept })));
		for (const [name, text] of [
			['RETRIES', /^RESUME: expected no RETRIES: the plan has settled that/],
			['WORKERS', /^RESUME: expected the experiment where it was begun/],
		])
			await assert.rejects(
				planToResume(folder, { RESUME: folder, [String(name)]: '3' }),
				(error) => error instanceof NotReadyError && (text as RegExp).test(error.message),
			);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('a plan from elsewhere names no other system, and allows nothing', async (context) => {
	const id = 'read-plan-test';
	const folder = join(REPORTS, id);
	const machine = await describeMachine();
	const resumed = async (arm: object, given: object = {}) => {
		const plan = { ...planOf({ arms: arms.map((one) => ({ ...one, ...arm })), machine }), id, ...given };
		await writeFile(join(folder, 'manifest.json'), JSON.stringify(plan));
		return planToResume(folder, {});
	};
	await mkdir(folder);
	context.after(() => rm(folder, { recursive: true }));
	assert.equal((await resumed({}, { allow_data: true })).allow_data, false);
	const own = { architecture: nameOfFolder(process.cwd()), resolved: {} };
	const kept = { loads: { smoke: { change: {} } } };
	await resumed(own, kept);
	for (const [arm, given] of [
		[{ architecture: '../../outside' }],
		[{ ...own, architecture: 'x' }, kept],
		[own, { loads: null }],
		[{}, { schedule: [['x']] }],
		[{}, { machine: null }],
	])
		await assert.rejects(resumed(arm, given), /^NotReadyError: RESUME: expected a/);
});

test('a folder without a plan is refused', async () => {
	const text = /^NotReadyError: RESUME: expected the folder of an experiment.*; found no manifest\.json in nowhere\./;
	await assert.rejects(planToResume('nowhere', { RESUME: 'nowhere' }), text);
	const ofRun = rereadWith((plan) => {
		delete plan.schedule;
	});
	await assert.rejects(ofRun, /^NotReadyError: RUN: expected the folder of an experiment.*; found the manifest of a single run in \S+\./);
});

test('a plan that was made when a user’s own system had one load alone has it in the place of several', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-plan-'));
	try {
		const shape = { title: 'a load', model: 'closed', unit: 'users', warmup_s: 3, stages: [] };
		const own = { shape, allow_data: true, fingerprint: 'f1' };
		await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...planOf({ arms, load: 'steps' }), own }));
		const plan = await readPlan('RUN', folder);
		assert.deepEqual([plan.schema, plan.allow_data, plan.loads], [2, true, { steps: { shape, change: {}, fingerprint: 'f1' } }]);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('a new plan has the order that its seed draws, and no run yet', async () => {
	const { schema, schedule, id, attempts, ended, baseline, arms: kept, command } = await makePlan(asked, { SEED: '7' });
	assert.deepEqual(schedule, await scheduleOf(['a', '2a'], 3, 7));
	assert.equal(schedule.length, 3);
	assert.match(id, /^test\/\d{4}-\d{2}-\d{2}T\d{6}Z-[0-9a-f]{4}$/);
	assert.deepEqual(
		[schema, attempts, ended, baseline, kept, command],
		[...[2, [], null, null, arms], 'A=a LOAD=ramp BUDGET=none REPEATS=3 SEED=7 doubletake compare'],
	);
});

test('what an experiment asks is kept with its hash, and of a comparison the arms say it', async () => {
	const { definition, definition_hash: hash } = await makePlan(asked, { SEED: '7' });
	assert.deepEqual([definition?.question, typeof hash], ['Which?', 'string']);
	assert.equal((await makePlan({ ...asked, id: 'compare' }, { SEED: '7' })).definition, null);
});

test('a seed that is given stands, and without one a short one is drawn', async () => {
	const seeds = await Promise.all([{ SEED: '7' }, {}].map(async (env) => (await makePlan(asked, env)).seed));
	assert.equal(seeds[0], 7);
	assert.match(String(seeds[1]), /^\d{1,4}$/);
});

test('there are as many blocks as are asked for, else as the question says, else as a verdict needs', async () => {
	const { repeats: _, ...table } = asked.table;
	const blocks = async (env: Record<string, string>, of: typeof asked.table) =>
		(await makePlan({ ...asked, table: of }, { SEED: '7', ...env })).repeats;
	assert.deepEqual([await blocks({}, table), await blocks({}, asked.table), await blocks({ REPEATS: '2' }, asked.table)], [8, 3, 2]);
	await assert.rejects(blocks({ REPEATS: '0' }, table), /REPEATS: expected a whole number from 1 to 100; found "0"/);
});
