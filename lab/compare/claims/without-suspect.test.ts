import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompareTest } from '../../catalog/claims.ts';
import { claimsOf } from '../../catalog/claims.ts';
import { metrics } from '../../catalog/metrics.ts';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { graded, NEVER, seconds } from '../../diagnose/validity/grade.ts';
import { withDoubts } from '../../record/fixtures/with-doubts.ts';
import type { Run } from '../comparison/runs.ts';
import { judgeClaim } from './judge.ts';
import { isDoubtful, judgeWithoutSuspect } from './without-suspect.ts';

const GAP = graded('observers', 3.4, { suspect: 3, invalid: NEVER }, `the observers have a gap of ${seconds(3.4)}`, seconds)[0].reason;
const UNLOGGED = 'app-1 received 0.1 % of its requests without a line in its log; the limit is 0.1 %';
const STOLEN = "other machines on the same hardware took 3.6 % of this one's CPU time; the limit is 1 %";

const doubtful: (reasons: string[], metric: string | null, verdict?: string) => boolean = (reasons, metric, verdict = 'SUSPECT') =>
	isDoubtful({ result: { validity: withDoubts({ verdict, reasons }) } } as any, metric);

test('late observers and missing log lines move nothing that k6 counted or timed', () => {
	for (const metric of ['failure_rate', 'throughput_rps', 'latency_ms_p95_ok', 'latency_ms_p2_5_ok', 'failed_user_time_share'])
		for (const reasons of [[GAP], [UNLOGGED], [GAP, UNLOGGED]]) assert.ok(!doubtful(reasons, metric), `${metric}: ${reasons}`);
});

test('they move what the lab read beside it, and what a queue has done', () => {
	for (const metric of ['goodput_rps', 'cpu_ms_per_good', 'batch_size_mean', null]) assert.ok(doubtful([GAP], metric), String(metric));
});

test('any other doubt counts for every figure, and one that gives no reason too', () => {
	for (const { id } of metrics) assert.ok(doubtful([STOLEN], id) && doubtful([GAP, STOLEN], id) && doubtful([], id), id);
	assert.ok(!doubtful([STOLEN], 'failure_rate', 'VALID'));
});

const arms = ['a', 'a-lb', '2a'].map((id) => ({ id, architecture: id }));
const TARGETS = [100, 500, 2000];
/** The node alone fails nothing; behind the balancer, and with two, `failed` of the stage to 2,000 users and `early` before. */
function runsWith(early: number, failed: number, { suspect = [2000], repeats = 8 }: { suspect?: number[]; repeats?: number } = {}): Run[] {
	const runs = runsOf(planOf({ arms, repeats }), { a: { goodput: 600 }, 'a-lb': { goodput: 600 }, '2a': { goodput: 600, failed } });
	for (const { attempt, result } of runs) {
		const rateIn = (target: number) => (attempt.arm === '2a' ? (target === 2000 ? failed : early) : 0);
		result.stages = TARGETS.map(
			(target, index) =>
				({
					from_s: index * 20,
					to_s: index * 20 + 20,
					target,
					unit: 'users',
					throughput_rps: 700,
					goodput_rps: 700 * (1 - rateIn(target)),
					failure_rate: rateIn(target) + attempt.block / 10_000,
				}) as any,
		);
		if (attempt.arm !== '2a' || suspect.length === 0) continue;
		result.validity = withDoubts({
			verdict: 'SUSPECT',
			reasons: ['a reason'],
			stages: result.stages.map(({ from_s, to_s, target }) => ({
				from_s,
				to_s,
				target,
				verdict: suspect.includes(target) ? 'SUSPECT' : 'VALID',
				reasons: [],
			})),
		});
	}
	return runs;
}
const d2 = claimsOf('doubling').filter(({ id }) => id === 'D2')[0];
const judge = (runs: Run[]) => judgeClaim({ claim: d2, runs, arms, pages: [], unlike: null });

test('a verdict that stands on the other stages too stays, and says over which it was looked at again', () => {
	const { verdict, quote, without_suspect: again } = judge(runsWith(0.1, 0.4));
	assert.deepEqual([verdict, again?.verdict], ['HOLDS', 'HOLDS']);
	assert.match(
		quote,
		/Some of its runs are SUSPECT \(2a 8 of 8\); the verdict is the same without what was SUSPECT: failure rate, 2a less a \+10\.0 .* over the stages to 100 and 500 users/,
	);
});

test('a verdict that only the SUSPECT stages carry falls, with what both readings say', () => {
	const { verdict, quote, without_suspect: again, tests } = judge(runsWith(0, 0.4));
	// Where nobody fails the second look sees nothing of what the claim is about: it refutes nothing either.
	assert.deepEqual([verdict, again?.verdict], ['INCONCLUSIVE', 'INCONCLUSIVE']);
	assert.match(
		quote,
		/^The result depends on SUSPECT runs \(2a 8 of 8\)\. With them it would be HOLDS\. With them: failure rate, 2a less a \+40\.0 .* over the stages to 100 and 500 users/,
	);
	assert.equal(tests[0].verdict, 'HOLDS');
});

test('without a stage that is VALID in every run there is no second reading, and no verdict', () => {
	const { verdict, without_suspect: again } = judge(runsWith(0.1, 0.4, { suspect: TARGETS }));
	assert.equal(verdict, 'INCONCLUSIVE');
	assert.deepEqual(again?.tests.map(({ over, why, estimate }) => [over, why, estimate])[0], [null, 'no stage is VALID in every run', null]);
});

test('a run that is SUSPECT in no stage in particular is left out with its block, and the VALID rest may suffice', () => {
	const runs = runsWith(0.1, 0.4, { suspect: [], repeats: 9 });
	const [doubted] = runs.filter(({ attempt }) => attempt.arm === '2a');
	doubted.result.validity = withDoubts({ verdict: 'SUSPECT', reasons: ['neighbours'], stages: [] });
	const again = judgeWithoutSuspect(d2, runs);
	assert.equal(again.verdict, 'HOLDS');
	assert.deepEqual([again.tests[0].over, again.tests[0].blocks], ['the runs that are VALID', 8]);
	const fewer = runs.filter(({ attempt }) => attempt.block < 9);
	assert.equal(judgeWithoutSuspect(d2, fewer).tests[0].why, '7 of its repetitions are left, and a verdict needs 8');
});

test('where enough VALID blocks are left these are read in full, also for a metric that is not known by stage', () => {
	const runs = runsWith(0.1, 0.4, { repeats: 9 });
	for (const { attempt, result } of runs.filter(({ attempt }) => attempt.block < 9))
		if (attempt.arm === '2a') result.validity = withDoubts({ verdict: 'VALID', reasons: [], stages: [] });
	const again = judgeWithoutSuspect(d2, runs);
	assert.deepEqual([again.verdict, again.tests[0].over, again.tests[0].blocks], ['HOLDS', 'the runs that are VALID', 8]);
});

test('what rests on nothing SUSPECT is judged once', () => {
	const { verdict, without_suspect: again, quote } = judge(runsWith(0.1, 0.4, { suspect: [] }));
	assert.deepEqual([verdict, again], ['HOLDS', null]);
	assert.doesNotMatch(quote, /SUSPECT/);
});

test('a metric that is not known by stage decides nothing', () => {
	const runs = runsWith(0.1, 0.4);
	const claim = {
		...d2,
		tests: d2.tests.map((part) => ({ ...(part as CompareTest), metric: 'cpu_ms_per_good' })),
	};
	assert.match(judgeWithoutSuspect(claim, runs).tests[0].why ?? '', /^it has no figure over the stages to 100 and 500 users/);
});

test('a stage that is SUSPECT in a run which is VALID as a whole is not read either', () => {
	const runs = runsWith(0.1, 0.4);
	const [alone] = runs.filter(({ attempt }) => attempt.arm === 'a');
	alone.result.validity.stages = alone.result.stages.map(({ from_s, to_s, target }) => ({
		from_s,
		to_s,
		target,
		verdict: target === 500 ? 'SUSPECT' : 'VALID',
		reasons: [],
		doubts: [],
	}));
	assert.equal(judgeWithoutSuspect(d2, runs).tests[0].over, 'the stage to 100 users');
});

test('stages in which no arm fails confirm no verdict: it cannot be read without what was SUSPECT', () => {
	// Of the failures of two nodes none is more than of one, with nothing failing at all in what is VALID.
	const again = judgeWithoutSuspect({ ...d2, tests: [{ ...d2.tests[0], wanted: 'at most' }] }, runsWith(0, 0.001));
	assert.deepEqual([again.verdict, again.tests[0].over], ['INCONCLUSIVE', null]);
	assert.match(
		again.tests[0].why ?? '',
		/^it cannot be read: over the stages to 100 and 500 users, .* no arm is known to fail more than 1\.0 %$/,
	);
	assert.equal(judgeWithoutSuspect(d2, runsWith(0.1, 0.4)).verdict, 'HOLDS');
});

test('a second look that is on record counts only where its difference shows failures, and by the threshold of today', () => {
	const runs = runsWith(0.1, 0.4, { suspect: TARGETS });
	const look = (estimate: number) => ({
		...(d2.tests[0] as any),
		scale: 'difference',
		blocks: 8,
		estimate,
		low: estimate - 0.002,
		high: estimate + 0.002,
		verdict: 'REFUTED',
		over: 'the stage to 100 users',
	});
	const verdictOf = (estimate: number) => judgeWithoutSuspect(d2, runs, undefined, [look(estimate)]).tests[0];
	assert.deepEqual([verdictOf(0.1).verdict, verdictOf(0.1).over], ['HOLDS', 'the stage to 100 users']);
	assert.deepEqual([verdictOf(0).verdict, verdictOf(0).over], ['INCONCLUSIVE', null]);
});

test('a run whose observers were late is in doubt for what they read, and not for what k6 counted', () => {
	const runs = runsWith(0.1, 0.4, { suspect: [] });
	for (const { attempt, result } of runs)
		if (attempt.arm === '2a')
			result.validity = withDoubts({ verdict: 'SUSPECT', reasons: ['the observers have a gap of 3.2 s; the limit is 3 s'], stages: [] });
	const { verdict, without_suspect: again, remarks } = judge(runs);
	assert.deepEqual([verdict, again], ['HOLDS', null]);
	assert.match(remarks?.[0] ?? '', /^Some of its runs are SUSPECT \(2a 8 of 8\), for readings of Doubletake that cannot move the figures/);
	const stolen = 'other machines on the same hardware took 3.6 % of this one’s CPU time; the limit is 1 %';
	for (const { attempt, result } of runs)
		if (attempt.arm === '2a') result.validity = withDoubts({ verdict: 'SUSPECT', reasons: [stolen], stages: [] });
	assert.equal(judge(runs).verdict, 'INCONCLUSIVE');
});
