import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Placement as PlacementOfPlace } from '../diagnose/ledger/place.ts';
import type { Score } from './selftest-total.ts';
import { confusions, failedScore, scoreRun, skippedScore, totalByCause, totalByFault, totalOf } from './selftest-total.ts';

type Placement = Partial<PlacementOfPlace>;

/** Failed requests at a second of the load, and where each was placed. */
const failed: (t: number, placement: Placement | null, times?: number, id?: string) => any[] = (t, placement, times = 1, id = 'r') =>
	Array.from({ length: times }, (_, index) => ({
		trace: { id: `${id}-${index}`, t: 1000 + t },
		placement: placement && { service: 'app-1', amplifier: null, where: 'proved', why: 'timed', ...placement },
	}));

const ERROR = { tier: 'app', cause: 'app-error' } as const;
const SLOW = { tier: 'database', cause: 'database-slow' } as const;
const FULL = { tier: 'load-balancer', cause: 'connection-table-full-idle' } as const;

const score = ({
	fault = {},
	placed = [],
	requests = 1000,
	failures = placed.length,
	bottleneck,
	...run
}: {
	fault?: object;
	placed?: any[];
	requests?: number;
	failures?: number;
	unanswered?: number;
	bottleneck?: string;
	nearMisses?: [string, string][];
	verdict?: string;
	marks?: [string, string][];
}) =>
	scoreRun({
		id: 'one',
		fault,
		placed,
		beganS: 1000,
		marks: new Map((run.marks ?? []).map(([id, mark]) => [id, new Set([mark])])),
		result: {
			run: 'a/1',
			metrics: { requests, failures, unanswered: run.unanswered ?? 0 },
			ledger: { near_misses: (run.nearMisses ?? []).map(([id, service]) => ({ id, service })) },
			bottleneck: bottleneck ? { tier: bottleneck } : null,
			validity: { verdict: run.verdict ?? 'VALID', reasons: ['k6 was slow'] },
		} as any,
	});

test('a request on the right tier and cause is right, on the tier alone half right, elsewhere wrong', () => {
	const placed = [...failed(1, ERROR, 6), ...failed(1, { tier: 'app', cause: 'app-crashed' }, 3), ...failed(1, SLOW, 1)];
	const { failures, right, right_tier: rightTier, pairs } = score({ fault: { expected: [ERROR] }, placed });
	assert.deepEqual([failures, right, rightTier], [10, 6, 9]);
	assert.deepEqual(pairs, [
		{ expected: 'app: app-error', found: 'app: app-error', count: 6, right: true },
		{ expected: 'app: app-error', found: 'app: app-crashed', count: 3, right: false },
		{ expected: 'app: app-error', found: 'database: database-slow', count: 1, right: false },
	]);
});

test('what no rule took, and what k6 left no id of, is unattributed', () => {
	const one = score({ fault: { expected: [ERROR] }, placed: [...failed(1, ERROR, 5), ...failed(1, null, 2)], failures: 10 });
	assert.deepEqual([one.failures, one.right, one.unattributed], [10, 5, 5]);
	assert.equal(
		one.pairs.filter(({ found }) => found === 'unattributed').reduce((sum, { count }) => sum + count, 0),
		5,
	);
});

test('a cause holds only in its seconds', () => {
	const expected = [
		{ ...ERROR, from_s: 2, to_s: 5 },
		{ ...SLOW, from_s: 4, to_s: 9 },
	];
	const placed = [...failed(3, ERROR), ...failed(3, SLOW), ...failed(4.5, SLOW), ...failed(4.5, ERROR), ...failed(8, ERROR)];
	const { right, pairs } = score({ fault: { expected }, placed });
	assert.equal(right, 3);
	assert.deepEqual(
		pairs.filter((pair) => !pair.right).map((pair) => [pair.expected, pair.found]),
		[
			['app: app-error', 'database: database-slow'],
			['database: database-slow', 'app: app-error'],
		],
	);
});

test('a failure at a time at which none was expected is nothing’s, and wrong', () => {
	const { right, right_tier: rightTier, pairs } = score({ fault: { expected: [{ ...ERROR, to_s: 5 }] }, placed: failed(7, ERROR, 9) });
	assert.deepEqual([right, rightTier, pairs[0].expected], [0, 0, 'none']);
});

test('where the node says what it did to a request, only that request has the cause', () => {
	const expected = [{ ...ERROR, marked: 'destroyShare' }, SLOW];
	const placed = [...failed(1, ERROR, 2, 'x'), ...failed(1, ERROR, 3, 'y')];
	const { right } = score({
		fault: { expected },
		placed,
		marks: [
			['x-0', 'destroyShare'],
			['x-1', 'destroyShare'],
		],
	});
	assert.equal(right, 2);
});

test('an amplifier that is not expected is wrong, and so is another service', () => {
	const amplified = { ...ERROR, amplifier: { cause: 'no-live-upstream' } as any };
	const wrong = score({ fault: { expected: [ERROR] }, placed: failed(1, amplified, 5) });
	assert.deepEqual([wrong.right, wrong.right_tier], [0, 5]);
	assert.equal(wrong.pairs[0].found, 'app: app-error, made many by no-live-upstream');
	assert.equal(score({ fault: { expected: [{ ...ERROR, amplifiers: ['no-live-upstream'] }] }, placed: failed(1, amplified, 5) }).right, 5);
	const elsewhere = score({ fault: { expected: [{ ...ERROR, services: ['app-2'] }] }, placed: failed(1, ERROR, 5) });
	assert.deepEqual([elsewhere.right, elsewhere.pairs[0].found], [0, 'app: app-error at app-1']);
	const both = { ...ERROR, service: 'app-1, app-2' };
	assert.equal(score({ fault: { expected: [{ ...ERROR, services: ['app-2'] }] }, placed: failed(1, both, 5) }).right, 5);
});

test('an amplifier that has to be there is missed where it is not', () => {
	const made = { ...SLOW, amplifier: { cause: 'breaker-open' } as any };
	const expected = [SLOW, { ...SLOW, amplifiers: ['breaker-open'], amplified: true }];
	const both = score({ fault: { expected }, placed: [...failed(1, SLOW, 2), ...failed(2, made, 3)] });
	assert.deepEqual([both.right, both.misses], [5, []]);
	const alone = score({ fault: { expected }, placed: failed(1, SLOW, 2) });
	assert.deepEqual(
		[alone.right, alone.misses],
		[2, ['expected failures placed at database: database-slow, made many by breaker-open; found none']],
	);
});

test('how place and cause are known is counted', () => {
	const placed = [...failed(1, ERROR, 3), ...failed(1, { ...ERROR, where: 'inferred', why: 'counted' }, 2), ...failed(1, null)];
	const { where, why } = score({ fault: { expected: [ERROR] }, placed });
	assert.deepEqual(
		[where, why],
		[
			{ proved: 3, inferred: 2 },
			{ timed: 3, counted: 2 },
		],
	);
});

test('failures where none were expected are a miss; a handful in ten thousand requests is not', () => {
	const many = score({ fault: { expected: [] }, placed: failed(1, ERROR, 20) });
	assert.deepEqual([many.misses, many.failures, many.right], [['expected no failed request; found 20'], 20, 0]);
	const few = score({ fault: { expected: [] }, placed: failed(1, ERROR, 1) });
	assert.deepEqual([few.misses, few.failures, few.pairs], [[], 0, []]);
});

test('where something has to fail, each failure is judged, however few they are', () => {
	const few = score({ fault: { expected: [ERROR] }, placed: failed(1, ERROR, 1), requests: 10_000 });
	assert.deepEqual([few.misses, few.failures, few.right], [[], 1, 1]);
});

test('a fault that did not take is a miss, unless it need not fail anything', () => {
	assert.match(score({ fault: { expected: [ERROR] } }).misses[0], /at least 1 failed requests; found 0: the fault did not take/);
	assert.deepEqual(score({ fault: { expected: [{ ...ERROR, may: true }], least: 0 } }).misses, []);
});

test('each cause that must occur is asked for, and one that may is not', () => {
	const expected = [ERROR, { ...FULL, may: true }, SLOW];
	assert.deepEqual(score({ fault: { expected }, placed: failed(1, ERROR, 9) }).misses, [
		'expected failures placed at database: database-slow; found none',
	]);
});

test('bottleneck, near misses, validity and the unanswered are asked for where the fault says so', () => {
	const fault = {
		saturated: 'app',
		near_misses: [{ ids: ['left-out', 'retried'], services: ['app-2'] }],
		validity: 'not VALID',
		unanswered: 5,
	};
	assert.equal(score({ fault }).misses.length, 4);
	assert.deepEqual(score({ fault, bottleneck: 'app', nearMisses: [['retried', 'app-2']], verdict: 'SUSPECT', unanswered: 5 }).misses, []);
	assert.deepEqual(score({ fault: { saturated: null }, bottleneck: 'app' }).misses, ['expected the bottleneck to be none; found app']);
	assert.deepEqual(score({ fault: { validity: 'VALID' }, verdict: 'SUSPECT' }).misses, ['expected VALID; found SUSPECT: k6 was slow']);
});

test('where the causes are not asked for, no request is judged', () => {
	const { failures, pairs, misses } = score({ fault: { validity: 'VALID' }, placed: failed(1, ERROR, 50) });
	assert.deepEqual([failures, pairs, misses], [0, [], []]);
});

test('a run that came to no result is a miss that says why', () => {
	assert.deepEqual(failedScore('one', 'no stack').misses, ['the run came to no result: no stack']);
});

test('where causes are alternatives and some request has to fail, each failure is judged, however few they are', () => {
	const fault = {
		expected: [
			{ ...ERROR, may: true },
			{ ...SLOW, may: true },
		],
		least: 1,
	};
	const few = score({ fault, placed: failed(1, SLOW, 2), requests: 10_000 });
	assert.deepEqual([few.failures, few.right, few.misses], [2, 2, []]);
	assert.deepEqual(score({ fault, placed: failed(1, FULL, 2), requests: 10_000 }).right, 0);
});

test('a fault by which nothing can be judged has a reason, and neither failures nor misses', () => {
	const { failures, misses, skipped, run } = skippedScore('one', 'no shell', 'a/1');
	assert.deepEqual([failures, misses, skipped, run], [0, [], 'no shell', 'a/1']);
});

const selftestTotalScore: (fault: string, pairs: [string, string, number, boolean][], more?: Partial<Score>) => Score = (
	fault,
	pairs,
	more = {},
) => {
	const sum = (rows: [string, string, number, boolean][]) => rows.reduce((total, [, , count]) => total + count, 0);
	return {
		fault,
		run: 'a/1',
		requests: 1000,
		failures: sum(pairs),
		right_tier: sum(pairs.filter(([one, other]) => one.split(':')[0] === other.split(':')[0])),
		right: sum(pairs.filter(([, , , right]) => right)),
		unattributed: sum(pairs.filter(([, found]) => found === 'unattributed')),
		where: { proved: sum(pairs) },
		why: { timed: sum(pairs) },
		pairs: pairs.map(([expected, found, count, right]) => ({ expected, found, count, right })),
		misses: [],
		...more,
	};
};
const SCORES = [
	selftestTotalScore('one', [
		['app: x', 'app: x', 96, true],
		['app: x', 'app: y', 4, false],
	]),
	selftestTotalScore('one', [
		['app: x', 'app: x', 90, true],
		['app: x', 'unattributed', 10, false],
	]),
	selftestTotalScore('two', [['app: y', 'app: y', 10, true]]),
];

test('a fault is judged by all its runs together: 95 % of its failed requests', () => {
	const [one, two] = totalByFault(SCORES);
	assert.deepEqual([one.runs, one.failures, one.right, one.unattributed, one.passed], [2, 200, 186, 10, false]);
	assert.equal(two.passed, true);
	assert.equal(totalByFault([SCORES[0]])[0].passed, true);
});

test('a miss in one run fails the fault', () => {
	const [one] = totalByFault([SCORES[0], selftestTotalScore('one', [], { misses: ['no bottleneck'] })]);
	assert.deepEqual([one.passed, one.misses], [false, ['no bottleneck']]);
});

test('over all, each request counts alike, and beside it each fault', () => {
	const total = totalOf(SCORES);
	assert.deepEqual([total.faults, total.passed, total.runs, total.failures], [2, 1, 3, 210]);
	assert.equal(total.right_share, 196 / 210);
	assert.equal(total.right_share_by_fault, (186 / 200 + 1) / 2);
	assert.equal(total.unattributed_share, 10 / 210);
	assert.deepEqual(total.where, { proved: 1, timed: 0, counted: 0, inferred: 0 });
	const half = totalOf([
		selftestTotalScore(
			'one',
			[
				['app: x', 'app: x', 5, true],
				['app: x', 'unattributed', 5, false],
			],
			{ where: { proved: 5 } },
		),
	]);
	assert.equal(half.where.proved, 0.5);
});

test('a cause has the share of what was found there that is its own, and of its own that was found', () => {
	const causes = Object.fromEntries(totalByCause(SCORES).map((cause) => [cause.label, cause]));
	assert.deepEqual(Object.keys(causes), ['app: x', 'app: y']);
	assert.deepEqual([causes['app: x'].are, causes['app: x'].found], [200, 186]);
	assert.deepEqual([causes['app: x'].precision, causes['app: x'].recall], [1, 0.93]);
	assert.deepEqual([causes['app: y'].precision, causes['app: y'].recall], [10 / 14, 1]);
});

test('what was taken for something else is counted over all runs, most first', () => {
	assert.deepEqual(
		confusions([...SCORES, SCORES[0]]).map(({ found, count }) => [found, count]),
		[
			['unattributed', 10],
			['app: y', 8],
		],
	);
});

test('without a failed request there are no shares', () => {
	const total = totalOf([selftestTotalScore('healthy', [])]);
	assert.deepEqual([total.right_share, total.right_share_by_fault, total.passed], [null, null, 1]);
});

test('a fault by which nothing could be judged is counted neither as right nor as wrong', () => {
	const skipped = selftestTotalScore('three', [], { skipped: 'psql is not there' });
	assert.deepEqual(totalByFault([...SCORES, skipped]), totalByFault(SCORES));
	const { faults, runs } = totalOf([...SCORES, skipped]);
	assert.deepEqual([faults, runs], [2, 3]);
});

test('a fault has the advice of its runs once, and how its requests are known', () => {
	const advised = selftestTotalScore('one', [['app: x', 'app: x', 4, true]], { advice: ['watch it'], where: { proved: 3, timed: 1 } });
	const [total] = totalByFault([advised, advised]);
	assert.deepEqual([total.advice, total.where.proved, total.where.timed, total.where.inferred], [['watch it'], 6, 2, 0]);
});
