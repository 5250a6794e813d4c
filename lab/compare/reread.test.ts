import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLES, EXPERIMENT_RECORD, RECORD } from '../base/paths.ts';
import type { Claim } from '../catalog/claims.ts';
import { claimsOf } from '../catalog/claims.ts';
import { readExcerpt } from '../record/excerpt-file.ts';
import { withDoubts } from '../record/fixtures/with-doubts.ts';
import { experimentFixture } from '../report/fixtures/experiments.ts';
import { keptRuns } from './experiment/kept-runs.ts';
import type { Reading } from './reread.ts';
import { notCarriedOverBy, readingsOf, readOtherwise } from './reread.ts';

/** A record that was made, and its claims as they stood before its runs. */
async function stored(id: string) {
	const records = await readExcerpt(join(EXAMPLES, id));
	return { result: records[EXPERIMENT_RECORD.result], fixed: records[RECORD.manifest].claims };
}
function reread({ result, fixed }: Awaited<ReturnType<typeof stored>>, claim: string, changes: Partial<Claim> = {}): Reading[] {
	const claims = result.claims.filter(({ id }: { id: string }) => id === claim);
	const today = claimsOf(result.experiment, result.machine.cores).map((own) => ({ ...own, ...changes }));
	const { load, budget } = result;
	return readingsOf({ ...result, claims }, fixed, { load, budget, claims: today }).map(({ reading }) => reading);
}

test('a claim whose tests were changed after the runs is read again by the new ones, from the figures that were kept', async () => {
	const record = await stored('pools');
	const before = { ...claimsOf('pools').find(({ id }) => id === 'P4'), test: 'another test' };
	const [again, ...others] = reread({ ...record, fixed: [before] }, 'P4');
	assert.deepEqual([again.id, again.verdict, others.length], ['P4', 'REFUTED', 0]);
	assert.match(again.sentence, /0\.17 times .* the throughput of the untuned one/);
	assert.match(again.remarks.join(' '), /With all its threads started at once the tuned pool gives 59\.5 /);
	assert.match(again.changed ?? '', /^It was tested on one side/);
});

test('a claim that is the same, of arms that are VALID, comes out as it was registered, and nothing is said of a change', async () => {
	const record = await stored('batching');
	const [{ verdict, changed }, ...others] = reread(record, 'B1');
	assert.deepEqual([verdict, changed, others], ['HOLDS', null, []]);
});

test('every claim that is stored and decided otherwise today says why it was changed', async () => {
	for (const id of [
		'doubling',
		'queue',
		'metastable',
		'metastable-cures',
		'metastable-deadline',
		'batching',
		'workers',
		'writers',
		'pools',
	]) {
		const record = await stored(id);
		for (const judged of record.result.claims)
			for (const { verdict, statement, changed } of reread(record, judged.id))
				assert.ok(changed !== null || (verdict === judged.verdict && statement === judged.statement), judged.id);
	}
});

test('whose failures they are is inconclusive in a stored record too where nothing failed', async () => {
	const [again] = reread(await stored('doubling-patient'), 'D3');
	assert.deepEqual([again.verdict, again.changed], ['INCONCLUSIVE', 'Whose failures they are cannot be asked where nothing failed.']);
});

test('a doubt that cannot move the failure rate decides nothing about it any more', async () => {
	const [again] = reread(await stored('queue'), 'D6');
	assert.equal(again.verdict, 'REFUTED');
	assert.match(again.sentence, /\+8\.3 percentage points \(\+6\.3 to \+9\.3\)/);
});

test('a claim that was taken apart is read again part by part', async () => {
	const { result, fixed } = await stored('doubling');
	const partsOf = (id: string) =>
		reread({ result: { ...result, claims: [{ ...result.claims[0], id }] }, fixed }, id).map((reading) => reading.id);
	assert.deepEqual(['D5', 'D2'].map(partsOf), [['D5a', 'D5b', 'D5c'], ['D2']]);
});

test('a stored verdict that rests on SUSPECT runs is not one by the rule of today', async () => {
	const { result, fixed } = await stored('pools');
	for (const run of result.arms.find(({ id }: { id: string }) => id === 'async-pooled').all_runs)
		run.validity = withDoubts({ verdict: 'SUSPECT', reasons: ['a reason'] });
	for (const claim of result.claims) delete claim.doubts;
	const [again] = reread({ result, fixed }, 'P1');
	assert.equal(again.verdict, 'INCONCLUSIVE');
	assert.match(again.sentence, /^The result depends on SUSPECT runs \(async-pooled 8 of 8\)\. With them it would be HOLDS/);
	assert.match(again.changed ?? '', /^A verdict has to survive without its SUSPECT runs/);
});

test('a claim about an arm that was not measured cannot be read again', async () => {
	const { result, fixed } = await stored('pools');
	const arms = result.arms.filter(({ id }: { id: string }) => id !== 'async-pooled');
	const [again] = reread({ result: { ...result, arms }, fixed }, 'P1', { test: 'another' });
	assert.deepEqual([again.verdict, again.changed], ['HOLDS', 'Cannot be read again: async-pooled was not measured.']);
});

const [w1] = claimsOf('workers').filter(({ id }) => id === 'W1');
const CARRIES = { tier: 'database' as const, share: 0.9, source: 'the source waited for its disk' };
const using: (mean: number | null, quota: number | null, tier?: string) => any = (mean, quota, tier = 'database') => ({
	resources: { mongo: { tier, cpu_quota_cores: quota, cpu_cores: { mean, max: mean } } },
});

/** @param runs of an arm of its tests */
const notCarriedOver = (...runs: any[]) =>
	notCarriedOverBy(
		{ ...w1, carries: CARRIES },
		'REFUTED',
		runs.map((result) => ({ arm: 'workers-10', result }) as any),
	);

test('a verdict does not carry over where the tier was at its CPU quota in every kept run', () => {
	assert.equal(
		notCarriedOver(using(0.294, 0.3), using(0.291, 0.3)),
		'Its bottleneck: mongo was held to 0.30 cores here and used 97.0 % to 98.0 % of them; the source waited for its disk.',
	);
	assert.equal(notCarriedOver(using(0.294, 0.3), using(0.2, 0.3)), null);
});

test('nothing is said where no run says it: none kept, no quota, another tier', () => {
	for (const runs of [[], [using(0.3, null)], [using(null, 0.3)], [using(0.3, 0.3, 'app')]]) assert.equal(notCarriedOver(...runs), null);
});

test('only runs of the arms of its tests count, and only where something is decided', () => {
	const kept = [
		{ arm: 'workers-10', result: using(0.294, 0.3) },
		{ arm: 'workers-40', result: using(0.1, 0.3) },
	];
	assert.match(notCarriedOverBy(w1, 'REFUTED', kept) ?? '', /I\/O or lock-contention bound rather than CPU-bound/);
	assert.equal(notCarriedOverBy(w1, 'INCONCLUSIVE', kept), null);
	assert.equal(notCarriedOverBy({ ...w1, carries: undefined }, 'REFUTED', kept), null);
});

/** @param id of a stored experiment */
async function otherwiseIn(id: string) {
	const records = await readExcerpt(join(EXAMPLES, id));
	const plan = records[RECORD.manifest];
	return readOtherwise(records[EXPERIMENT_RECORD.result], plan.claims, keptRuns(plan, records));
}

test('the page of a stored experiment says which of its claims come out otherwise today, under its own load', async () => {
	const otherwise = await otherwiseIn('doubling');
	assert.deepEqual(
		otherwise.map(({ id, registered, verdict }) => [id, registered, verdict]),
		[
			['D1a', 'HOLDS', 'REFUTED'],
			['D2', 'REFUTED', 'HOLDS'],
			['D2b', 'REFUTED', 'INCONCLUSIVE'],
			['D4', 'REFUTED', 'INCONCLUSIVE'],
			['D5c', 'REFUTED', 'HOLDS'],
		],
	);
	assert.ok(otherwise.every(({ changed, sentence }) => changed && sentence));
});

test('what does not carry over is said on its own page too, from the runs that were kept with it', async () => {
	const [w1, ...others] = await otherwiseIn('workers');
	assert.deepEqual([w1.id, w1.verdict, others.length], ['W1', 'DOES NOT CARRY OVER', 0]);
	assert.match(w1.changed ?? '', /^Its bottleneck: mongo was held to 0\.30 cores/);
});

test('a record that was judged by the rules and the claims of today says nothing', () => {
	assert.deepEqual(readOtherwise(experimentFixture()), []);
	assert.deepEqual(readOtherwise({ ...experimentFixture(), experiment: 'in no table' }), []);
});
