import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../catalog/claims.ts';
import { withDoubts } from '../record/fixtures/with-doubts.ts';
import type { ExperimentResult } from '../record/types.js';
import { VERSIONS } from '../record/versions.ts';
import { experimentFixture, quickFixture } from '../report/fixtures/experiments.ts';
import { findingsFixture } from '../report/fixtures/findings.ts';
import type { Found } from './findings.ts';
import { chooseRecord, findingsOf } from './findings.ts';

/**
 * Of an experiment that asks nothing.
 * @param rules versions of result.json by which its runs were graded
 */
function gradingOf(...rules: number[]) {
	const kept = rules.map((version) => ({ result: { schema: VERSIONS.result, graded_by: version } }) as any);
	const { experiments } = findingsOf([{ href: 'x.html', markdown: 'x.md', result: { ...experimentFixture(), claims: [] }, kept }], {
		...{ anchorOf: String, index: null, command: '' },
		experiments: [{ id: 'doubling', title: '', question: '', load: 'ramp', claims: [] }],
	});
	return experiments[0].grading;
}

test('runs of an earlier version of result.json were graded by rules that were replaced, and one of them is enough', () => {
	assert.match(gradingOf(2, 1) ?? '', /^Its runs were graded by rules that were replaced since \(result\.json version 1, today \d+\)/);
});

test('runs of today were graded as today, and of an experiment without any run nothing is said', () => {
	assert.equal(gradingOf(2, VERSIONS.result), null);
	assert.equal(gradingOf(), null);
});

const OWN = { load: 'ramp' };
const record: (path: string, changes: Partial<ExperimentResult>) => Found = (path, changes) => ({
	path,
	result: experimentFixture({ id: path, ...changes }),
});
const blocks: (complete: number) => { wanted: number; complete: number; least: number; left_out: [] } = (complete) => ({
	wanted: 8,
	complete,
	least: 8,
	left_out: [],
});

/** None of a verdict that is not named. */
const counted = (named: Record<string, number>) => ({
	HOLDS: 0,
	REFUTED: 0,
	DEPENDS: 0,
	INCONCLUSIVE: 0,
	'DOES NOT CARRY OVER': 0,
	'not measured': 0,
	...named,
});

test('the headline counts every verdict, and what was not measured, and the questions of the lab’s own apart', () => {
	const { headline, counts, registered } = findingsFixture();
	assert.equal(
		headline,
		'1 publication makes 12 claims. Of these, 4 are refuted, 4 are inconclusive and 4 are not measured. The lab adds 3 claims of its own. Of these, 1 holds, 1 is inconclusive and 1 is not measured.',
	);
	assert.deepEqual(counts.publications, counted({ REFUTED: 4, INCONCLUSIVE: 4, 'not measured': 4 }));
	assert.deepEqual(counts.own, counted({ HOLDS: 1, INCONCLUSIVE: 1, 'not measured': 1 }));
	assert.deepEqual(counts.registered, counted({ HOLDS: 1, REFUTED: 4, INCONCLUSIVE: 5, 'not measured': 5 }));
	assert.equal(registered, 'As registered before the runs, 10 in all: 1 holds, 4 are refuted and 5 are inconclusive.');
});

test('the headline names no verdict that none has', () => {
	const { headline } = findingsOf([], { experiments: [], anchorOf: String, index: null, command: '' });
	assert.equal(headline, 'No claim was made.');
	const measured = experimentFixture();
	measured.claims = measured.claims.slice(0, 1);
	const about = {
		experiments: [{ ...OWN, id: 'doubling', title: '', question: '', claims: [] }],
		anchorOf: String,
		index: null,
		command: '',
	};
	const { headline: counted } = findingsOf([{ href: 'x.html', markdown: 'x.md', result: measured }], about);
	assert.equal(counted, 'The lab adds 1 claim of its own. 1 holds.');
});

test('every claim that was measured leads to its place on the page of its experiment', () => {
	const [doubling, quick, missing] = findingsFixture().experiments;
	assert.deepEqual(
		doubling.claims.map(({ href }) => href),
		['D1b', 'D2', 'D3', 'D4', 'D5c'].map((id) => `../../doubling/20260314T040000Z-1a2b/experiment.html#claim-${id}`),
	);
	assert.ok(quick.claims.every(({ href, sentence }) => href && sentence));
	assert.ok(missing.claims.every(({ href, sentence, verdict }) => href === null && sentence === null && verdict === 'not measured'));
});

test('an experiment says why it is not to be relied on, or nothing', () => {
	assert.deepEqual(
		findingsFixture().experiments.map(({ incomplete }) => incomplete),
		[null, '2 repetitions are complete, and a verdict needs 8.', 'Not measured yet: make experiment-missing'],
	);
});

test('machines are named once each, and the time is from the first record to the last', () => {
	const { machines, started, ended } = findingsFixture();
	assert.deepEqual(machines, ['2 cores Intel(R) Xeon(R) Processor, 24 GiB, Debian GNU/Linux 12 (bookworm)']);
	assert.deepEqual([started, ended], [experimentFixture().started, quickFixture().ended]);
});

test('an experiment that has no claims is asked beside them, and counts as none', () => {
	const found = findingsOf([{ href: 'x.html', markdown: 'x.md', result: { ...experimentFixture(), experiment: 'unasked', claims: [] } }], {
		experiments: [],
		anchorOf: String,
		index: null,
		command: '',
	});
	assert.equal(found.headline, 'No claim was made.');
	const { question, headline, load } = experimentFixture();
	assert.deepEqual(
		found.unclaimed.map((one) => [one.question, one.headline, one.load, one.claims, one.markdown]),
		[[question, headline, load, [], 'x.md']],
	);
	assert.equal(found.machines.length, 1);
});

test('a record under the load that the claims are about goes before a newer one under another', () => {
	const full = record('doubling/1', { started: '2026-03-14T04:00:00Z', blocks: blocks(6) });
	const smoke = record('doubling/2', { started: '2026-03-15T04:00:00Z', load: 'smoke' });
	const scale = record('doubling/3', { started: '2026-03-15T04:00:00Z', budget: 'scale' });
	assert.equal(chooseRecord([smoke, full, scale], OWN), full);
	assert.equal(chooseRecord([smoke, full, scale], { ...OWN, budget: 'scale' }), scale);
});

test("a record under the experiment's own load goes before one under a load that is judged too, and that before any other", () => {
	const full = record('doubling/1', { started: '2026-03-14T04:00:00Z', blocks: blocks(6) });
	const smoke = record('doubling/2', { started: '2026-03-14T05:00:00Z', load: 'smoke', blocks: blocks(7) });
	const hold = record('doubling/3', { started: '2026-03-15T04:00:00Z', load: 'hold' });
	assert.equal(chooseRecord([hold, smoke, full], { ...OWN, judged_under: [{ load: 'smoke', claims: [] }] }), full);
	assert.equal(chooseRecord([hold, smoke], { ...OWN, judged_under: [{ load: 'smoke', claims: [] }] }), smoke);
});

test('more complete blocks go before newer ones, newer ones before older, and a record before its copy', () => {
	const old = record('doubling/1', { started: '2026-03-14T04:00:00Z' });
	const recent = record('doubling/2', { started: '2026-03-15T04:00:00Z' });
	const fewer = record('doubling/3', { started: '2026-03-16T04:00:00Z', blocks: blocks(7) });
	const copy = { path: 'examples/doubling', result: recent.result };
	assert.equal(chooseRecord([fewer, old, copy, recent], OWN), recent);
	assert.equal(chooseRecord([fewer, old], OWN), old);
	assert.equal(chooseRecord([], OWN), null);
});

test('with blocks enough, a record that judges more claims goes before a newer one with fewer arms', () => {
	const full = record('doubling/1', { started: '2026-03-14T04:00:00Z', blocks: blocks(8) });
	const narrow = record('doubling/2', { started: '2026-03-15T04:00:00Z', blocks: blocks(9), claims: full.result.claims.slice(0, 2) });
	const look = record('doubling/3', { started: '2026-03-16T04:00:00Z', blocks: blocks(2) });
	assert.equal(chooseRecord([look, narrow, full], OWN), full);
	assert.equal(chooseRecord([look, narrow], OWN), narrow);
});

test('a claim about an arm that was left out stands in the table as not measured', () => {
	const result = experimentFixture();
	const all = result.claims.map(({ id, statement, source, published }) => ({
		...claimsOf('doubling')[0],
		id,
		statement,
		source,
		published,
	}));
	const asked = { ...OWN, id: 'doubling', title: '', question: '', claims: all };
	const narrow = { ...result, claims: result.claims.slice(0, 4) };
	const found = findingsOf([{ href: 'x.html', markdown: 'x.md', result: narrow }], {
		experiments: [asked],
		anchorOf: String,
		index: null,
		command: '',
	});
	assert.equal(found.counts.registered['not measured'], 1);
	const left = found.experiments[0].claims.at(-1);
	assert.deepEqual([left?.id, left?.verdict, left?.sentence, left?.href], ['D5c', 'not measured', null, null]);
});

test('a record of before arms knew of doubt says it all the same, and its claims are read again', () => {
	const result = experimentFixture();
	const fixed = claimsOf('doubling');
	for (const claim of result.claims) {
		claim.doubts = null;
		claim.rules = 1;
	}
	const one = result.arms.find(({ id }) => id === 'a');
	for (const run of one?.all_runs ?? []) run.validity = withDoubts({ verdict: 'SUSPECT', reasons: ['a reason'] });
	const about = {
		experiments: [{ ...OWN, id: 'doubling', title: '', question: '', claims: fixed }],
		anchorOf: String,
		index: null,
		command: '',
	};
	const { experiments, registered, counts } = findingsOf([{ href: 'x.html', markdown: 'x.md', result, fixed }], about);
	const d2 = experiments[0].claims.find(({ id }) => id === 'D2');
	assert.match(d2?.doubt ?? '', /^a: 8 of 8 runs SUSPECT: a reason/);
	assert.deepEqual([d2?.verdict, d2?.registered?.verdict], ['INCONCLUSIVE', 'REFUTED']);
	assert.match(d2?.deviation ?? '', /^A verdict has to survive without its SUSPECT runs/);
	assert.match(registered ?? '', /Read otherwise today, each for a reason in its note: .*D2 was REFUTED/);
	assert.equal(counts.registered.REFUTED, 4);
});
