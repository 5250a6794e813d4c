import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figures } from '../../diagnose/fixtures/experiment-runs.ts';
import { planOf, runOf, runsOf } from '../../diagnose/fixtures/experiment-runs.ts';
import type { Comparison } from '../../record/types.js';
import { ANY_LOOK } from '../../stats/any-look.ts';
import type { Attempt, Plan } from '../plan.ts';
import { blocksWanted, comparisonOf, invalidOf } from './runs.ts';

const comparisonArms = ['2a', '2a-tuned'].map((id) => ({ id, architecture: id }));
const links = { index: '../../index.html', experiment: null };
const hrefOf = (run: string) => `../${run}`;

function compare(figures: Record<string, Figures>, given: Partial<Plan> = {}): Comparison {
	const plan = planOf({ arms: comparisonArms, ...given });
	const [base, other] = plan.arms.map(({ id }) => id);
	return comparisonOf({ plan, runs: runsOf(plan, figures), base, other, control: null, hrefOf, links });
}

/** What is said of images between runs. */
function rebuiltIn(imagesOf: (arm: string, block: number) => Record<string, string> | undefined) {
	const attempts: Attempt[] = [1, 2].flatMap((block) =>
		comparisonArms.map(({ id: arm }) => ({ block, arm, run: '', validity: 'VALID', took_s: 40, images: imagesOf(arm, block) })),
	);
	return compare({}, { attempts }).notes.filter((note) => note.includes('built anew'));
}

test('an image that was another in a later run of its arm is reported, by its service', () =>
	assert.deepEqual(
		rebuiltIn((arm, block) => ({ web: arm === '2a' ? `sha256:${block}` : 'sha256:2', jobs: 'sha256:9' })),
		['the image of web was built anew between the runs of 2a: they may not have measured the same'],
	));

test('nothing is told of arms whose images stayed the same, or of runs that built none', () => {
	assert.deepEqual(
		rebuiltIn((arm) => ({ web: `sha256:${arm}` })),
		[],
	);
	assert.deepEqual(
		rebuiltIn(() => undefined),
		[],
	);
});

const verdictsOf = ({ metrics }: Comparison) => Object.fromEntries(metrics.map(({ id, verdict }) => [id, verdict]));

test('an arm that serves more and fails less is better on both gates', () => {
	const comparison = compare({ '2a': { goodput: 500, failed: 0.2 }, '2a-tuned': { goodput: 900 } });
	assert.equal(comparison.verdict.word, 'better');
	assert.equal(verdictsOf(comparison).goodput_rps, 'better');
	assert.equal(verdictsOf(comparison).failure_rate, 'better');
	assert.match(
		comparison.verdict.sentence,
		/^2a-tuned serves 1\.\d+ times as many good requests as 2a \(95 % interval 1\.\d+ to 1\.\d+, 8 repetitions\), and fails 0\.0 % of what it is asked, 2a 20\.0 %/,
	);
});

test('an architecture against itself is the same on every metric', () => {
	const comparison = compare(
		{},
		{
			arms: [
				{ id: 'a', architecture: 'a' },
				{ id: 'a again', architecture: 'a' },
			],
		},
	);
	assert.deepEqual(new Set(Object.values(verdictsOf(comparison))), new Set(['same']));
	assert.equal(comparison.verdict.word, 'same');
});

test('a control that is noisier than 5 % widens the delta of its own metrics, and of nothing that it cannot tell', () => {
	const plan = planOf({
		arms: [
			{ id: 'a', architecture: 'a' },
			{ id: 'a again', architecture: 'a' },
		],
	});
	const noisy = [1, 1.1, 0.9, 1.12, 0.91, 1.05, 0.95, 1.02];
	const runs = runsOf(plan, {}).map((run) =>
		run.attempt.arm === 'a' ? run : runOf('a again', run.attempt.block, { goodput: 500 * noisy[run.attempt.block - 1] }),
	);
	const { metrics, control } = comparisonOf({ plan, runs, base: 'a', other: 'a again', control: null, hrefOf, links });
	const goodput = metrics[0];
	assert.equal(goodput.verdict, 'same');
	assert.ok(goodput.delta > 0.05 && goodput.delta < 0.15, `delta is ${goodput.delta}`);
	assert.equal(control?.noise.goodput_rps, goodput.delta);
});

test('a control with a bias does not come out the same', () => {
	const comparison = compare(
		{ 'a again': { goodput: 600 } },
		{
			arms: [
				{ id: 'a', architecture: 'a' },
				{ id: 'a again', architecture: 'a' },
			],
		},
	);
	assert.notEqual(verdictsOf(comparison).goodput_rps, 'same');
	assert.notEqual(comparison.verdict.word, 'same');
});

/**
 * 2a-tuned better by far, in so many blocks, of which some runs of 2a were SUSPECT.
 * @param suspect blocks
 * @param goodput of 2a in those
 */
function compareInDoubt(repeats: number, suspect: number[], goodput: number = 500) {
	const plan = planOf({ arms: comparisonArms, repeats });
	const runs = runsOf(plan, { '2a': { goodput: 500 }, '2a-tuned': { goodput: 900 } }).map((run) =>
		run.attempt.arm === '2a' && suspect.includes(run.attempt.block)
			? runOf('2a', run.attempt.block, { goodput, validity: 'SUSPECT' })
			: run,
	);
	return comparisonOf({ plan, runs, base: '2a', other: '2a-tuned', control: null, hrefOf, links });
}

test('no verdict rests on a SUSPECT run: with fewer than eight blocks without one it is inconclusive', () => {
	const { verdict, metrics } = compareInDoubt(8, [3]);
	assert.equal(verdict.word, 'INCONCLUSIVE');
	const [goodput] = metrics;
	assert.equal(goodput.verdict, 'INCONCLUSIVE');
	assert.match(
		goodput.sentence,
		/8 repetitions\): better with SUSPECT runs, and without them 7 repetitions are left, where a verdict needs 8\.$/,
	);
});

test('a verdict that is the same without the SUSPECT runs stands, and their doubt with it', () => {
	const { verdict } = compareInDoubt(9, [3]);
	assert.equal(verdict.word, 'better');
	assert.match(verdict.sentence, /In doubt: 2a: 1 of 9 runs SUSPECT/);
});

test('what only the SUSPECT runs make worse is inconclusive', () => {
	const { metrics } = compareInDoubt(
		30,
		Array.from({ length: 22 }, (_, index) => index + 1),
		2000,
	);
	assert.match(metrics[0].sentence, /worse with SUSPECT runs, and better without them\.$/);
});

test('with too few blocks everything is inconclusive, whatever the figures', () => {
	const comparison = compare({ '2a': { goodput: 100, failed: 0.5 }, '2a-tuned': { goodput: 900 } }, { repeats: 7 });
	assert.deepEqual(new Set(Object.values(verdictsOf(comparison))), new Set(['INCONCLUSIVE']));
	assert.equal(comparison.verdict.word, 'INCONCLUSIVE');
	assert.match(comparison.verdict.sentence, /needs 8 repetitions/);
});

test('an arm that fails more is held back from being better on latency and throughput, and survivorship is said', () => {
	const comparison = compare(
		{ a: { goodput: 500, p95: 2700 }, '2a': { goodput: 900, failed: 0.2, p95: 1000 } },
		{ arms: ['a', '2a'].map((id) => ({ id, architecture: id })) },
	);
	const { goodput_rps: goodput, failure_rate: failures, ...others } = verdictsOf(comparison);
	assert.deepEqual([goodput, failures], ['better', 'worse']);
	assert.ok(!Object.values(others).includes('better'));
	assert.equal(comparison.verdict.word, 'mixed');
	assert.match(
		comparison.metrics.find(({ id }) => id === 'latency_ms_p95_ok')?.held_back ?? '',
		/2a looks better, but its failure rate is worse/,
	);
	assert.equal(comparison.survivorship?.arm, '2a');
	assert.equal(Math.round(comparison.survivorship?.rank ?? 0), 76);
	assert.match(comparison.survivorship?.sentence ?? '', /it has no real p95/);
});

test('the other way round the arm that fails less is not called worse on latency either', () => {
	const comparison = compare({ '2a': { goodput: 500, failed: 0.2, p95: 1000 }, '2a-tuned': { goodput: 900, p95: 2700 } });
	assert.notEqual(verdictsOf(comparison).latency_ms_p95_ok, 'worse');
	assert.equal(comparison.survivorship?.arm, '2a');
});

test('a latency of successes always has the failed shares beside it', () => {
	const { metrics } = compare({ '2a': { failed: 0.2 } });
	for (const { id, failed_share: failed } of metrics) assert.equal(failed !== null, id.endsWith('_ok'), id);
});

test('an INVALID run takes its block out, is counted with its reasons, and hollow in the list of runs', () => {
	const plan = planOf({ arms: comparisonArms, repeats: 9 });
	const runs = runsOf(plan, {}).map((run) =>
		run.attempt.block === 3 && run.attempt.arm === '2a' ? runOf('2a', 3, { validity: 'INVALID' }) : run,
	);
	const { blocks, base, other } = comparisonOf({ plan, runs, base: '2a', other: '2a-tuned', control: null, hrefOf, links });
	assert.deepEqual(blocks, { wanted: 9, complete: 8, least: 8, left_out: [{ arm: '2a', block: 3, reasons: ['a reason'] }] });
	assert.deepEqual(
		base.runs.filter(({ counts }) => !counts).map(({ block }) => block),
		[3],
	);
	assert.deepEqual(
		other.runs.filter(({ counts }) => !counts).map(({ block }) => block),
		[3],
	);
});

test('a metric that no run has a figure for is not compared, and makes no other test stricter', () => {
	const plan = planOf({ arms: comparisonArms });
	const runs = runsOf(plan, {});
	for (const { result } of runs) result.metrics.latency_ms.ok.p99 = null;
	const { metrics: found, correction } = comparisonOf({ plan, runs, base: '2a', other: '2a-tuned', control: null, hrefOf, links });
	assert.equal(
		found.some(({ id }) => id === 'latency_ms_p99_ok'),
		false,
	);
	assert.match(correction, /^7 metrics were tested, in two families: the 2 checks, and the 5 others/);
});

test('without any run there is a comparison that says so', () => {
	const comparison = comparisonOf({
		plan: planOf({ arms: comparisonArms }),
		runs: [],
		base: '2a',
		other: '2a-tuned',
		control: null,
		hrefOf,
		links,
	});
	assert.equal(comparison.verdict.word, 'INCONCLUSIVE');
	assert.match(comparison.verdict.sentence, /^No runs that could be compared/);
});

function againstBaseline(same: boolean, history?: { from: string; started: string; runs: number }[]): Comparison {
	const [base, other] = ['a (baseline)', 'a'];
	const stored = Array.from({ length: 10 }, (_, index) => runOf(base, index + 1, { goodput: index < 4 ? 520 : 500 }));
	const plan = planOf({
		arms: [base, other].map((id) => ({ id, architecture: 'a' })),
		pairs: [[base, other]],
		baseline: {
			arm: base,
			from: 'compare/earlier',
			started: '2026-03-01T00:00:00Z',
			same_machine: same,
			...(history && { history }),
			attempts: stored.map(({ attempt }) => attempt),
		},
	});
	const now = Array.from({ length: 8 }, (_, index) => runOf(other, index + 1, { goodput: 400 }));
	return comparisonOf({ plan, runs: [...stored, ...now], base, other, control: null, hrefOf, links });
}

test('a baseline is compared run against run, whatever the blocks, and is no A/A control', () => {
	const { blocks, verdict, base, metrics } = againstBaseline(true);
	assert.equal(blocks.complete, 8);
	assert.equal(base.runs.filter(({ counts }) => counts).length, 10);
	assert.equal(metrics[0].verdict, 'worse');
	assert.equal(verdict.word, 'worse');
});

test('of a baseline of several comparisons it is a doubt how far these lie apart', () => {
	const history = [4, 6].map((runs, index) => ({ from: `compare/${index}`, started: `2026-03-0${2 - index}T00:00:00Z`, runs }));
	const [note] = againstBaseline(true, history).notes.filter((text) => text.includes('comparisons since'));
	assert.match(
		note,
		/^the baseline is of 2 comparisons since 2026-03-01T00:00:00Z, whose medians differ: goodput 5\d\d requests a second to 5\d\d requests a second, p95 of successes /,
	);
	assert.match(againstBaseline(true).notes.join(), /the baseline was measured at another time/);
});

test('a baseline from another machine concludes nothing', () => {
	assert.deepEqual(new Set(Object.values(verdictsOf(againstBaseline(false)))), new Set(['INCONCLUSIVE']));
});

test('a control that is too noisy to tell keeps later arms from being called the same, and from being called different within its noise', () => {
	const plan = planOf({ arms: comparisonArms });
	const control = { command: 'make compare A=2a B=2a', started: '2026-03-01T00:00:00Z', blocks: 8, noise: { goodput_rps: 0.3 } };
	const judge = (goodput: number) =>
		comparisonOf({ plan, runs: runsOf(plan, { '2a-tuned': { goodput } }), base: '2a', other: '2a-tuned', control, hrefOf, links })
			.metrics[0];
	assert.equal(judge(500).verdict, 'INCONCLUSIVE');
	assert.equal(judge(600).verdict, 'INCONCLUSIVE');
	assert.equal(judge(900).verdict, 'better');
});

test('however noisy the control, an arm that fails 1 % more is not called better on latency', () => {
	const plan = planOf({ arms: comparisonArms });
	const control = { command: 'make compare A=2a B=2a', started: '2026-03-01T00:00:00Z', blocks: 8, noise: { failure_rate: 0.019 } };
	const runs = runsOf(plan, { '2a': { p95: 1000 }, '2a-tuned': { p95: 700, failed: 0.01 } });
	const { metrics, survivorship } = comparisonOf({ plan, runs, base: '2a', other: '2a-tuned', control, hrefOf, links });
	assert.match(metrics.find(({ id }) => id === 'latency_ms_p95_ok')?.held_back ?? '', /may be worse/);
	assert.equal(survivorship?.arm, '2a-tuned');
});

const ARMS = ['a', '2a-slots'].map((id) => ({ id, architecture: id }));

/** Of eight blocks, so many without a run that is SUSPECT. */
function wantedWith(valid: number) {
	const plan = planOf({ experiment: 'compare', load: 'smoke', arms: ARMS, pairs: [['a', '2a-slots']] });
	const runs = runsOf(plan, {}).map((run) => {
		if (run.attempt.block <= valid || run.attempt.arm === 'a') return run;
		return { ...run, result: { ...run.result, validity: { ...run.result.validity, verdict: 'SUSPECT' as const } } };
	});
	return blocksWanted(plan, runs);
}

test('a comparison wants as many blocks more as it has too few without a SUSPECT run', () => {
	assert.deepEqual([8, 7, 2, 0].map(wantedWith), [0, 1, 6, 8]);
});

test('the runs of a baseline are not added to', () => {
	const plan = planOf({ experiment: 'compare', load: 'smoke', arms: ARMS, pairs: [['a', '2a-slots']] });
	assert.equal(blocksWanted({ ...plan, baseline: { arm: 'a', attempts: [] } as any }, []), 0);
});

test("a plan's own runs that are INVALID are counted, with what most of them are for", () => {
	const plan = planOf({ experiment: 'compare', load: 'smoke', arms: ARMS, pairs: [['a', '2a-slots']] });
	const reasons = ['no CPU', 'no files', 'no CPU'];
	const runs = runsOf(plan, {}).map((run, index) => {
		if (index >= reasons.length) return run;
		const validity = { ...run.result.validity, verdict: 'INVALID' as const, reasons: [reasons[index]] };
		return { ...run, result: { ...run.result, validity } };
	});
	plan.attempts = runs.map(({ attempt }) => attempt);
	assert.deepEqual(invalidOf(plan, runs), { runs: 3, of: 16, reason: 'no CPU' });
	assert.deepEqual(invalidOf({ attempts: plan.attempts.slice(3) }, runs), { runs: 0, of: 13, reason: '' });
});

test('by STOP=early 40 % failures against none are worse after five blocks, and without a SUSPECT run; "same" takes eight', () => {
	const looked = (blocks: number, other: Figures) => {
		const plan = planOf({ arms: comparisonArms, repeats: 23, stopping: ANY_LOOK });
		const runs = runsOf(plan, { '2a-tuned': other }).slice(0, 2 * blocks);
		return comparisonOf({ plan, runs, base: '2a', other: '2a-tuned', control: null, hrefOf, links });
	};
	const { verdict, correction } = looked(5, { failed: 0.4 });
	assert.match(
		verdict.sentence,
		/is worse on .* Clear after 5 of at most 23 repetitions, by STOP=early: at most 5\.0 % false alarms at any look\.$/,
	);
	assert.match(correction, /Windows within a run are no blocks\.$/);
	assert.deepEqual([looked(7, {}).verdict.word, looked(8, {}).verdict.word], ['INCONCLUSIVE', 'same']);
	assert.match(looked(5, { failed: 0.4, validity: 'SUSPECT' }).metrics[1].sentence, /0 repetitions are left, where a verdict needs 4\.$/);
});

test('where every value of a variable is compared with every other, p is multiplied by the pairs', () => {
	const judged = (repeats: number) => {
		const arms = ['2', '5', '10', '20'].map((value) => ({ id: `POOL=${value}`, architecture: 'a' }));
		const pairs = arms.flatMap(({ id }, at) => arms.slice(at + 1).map((other) => [id, other.id] as [string, string]));
		const plan = { ...planOf({ arms, repeats }), experiment: 'values', pairs };
		const runs = runsOf(plan, { 'POOL=2': { goodput: 500 }, 'POOL=5': { goodput: 900 } });
		return comparisonOf({ plan, runs, base: 'POOL=2', other: 'POOL=5', control: null, hrefOf, links });
	};
	const [eight, nine] = [8, 9].map((repeats) => judged(repeats).metrics.find(({ id }) => id === 'goodput_rps'));
	assert.deepEqual([eight?.p_adjusted, eight?.verdict], [(6 * 2) / 2 ** 7, 'INCONCLUSIVE']);
	assert.deepEqual([nine?.p_adjusted, nine?.verdict], [(6 * 2) / 2 ** 8, 'better']);
	assert.match(judged(9).correction, /multiplied by the 6 pairs \(Bonferroni\)/);
});
