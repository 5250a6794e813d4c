import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { claimsOf } from '../../catalog/claims.ts';
import { experiments } from '../../catalog/experiments.ts';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.ts';
import type { Records } from '../../record/findings.ts';
import { comparisonFixture } from '../../report/fixtures/comparisons.ts';
import { experimentFixture } from '../../report/fixtures/experiments.ts';
import { healthyResult } from '../../report/fixtures/results.ts';
import { ANY_LOOK } from '../../stats/any-look.ts';
import { COMPARE } from '../plan.ts';
import { claimsIn, readQuestion } from './experiment-file.ts';
import { isDecided, judgePlan } from './judge.ts';
import { keptRuns, resultPath } from './kept-runs.ts';
import { writeRecords } from './write-records.ts';

const everything = { isKept: () => true, hasIndex: true };

test('an experiment has a page for each pair below its own, and claims that lead to them', () => {
	const { arms, pairs } = experiments.doubling;
	const plan = planOf({ experiment: 'doubling', load: 'ramp', arms, pairs, claims: claimsOf('doubling') });
	const { comparisons, experiment } = judgePlan(plan, runsOf(plan, { '2a': { failed: 0.2 }, 'a-lb': { failed: 0.3 } }), everything);
	assert.deepEqual(
		comparisons.map(({ folder }) => folder),
		['a-vs-2a', 'a-vs-a-lb', 'a-lb-vs-2a', '2a-vs-2a-slots', '2a-vs-2a-keepalive', '2a-vs-2a-pool500', '1a-tuned-vs-2a-tuned'].map(
			(name) => `pairs/${name}`,
		),
	);
	assert.deepEqual(comparisons[0].comparison.links, { index: '../../../../index.html', experiment: '../../experiment.html' });
	assert.match(comparisons[0].comparison.base.runs[0].href ?? '', /^\.\.\/\.\.\/runs\/[\w-]+\/report\.html$/);
	assert.equal(experiment?.claims.length, 9);
	assert.equal(experiment?.index, '../../index.html');
	assert.ok(
		experiment?.claims.every(
			({ id, evidence }) => (evidence.length > 0 || id === 'D5a') && evidence.every(({ href }) => href.startsWith('pairs/')),
		),
	);
	assert.match(experiment?.headline ?? '', /^9 claims: .*\d REFUTED/);
});

test('claims are not judged under another load or budget than their own', () => {
	const { arms, pairs } = experiments.doubling;
	const given = { experiment: 'doubling', arms, pairs, claims: claimsOf('doubling') };
	for (const [settings, words] of [
		[{ load: 'smoke', budget: 'fair' }, 'the load smoke'],
		[{ load: 'ramp', budget: 'scale' }, 'the budget scale'],
	] as const) {
		const plan = planOf({ ...given, ...settings });
		const { experiment } = judgePlan(plan, runsOf(plan, { '2a': { failed: 0.2 } }), everything);
		for (const { verdict, quote } of experiment?.claims ?? [])
			assert.deepEqual([verdict, quote], ['INCONCLUSIVE', `Not judged: the claim is not about ${words}.`]);
	}
});

test('pairs of several loads are each told with their own, and many of them by their verdict', () => {
	const under = (load: string, ids: string[]) =>
		ids.map((id) => ({ id: `${id} (${load})`, architecture: id, load, ...(load === 'surge' ? { variables: { RATE: '400' } } : {}) }));
	const ids = ['2a', '2a-slots', '2a-shed', '2a-list'];
	const arms = ['patient', 'surge'].flatMap((load) => under(load, ids));
	const pairs = arms.flatMap(({ id, load }) => (id.startsWith('2a (') ? [] : [[`2a (${load})`, id] as [string, string]]));
	const plan = planOf({ experiment: 'remedies', load: 'patient', budget: 'none', arms, pairs });
	const runs = runsOf(plan, { '2a-slots (surge)': { goodput: 900 }, '2a-list (patient)': { goodput: 200 } });
	const { comparisons, experiment } = judgePlan(plan, runs, everything);
	assert.equal(comparisons[5].folder, 'pairs/2a-surge-vs-2a-list-surge');
	assert.deepEqual([comparisons[5].comparison.load, comparisons[0].comparison.load], ['surge', 'patient']);
	assert.match(comparisons[5].comparison.load_title, /a surge to 400/);
	assert.equal(experiment?.load, 'patient and surge');
	assert.deepEqual(
		experiment?.arms.map(({ load }) => load),
		arms.map(({ load }) => load),
	);
	assert.match(experiment?.headline ?? '', /^Better than 2a \(surge\): 2a-slots \(surge\)\. Of 6 pairs 1 worse, 4 the same\.$/);
});

test('a comparison alone has its page in its own folder, and no experiment around it', () => {
	const plan = planOf({ experiment: COMPARE, arms: ['a', '2a'].map((id) => ({ id, architecture: id })) });
	const { comparisons, experiment } = judgePlan(plan, runsOf(plan, {}), everything);
	assert.equal(experiment, null);
	assert.equal(comparisons[0].folder, '');
	assert.deepEqual(comparisons[0].comparison.links, { index: '../../index.html', experiment: null });
});

test('two arms of an own system are judged as architectures are, by what they are called and what was run for them', () => {
	const arms = ['POOL=8', 'POOL=32'].map((id) => ({
		id,
		architecture: 'shop',
		resolved: { title: `shop with ${id}`, given: [id], compose: ['compose.yaml'], commit: null, absent: [], fingerprint: id },
	}));
	const shape = { title: 'a load of its own', model: 'closed', unit: 'users', warmup_s: 3, stages: [] } as const;
	const kept = { loads: { steps: { shape: { ...shape, stages: [] }, change: {}, fingerprint: 'f1' } }, allow_data: false };
	const plan = planOf({ experiment: COMPARE, load: 'steps', budget: 'none', arms, command: 'doubletake compare', ...kept });
	const { comparisons, control } = judgePlan(plan, runsOf(plan, { 'POOL=8': { goodput: 500 }, 'POOL=32': { goodput: 900 } }), everything);
	const [{ comparison }] = comparisons;
	assert.equal(comparison.verdict.word, 'better');
	assert.deepEqual(
		[comparison.load_title, comparison.base.title, comparison.other.title],
		[shape.title, 'shop with POOL=8', 'shop with POOL=32'],
	);
	assert.ok(comparison.notes.some((note) => note.endsWith('measure one with: doubletake compare --a POOL=8 --b POOL=8')));
	assert.equal(control, null);
});

test('what is not kept is not linked to', () => {
	const plan = planOf({ experiment: COMPARE, arms: ['a', '2a'].map((id) => ({ id, architecture: id })) });
	const runs = runsOf(plan, {});
	const kept = runs[0].attempt.run;
	const { comparison } = judgePlan(plan, runs, { isKept: (run) => run === kept, hasIndex: false }).comparisons[0];
	assert.deepEqual(comparison.links, { index: null, experiment: null });
	assert.deepEqual(
		comparison.base.runs.map(({ href }) => href !== null),
		runs.filter(({ attempt }) => attempt.arm === 'a').map(({ attempt }) => attempt.run === kept),
	);
});

test('a control among the pairs widens the deltas of the others', () => {
	const { arms, pairs } = experiments.sensitivity;
	const plan = planOf({ arms, pairs });
	const factor = [1, 1.1, 0.9, 1.12, 0.91, 1.05, 0.95, 1.02];
	const runs = runsOf(plan, {}).map((run) => {
		if (run.attempt.arm === 'a again') run.result.metrics.goodput_rps *= factor[run.attempt.block - 1];
		return run;
	});
	const { comparisons, control } = judgePlan(plan, runs, everything);
	assert.equal(control?.other.id, 'a again');
	const deltas = comparisons.map(({ comparison }) => comparison.metrics[0].delta);
	assert.ok(deltas[0] > 0.05);
	assert.deepEqual(deltas, [deltas[0], deltas[0], deltas[0]]);
});

test('a curve is drawn from the medians of its arms', () => {
	const { arms, pairs, curve } = experiments.scale;
	const plan = planOf({ arms, pairs, curve: curve ?? null });
	const goodput = { '1a-tuned': 200, '2a-tuned': 380, '3a-tuned': 520, '4a-tuned': 540 };
	const figures = Object.fromEntries(Object.entries(goodput).map(([arm, rps]) => [arm, { goodput: rps }]));
	const found = judgePlan(plan, runsOf(plan, figures), everything).experiment?.curve;
	assert.deepEqual(
		found?.points.map(({ x }) => x),
		[1, 2, 3, 4],
	);
	assert.equal(found?.knee, 3);
	assert.ok(found?.usl, found?.usl_refused ?? '');
});

test('another load and budget judge the claims that the definition says they can answer, and no other', () => {
	const { arms, pairs } = experiments.doubling;
	const plan = planOf({ experiment: 'doubling', load: 'ramp', budget: 'none', arms, pairs, claims: claimsOf('doubling') });
	const { experiment } = judgePlan(plan, runsOf(plan, { '2a': { failed: 0.2 } }), everything);
	const left = (experiment?.claims ?? []).filter(({ quote }) => quote.startsWith('Not judged')).map(({ id }) => id);
	assert.deepEqual(left, ['D1a', 'D1b']);
	assert.ok(experiment?.notes.some((note) => /budget none, which can answer D2, .*; the claims speak of .* budget fair$/.test(note)));
});

test('a plan is judged by the definition that it keeps', () => {
	const { arms, pairs } = experiments.doubling;
	const claims = claimsOf('doubling');
	const definition = { ...experiments.doubling, load: 'crowd', remarks: ['as it was'], claims };
	const plan = planOf({ experiment: 'doubling', load: 'ramp', arms, pairs, claims, definition });
	const { experiment } = judgePlan(plan, runsOf(plan, {}), everything);
	assert.ok(experiment?.claims.every(({ quote }) => quote === 'Not judged: the claim is not about the load ramp.'));
	assert.ok(experiment?.notes.includes('as it was'));
});

test('SUSPECT runs are said in the headline of an experiment and in the sentence of each pair', () => {
	const { arms, pairs } = experiments.doubling;
	const plan = planOf({ experiment: 'doubling', load: 'ramp', arms, pairs, claims: claimsOf('doubling') });
	const { experiment, comparisons } = judgePlan(plan, runsOf(plan, { '2a': { failed: 0.2, validity: 'SUSPECT' } }), everything);
	assert.match(experiment?.headline ?? '', / SUSPECT runs: 2a 8 of 8\.$/);
	assert.equal(experiment?.arms.find(({ id }) => id === '2a')?.doubt?.suspect, 8);
	const said = comparisons.map(
		({ comparison: { base, other, verdict } }) => [base.id, other.id].includes('2a') === /8 of 8 runs SUSPECT/.test(verdict.sentence),
	);
	assert.deepEqual(new Set(said), new Set([true]));
});

test('an experiment of an own system is judged as the lab’s are, with its claims', async (context) => {
	const arms = ['two', 'one', 'before'].map((id) => ({
		id,
		architecture: 'shop',
		resolved: { title: `shop: ${id}`, given: [id], compose: ['compose.yaml'], commit: null, absent: [], fingerprint: id },
	}));
	const text =
		'question: Q\narms: { two: W=2, one: W=1, before: "rev:v1" }\nclaims: [{ id: C1, statement: S., metric: goodput_rps, arm: one, against: two, at_least: 1.5 }]\n';
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-question-'));
	context.after(() => rm(folder, { recursive: true }));
	await writeFile(join(folder, 'experiment.yaml'), text);
	const claims = claimsIn(await readQuestion(folder, 'experiment.yaml'), 'experiment', 'experiment.yaml');
	const shape = { title: 'a load of its own', model: 'closed', unit: 'users', warmup_s: 3 } as const;
	const kept = { loads: { steps: { shape: { ...shape, stages: [] }, change: {}, fingerprint: 'f1' } }, allow_data: false };
	const pairs = [
		['two', 'one'],
		['two', 'before'],
	] as [string, string][];
	const asked = { title: 'Q', question: 'Q', load: 'steps', budget: 'none', arms, pairs, claims };
	const plan = planOf({ experiment: 'experiment', ...asked, definition: asked, command: 'doubletake experiment', ...kept });
	const { experiment, comparisons } = judgePlan(
		plan,
		runsOf(plan, { two: { goodput: 500 }, one: { goodput: 900 }, before: { goodput: 500 } }),
		everything,
	);
	assert.deepEqual(
		comparisons.map(({ folder }) => folder),
		['pairs/two-vs-one', 'pairs/two-vs-before'],
	);
	assert.deepEqual(
		experiment?.claims.map(({ id, verdict, source }) => [id, verdict, source]),
		[['C1', 'HOLDS', 'experiment.yaml']],
	);
	assert.match(String(experiment?.headline), /^1 claim: 1 HOLDS\. goodput, one over two: .*, as claimed\./);
});

const run = (id: string) => `doubling/1/runs/${id}`;
const attempt: (id: string, arm: string, validity?: string) => any = (id, arm, validity = 'VALID') => ({
	block: 1,
	arm,
	run: run(id),
	validity,
	took_s: 1,
});

test('of each arm the first run that counts and whose result is there is kept', () => {
	const plan = {
		id: 'doubling/1',
		attempts: [attempt('1', 'a', 'INVALID'), attempt('2', 'a'), attempt('3', 'a'), attempt('4', 'a'), attempt('5', '2a')],
	};
	const records = Object.fromEntries(['1', '3', '4'].map((id) => [resultPath(plan, run(id)), { run: id }]));
	assert.equal(Object.keys(records)[0], 'runs/1/result.json');
	assert.deepEqual(keptRuns(plan, records), [{ arm: 'a', result: { run: '3' } }]);
});

test('without a manifest none is known', () => {
	assert.deepEqual(keptRuns(null, {}), []);
});

async function written(context: TestContext, records: Records) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-records-'));
	context.after(() => rm(folder, { recursive: true }));
	await writeRecords(folder, records);
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
	return { folder, files: files.sort() };
}

test('each record has its pages beside it, and reads back', async (context) => {
	const records = {
		'experiment.json': experimentFixture(),
		'pairs/a-vs-2a/compare.json': comparisonFixture(),
		'manifest.json': { id: 'x' },
	};
	const { folder, files } = await written(context, records);
	assert.deepEqual(files, [
		'experiment.html',
		'experiment.json',
		'experiment.md',
		'manifest.json',
		'pairs/a-vs-2a/compare.html',
		'pairs/a-vs-2a/compare.json',
		'pairs/a-vs-2a/compare.md',
	]);
	for (const [path, record] of Object.entries(records))
		assert.deepEqual(JSON.parse(await readFile(join(folder, path), 'utf8')), JSON.parse(JSON.stringify(record)));
});

test('the report of a run that is copied leads to the records that were copied with it, and to nothing else', async (context) => {
	const { folder, files } = await written(context, {
		'runs/1/result.json': healthyResult(),
		'runs/1/manifest.json': {},
		'runs/2/result.json': healthyResult(),
	});
	assert.deepEqual(
		files.filter((file) => file.endsWith('.html')),
		['runs/1/report.html', 'runs/2/report.html'],
	);
	const linksOf = async (run: string) =>
		[...(await readFile(join(folder, 'runs', run, 'report.html'), 'utf8')).matchAll(/<a href="([^#"]+)"/g)].map(([, href]) => href);
	assert.deepEqual(await linksOf('1'), ['result.json', 'manifest.json']);
	assert.deepEqual(await linksOf('2'), ['result.json']);
});

test('a comparison that may end early is decided by its runs on disk, as soon as its rule says so', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-judge-'));
	const plan = planOf({ experiment: COMPARE, arms: ['a', '2a'].map((id) => ({ id, architecture: id })), stopping: ANY_LOOK });
	for (const { attempt, result } of runsOf(plan, { '2a': { failed: 0.4 } }).slice(0, 8)) {
		assert.ok(!(await isDecided(folder, plan)));
		const own = join(folder, attempt.run.slice(plan.id.length));
		await mkdir(own, { recursive: true });
		await writeFile(join(own, 'result.json'), JSON.stringify(result));
		plan.attempts.push(attempt);
	}
	assert.ok(await isDecided(folder, plan));
	await rm(folder, { recursive: true });
});
