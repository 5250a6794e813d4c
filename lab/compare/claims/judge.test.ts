import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../../catalog/claims.ts';
import { experiments } from '../../catalog/experiments.ts';
import type { Figures } from '../../diagnose/fixtures/experiment-runs.ts';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.ts';
import type { ClaimResult } from '../../record/types.js';
import { judgeClaim } from './judge.ts';

const { arms } = experiments.doubling;
const pages = [{ base: '2a', other: '2a-slots', href: 'pairs/2a-vs-2a-slots/compare.html' }];
/** The balancer is at fault: as the lab found it. */
const BALANCER = {
	a: { goodput: 500, p95: 2700 },
	'a-lb': { goodput: 400, failed: 0.5, p95: 1800 },
	'1a-tuned': { goodput: 400, p95: 3500 },
	'2a': { goodput: 600, failed: 0.2, p95: 1000 },
	'2a-tuned': { goodput: 950, p95: 3000 },
	'2a-slots': { goodput: 900, p95: 3000 },
	'2a-keepalive': { goodput: 600, failed: 0.4, p95: 900 },
	'2a-pool500': { goodput: 600, failed: 0.2, p95: 1000 },
};
/** The database is at fault: as the source has it. */
const DATABASE = {
	a: { goodput: 500, p95: 2700 },
	'a-lb': { goodput: 500, p95: 2700 },
	'1a-tuned': { goodput: 500, p95: 2700 },
	'2a': { goodput: 980, failed: 0.2, tier: 'pool', p95: 1000 },
	'2a-slots': { goodput: 980, failed: 0.2, tier: 'pool', p95: 1000 },
	'2a-keepalive': { goodput: 980, failed: 0.2, tier: 'pool', p95: 1000 },
	'2a-tuned': { goodput: 980, failed: 0.2, tier: 'pool', p95: 1000 },
	'2a-pool500': { goodput: 950 },
} as Record<string, Figures>;

function judge(figures: Record<string, Figures>, repeats: number = 8): Record<string, ClaimResult> {
	const runs = runsOf(planOf({ arms, repeats }), figures);
	return Object.fromEntries(claimsOf('doubling').map((claim) => [claim.id, judgeClaim({ claim, runs, arms, pages, unlike: null })]));
}
const verdictsOf = (judged: ReturnType<typeof judge>) =>
	Object.fromEntries(Object.entries(judged).map(([id, { verdict }]) => [id, verdict]));

test('whose failures they are is not judged where nothing failed, whatever a remedy then does not take away', () => {
	const healthy = { goodput: 900, p95: 1000 };
	const { D3 } = judge({ ...BALANCER, '2a': healthy, '2a-slots': healthy, '2a-pool500': healthy });
	assert.deepEqual([D3.verdict, D3.tests.map(({ verdict }) => verdict)], ['INCONCLUSIVE', ['INCONCLUSIVE', 'REFUTED']]);
	assert.equal(D3.sentence, 'Not judged: 0 repetitions have the figures, and a verdict needs 8.');
});

test('where the balancer loses the requests, the accusation of MongoDB is refuted, by ledger and by relief', () => {
	const judged = judge(BALANCER);
	assert.deepEqual(verdictsOf(judged), {
		D1a: 'REFUTED',
		D1b: 'REFUTED',
		// More failed with two nodes than with one; whose fault that is D3 asks.
		D2: 'HOLDS',
		D2b: 'REFUTED',
		D3: 'REFUTED',
		D4: 'REFUTED',
		D5a: 'REFUTED',
		D5b: 'HOLDS',
		D5c: 'HOLDS',
	});
	const { relief, evidence, quote } = judged.D3;
	assert.deepEqual(
		relief?.rows.map(({ tier, failures }) => [tier, failures]),
		[
			['pool', 'stay'],
			['load-balancer', 'gone'],
			['load-balancer', 'more'],
		],
	);
	assert.equal(
		relief?.sentence,
		'the connection pool relieved (2a-pool500): failures stay (20.0 %); the load balancer relieved (2a-slots): failures gone (0.0 %); the load balancer relieved (2a-keepalive): failures more (40.0 %)',
	);
	assert.deepEqual(
		evidence.map(({ href }) => href),
		['pairs/2a-vs-2a-slots/compare.html'],
	);
	assert.doesNotMatch(quote, /[{}]/);
});

test('where the pool loses them, the same tests hold', () => {
	const judged = judge(DATABASE);
	assert.deepEqual(verdictsOf(judged), {
		D1a: 'REFUTED',
		D1b: 'HOLDS',
		D2: 'HOLDS',
		D2b: 'HOLDS',
		D3: 'HOLDS',
		D4: 'HOLDS',
		D5a: 'REFUTED',
		D5b: 'HOLDS',
		D5c: 'HOLDS',
	});
	assert.deepEqual(
		judged.D3.relief?.rows.map(({ failures }) => failures),
		['gone', 'stay', 'stay'],
	);
});

test('two blocks decide nothing', () => {
	const judged = judge(BALANCER, 2);
	const { D5a, ...onRuns } = verdictsOf(judged);
	assert.deepEqual(new Set(Object.values(onRuns)), new Set(['INCONCLUSIVE']));
	// What the published file says itself needs no run.
	assert.equal(D5a, 'REFUTED');
	assert.equal(judged.D1a.quote, 'Not judged: 2 repetitions have the figures, and a verdict needs 8.');
	assert.deepEqual(
		judged.D3.relief?.rows.map(({ failures }) => failures),
		['INCONCLUSIVE', 'INCONCLUSIVE', 'INCONCLUSIVE'],
	);
});

test('relief says that failures stay only where the whole interval says so, and nothing where none failed before', () => {
	const relief = (before: number, after: number) =>
		judge({ ...BALANCER, '2a': { failed: before }, '2a-pool500': { failed: after } }).D3.relief?.rows[0].failures;
	assert.equal(relief(0.2, 0.19), 'stay');
	assert.equal(relief(0.2, 0.05), 'fewer');
	assert.equal(relief(0.2, 0), 'gone');
	assert.equal(relief(0, 0), 'INCONCLUSIVE');
});

test('a claim of several tests says by which it is refuted', () => {
	const { D4 } = judge({ ...BALANCER, '1a-tuned': { goodput: 500, p95: 3500 } });
	assert.equal(D4.verdict, 'REFUTED');
	assert.match(D4.quote, /Refuted by p95 of successes, 1a-tuned over a: 1\.\d+ times/);
});

test('runs that are not there decide nothing and break nothing', () => {
	for (const claim of claimsOf('doubling').filter(({ id }) => id !== 'D5a'))
		assert.equal(judgeClaim({ claim, runs: [], arms, pages: [], unlike: null }).verdict, 'INCONCLUSIVE');
});

test('every sentence of every claim can be filled', () => {
	const runs = runsOf(planOf({ arms }), BALANCER);
	for (const claim of claimsOf('doubling'))
		for (const quote of Object.values(claim.quotes)) {
			const reported = { ...claim, quotes: { HOLDS: quote, REFUTED: quote, INCONCLUSIVE: quote } };
			assert.doesNotMatch(judgeClaim({ claim: reported, runs, arms, pages, unlike: null }).quote, /[{}]|undefined|NaN|nothing measured/);
		}
});

test('under another load than its own no claim is judged, however many blocks there are', () => {
	const runs = runsOf(planOf({ arms }), BALANCER);
	for (const claim of claimsOf('doubling')) {
		const { verdict, quote } = judgeClaim({ claim, runs, arms, pages, unlike: 'the load smoke' });
		assert.deepEqual([verdict, quote], ['INCONCLUSIVE', 'Not judged: the claim is not about the load smoke.']);
	}
});

test('a claim on the published file is judged by it, with neither interval nor blocks', () => {
	const { D5a } = judge(BALANCER);
	assert.match(D5a.quote, /^The published file itself has 269\.85 ms for successes \(0\.55 times 492 ms\); 492\.81 ms is /);
	assert.deepEqual([D5a.tests[0].basis, D5a.tests[0].blocks, D5a.measured[0].text], ['published', 0, '0.55 times']);
});

test('a claim that rests on SUSPECT runs, of which no stage is known, is not decided by them, and says what they would say', () => {
	const { D1a, D3, D5a } = judge({ ...BALANCER, '2a': { goodput: 600, failed: 0.2, validity: 'SUSPECT' } });
	assert.deepEqual([D3.verdict, D3.without_suspect?.verdict, D5a.verdict], ['INCONCLUSIVE', 'INCONCLUSIVE', 'REFUTED']);
	assert.match(
		D1a.quote,
		/^The result depends on SUSPECT runs \(2a 8 of 8\)\. With them it would be REFUTED\. With them: throughput, 2a over a 1\.\d+ times .*\. Without what was SUSPECT: 0 of its repetitions are left, and a verdict needs 8\.$/,
	);
	assert.deepEqual(D1a.doubts, [{ arm: '2a', doubt: { suspect: 8, runs: 8, text: '8 of 8 runs SUSPECT: a reason' } }]);
});

test('SUSPECT runs of an arm that a claim only shows change nothing of its verdict, and are said', () => {
	const { D4, D5b } = judge({ ...BALANCER, '2a-slots': { goodput: 900, p95: 3000, validity: 'SUSPECT' } });
	assert.deepEqual([D4.verdict, D4.doubts], ['REFUTED', []]);
	assert.deepEqual([D5b.verdict, D5b.without_suspect, D5b.doubts?.map(({ arm }) => arm)], ['HOLDS', null, ['2a-slots']]);
});
