import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { comparedMetrics, familyOf, metrics } from '../catalog/metrics.ts';
import { causes } from './causes.ts';
import type { PlacedFailures } from './touches.ts';
import {
	ALL_STATEMENTS,
	doubtsAbout,
	isDoubted,
	placedOf,
	statementsIn,
	statementsOf,
	statementsOfFailure,
	TOUCHES,
	touchesOf,
	wordOf,
} from './touches.ts';
import type { RunDoubt } from './types.js';

const VALIDITY = new URL('../diagnose/validity/', import.meta.url);
const RULES_IN = readdirSync(VALIDITY)
	.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
	.map((name) => readFileSync(new URL(name, VALIDITY), 'utf8'));

const doubt: (rule: string, grade?: 'SUSPECT' | 'INVALID') => RunDoubt = (rule, grade = 'SUSPECT') => ({
	rule,
	grade,
	reason: rule,
	touches: touchesOf(rule),
});

test('each rule of the validity says what it can move', () => {
	const named = RULES_IN.flatMap((text) => [...text.matchAll(/(?:graded|notRecorded)\(\s*[`']([\w-]+)|rule: [`']([\w-]+)/g)]);
	const rules = new Set(named.map(([, one, other]) => one ?? other));
	// What INVALID stages move is what their doubts do.
	rules.delete('stages');
	assert.deepEqual([...rules].sort(), Object.keys(TOUCHES).sort());
});

test('whatever is in doubt by a rule, something that runs are compared by is: none of them counts for more than before', () => {
	const compared = comparedMetrics.flatMap(({ id }) => statementsOf(id));
	for (const [rule, touches] of Object.entries(TOUCHES))
		assert.ok(
			touches.some((kind) => compared.includes(kind)),
			rule,
		);
});

test('rates, latencies and failure shares are moved by each but those that speak of records beside k6’s own', () => {
	const beside = ['observers', 'unlogged'];
	for (const id of ['throughput_rps', 'failure_rate', 'latency_ms_p95_ok', 'latency_ms_p2_5_ok'])
		for (const rule of Object.keys(TOUCHES))
			assert.equal(doubtsAbout({ doubts: [doubt(rule)] }, statementsOf(id)).length, beside.includes(rule) ? 0 : 1, `${rule} and ${id}`);
});

test('a neighbour moves no status, no log line, no packet and nothing that is stored', () => {
	for (const rule of ['stolen', 'stolen host-2', 'neighbours', 'kernel', 'engine', 'memory', 'busy-before', 'at-quota'])
		for (const kind of ['counts', 'placements', 'writes'] as const) assert.ok(!touchesOf(rule).includes(kind), `${rule} and ${kind}`);
});

test('what nothing is known of is moved by everything', () => {
	for (const rule of ['a new rule', 'constructor', '']) assert.deepEqual(touchesOf(rule), ALL_STATEMENTS);
	for (const metric of ['batch_size_mean', 'constructor', null]) assert.deepEqual(statementsOf(metric), ALL_STATEMENTS);
	assert.ok(isDoubted({ verdict: 'SUSPECT', doubts: [] }, ['counts']) && !isDoubted({ verdict: 'VALID', doubts: [] }, ['counts']));
});

test('each metric that every run has says what it states', () => {
	for (const metric of metrics)
		if (familyOf(metric) !== 'own') assert.ok(statementsOf(metric.id).length < ALL_STATEMENTS.length, metric.id);
});

const row: (cause: string, where: Record<string, number>, why: Record<string, number>) => PlacedFailures = (cause, where, why) => ({
	cause,
	count: 10,
	basis: { where, why },
});

const steadyOf = (failure: PlacedFailures) => placedOf({ ledger: { failures: [failure] } }).steady;

test('a place that codes and logs tell is steady; a time-out, and what is known by its time alone, is not', () => {
	assert.equal(steadyOf(row('turned-away', { proved: 10 }, { counted: 10 })), 10);
	assert.equal(steadyOf(row('app-error', { proved: 10 }, { proved: 6, inferred: 4 })), 6);
	assert.equal(steadyOf(row('database-down', { timed: 10 }, { proved: 10 })), 0);
	assert.equal(steadyOf(row('upstream-timeout', { proved: 10 }, { proved: 10 })), 0);
	assert.equal(steadyOf(row('of an older lab', { proved: 10 }, { proved: 10 })), 0);
	assert.deepEqual(statementsOfFailure(row('turned-away', { proved: 10 }, { counted: 10 })), ['placements']);
	assert.deepEqual(statementsOfFailure(row('busy', { proved: 10 }, { counted: 10 })), ['placements', 'timed-placements']);
});

/** What waits for each other does so on any machine. */
const OF_TIME = /\b(?:in time|waited(?! for each other)|busy|slow|too long|throttled|gave up)\b/;

test('no cause whose words tell of waiting, of a lack of time or of work is steady', () => {
	const ofTime = Object.entries(causes).filter(([, { title }]) => OF_TIME.test(title));
	assert.ok(ofTime.length >= 15, String(ofTime.length));
	for (const [cause, { title }] of ofTime) assert.equal(steadyOf(row(cause, { proved: 10 }, { proved: 10 })), 0, `${cause}: ${title}`);
});

test('a run is INVALID where such doubts move all of it, and in doubt where some statements stand', () => {
	const word = (...doubts: RunDoubt[]) => wordOf({ verdict: 'INVALID', doubts });
	assert.equal(word(doubt('stolen', 'INVALID'), doubt('incomplete', 'INVALID')), 'INVALID');
	assert.equal(word(doubt('stolen', 'INVALID'), doubt('count')), 'IN DOUBT');
	assert.equal(word(), 'INVALID');
	assert.equal(wordOf({ verdict: 'SUSPECT', doubts: [doubt('stolen')] }), 'SUSPECT');
});

test('what copies with and without a change have proved no noise of the run can move', () => {
	const row = { service: 'api', cause: 'pool-full', count: 9, basis: { where: { counted: 9 }, why: { timed: 9 } } } as any;
	const other = { ...row, service: 'db', cause: 'lock' };
	const proof = { outcome: 'proved', trouble: { service: 'api', cause: 'pool-full' } } as any;
	assert.deepEqual(placedOf({ ledger: { failures: [row, other] } }), { steady: 0, moved: 18 });
	assert.deepEqual(placedOf({ ledger: { failures: [row, other] }, proof }), { steady: 9, moved: 9 });
	const run = {
		queue: null,
		faults: [],
		ledger: { failures: [row] },
		gone_writes: null,
		time_ledger: null,
		user_time: null,
	} as any;
	assert.deepEqual(statementsIn({ ...run, proof }, ['placements', 'timed-placements']), ['placements']);
	assert.deepEqual(statementsIn(run, ['placements', 'timed-placements']), ['placements', 'timed-placements']);
});
