/**
 * The tests of a claim, made on the runs of an experiment: each gives an estimate with its 95 % interval, compared with the
 * threshold that was fixed before the first run.
 */

import type { Claim, CompareTest, OutcomeTest, PublishedTest } from '../../catalog/claims.ts';
import { metricOf } from '../../catalog/metrics.ts';
import type { ClaimTest, ClaimVerdict, LedgerRow, Stage, Tier } from '../../record/types.js';
import { gradedBy } from '../../record/versions.ts';
import { present, ratio, sum } from '../../stats/numbers.ts';
import { comparePaired } from '../../stats/paired.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import type { Run } from '../comparison/runs.ts';
import { countingRuns, pairsOf } from '../comparison/runs.ts';

/**
 * How a claim's tests read their figures from a run: over all of its load, or over some of its stages.
 *
 * Over stages, from `result.stages` and `result.series`:
 * - a rate is the mean of the stages' rates, weighted by their seconds;
 * - the failure rate is failed over finished requests of these stages;
 * - a percentile of good answers is the mean of the stages' own (each of its requests, or in an earlier result the median of its
 *   seconds), weighted by their good answers. That is not the percentile of all requests pooled, and it is the same thing for both arms that are compared;
 * - the share of failures on some tiers is a sum over the seconds of the stages, where failures were placed in their seconds;
 * - what is not known by stage is null.
 */
type ReadMetric = (run: Run, metric: string) => number | null;

export type Reading = {
	/** by its id */
	metric: ReadMetric;
	/** of the failures that are on these tiers; null without failures */
	share: (run: Run, tiers: Tier[]) => number | null;
	/** of an arm, where its runs have no ledger any more */
	lost?: (arm: string) => LedgerRow[];
};

/** Before this version of result.json the failures of a second were the whole run's mix. */
const PLACED_BY_SECOND = 2;

export const wholeLoad: Reading = {
	metric: ({ result }, id) => metricOf(id).read(result),
	share({ result }, tiers) {
		const { failures } = result.metrics;
		const placed = result.ledger.failures.filter(({ tier }) => tiers.includes(tier)).map(({ count }) => count);
		return failures > 0 ? sum(placed) / failures : null;
	},
};

/** @param stage what tells it from others of the same load */
export const stageKey = ({ from_s: from, to_s: to }: Pick<Stage, 'from_s' | 'to_s'>) => `${from}-${to}`;

const secondsOf: (stage: Stage) => number = ({ from_s: from, to_s: to }) => to - from;
const finishedIn: (stage: Stage) => number = (stage) => stage.requests ?? (stage.throughput_rps ?? 0) * secondsOf(stage);
const goodIn: (stage: Stage) => number = (stage) => (stage.goodput_rps ?? 0) * secondsOf(stage);

/** How each metric that is known by stage is weighted. */
const BY_STAGE: Record<
	string,
	{
		key: 'goodput_rps' | 'throughput_rps' | 'failure_rate' | 'latency_ms_p50_ok' | 'latency_ms_p95_ok' | 'latency_ms_p99_ok';
		weight: (stage: Stage) => number;
	}
> = {
	goodput_rps: { key: 'goodput_rps', weight: secondsOf },
	throughput_rps: { key: 'throughput_rps', weight: secondsOf },
	failure_rate: { key: 'failure_rate', weight: finishedIn },
	latency_ms_p50_ok: { key: 'latency_ms_p50_ok', weight: goodIn },
	latency_ms_p95_ok: { key: 'latency_ms_p95_ok', weight: goodIn },
	latency_ms_p99_ok: { key: 'latency_ms_p99_ok', weight: goodIn },
};

/** @param keys of the stages that are read */
export function overStages(keys: string[]): Reading {
	const chosen = ({ result }: Run) => result.stages.filter((stage) => keys.includes(stageKey(stage)));
	return {
		metric: (run, id) => (Object.hasOwn(BY_STAGE, id) ? weighted(chosen(run), BY_STAGE[id]) : null),
		share: (run, tiers) => shareOver(run, chosen(run), tiers),
	};
}

function weighted(stages: Stage[], { key, weight }: (typeof BY_STAGE)[string]): number | null {
	const known = stages.filter((stage) => typeof stage[key] === 'number');
	return ratio(sum(known.map((stage) => (stage[key] ?? 0) * weight(stage))), sum(known.map(weight)));
}

function shareOver({ result }: Run, stages: Stage[], tiers: Tier[]): number | null {
	if (gradedBy(result) < PLACED_BY_SECOND) return null;
	const inside = (t: number) => stages.some(({ from_s: from, to_s: to }) => t > from && t <= to);
	const lost = (values: (number | null)[]) => sum(values.filter((_, index) => inside(result.timeline[index].t_s)));
	const { failures_by_tier: byTier } = result.series;
	return ratio(sum(tiers.map((tier) => lost(byTier[tier] ?? []))), sum(Object.values(byTier).map(lost)));
}

/** Of an arm's runs, 6 of 8: what is random may come out otherwise now and then. */
const MOST_RUNS = 0.75;
/**
 * The rule, and not the exception: more than half of the runs. The interval of 8 runs of 8 begins at 0.68, so that no number of runs that
 * anybody makes could have all of it above three of four.
 */
const HALF = 0.5;
/** The normal distribution's 97.5th percentile. */
const NORMAL_95 = 1.959964;

/** @param runs of the experiment */
export function judgeTest(test: Claim['tests'][number], runs: Run[], reading: Reading = wholeLoad): ClaimTest {
	if (test.kind === 'published') return judgePublished(test);
	if (test.kind === 'outcome') return judgeOutcomes(test, runs, reading);
	const { scale, compared } = measure(test, runs, reading);
	const { label, threshold, wanted, published } = test;
	const { n: blocks, estimate, low, high } = compared;
	const verdict = blocks < LEAST_BLOCKS ? 'INCONCLUSIVE' : sideOf(compared, threshold, wanted);
	return { label, scale, basis: 'runs', blocks, estimate, low, high, threshold, wanted, published, verdict };
}

/** What the published file itself says is no estimate, and has no interval. */
function judgePublished({ label, value, threshold, wanted, published }: PublishedTest): ClaimTest {
	const exact = { estimate: value, low: value, high: value };
	return {
		label,
		scale: 'ratio',
		basis: 'published',
		blocks: 0,
		...exact,
		threshold,
		wanted,
		published,
		verdict: sideOf(exact, threshold, wanted),
	};
}

/**
 * The share of runs that came out as wanted, with Wilson's interval (Wilson 1927, https://doi.org/10.1080/01621459.1927.10502953). It has
 * to be most of the runs, and the whole interval has to be above half: a fair coin comes out so in 4 of 100 experiments of 8 runs.
 */
function judgeOutcomes({ label, metric, arm, wanted, threshold }: OutcomeTest, runs: Run[], reading: Reading): ClaimTest {
	const values = present([...countingRuns(runs, arm).values()].map((run) => reading.metric(run, metric)));
	const blocks = values.length;
	const asWanted = values.filter((value) => (wanted === 'at least' ? value >= threshold : value <= threshold)).length;
	const share = blocks === 0 ? null : asWanted / blocks;
	const interval = wilsonInterval(asWanted, blocks);
	return {
		label,
		scale: 'share',
		basis: 'runs',
		blocks,
		estimate: share,
		...interval,
		threshold: HALF,
		wanted: 'at least',
		published: null,
		verdict: share === null || blocks < LEAST_BLOCKS ? 'INCONCLUSIVE' : outcomeOf(share, interval),
	};
}

/** share: of runs */
function outcomeOf(share: number, interval: { low: number | null; high: number | null }): ClaimVerdict {
	const side = sideOf(interval, HALF, 'at least');
	if (side === 'HOLDS') return share >= MOST_RUNS ? side : 'INCONCLUSIVE';
	return side === 'REFUTED' && share > 1 - MOST_RUNS ? 'INCONCLUSIVE' : side;
}

/** A test that was made already, by the threshold that it has now. */
export function resided(made: ClaimTest, { threshold, wanted, published }: Claim['tests'][number]): ClaimTest {
	const verdict = made.blocks < LEAST_BLOCKS ? 'INCONCLUSIVE' : sideOf(made, threshold, wanted);
	return { ...made, threshold, wanted, published, verdict };
}

function wilsonInterval(hits: number, of: number): { low: number | null; high: number | null } {
	if (of === 0) return { low: null, high: null };
	const [share, squared] = [hits / of, NORMAL_95 ** 2];
	const middle = share + squared / (2 * of);
	const reach = NORMAL_95 * Math.sqrt((share * (1 - share)) / of + squared / (4 * of ** 2));
	const scale = 1 + squared / of;
	return { low: Math.max(0, (middle - reach) / scale), high: Math.min(1, (middle + reach) / scale) };
}

function measure(test: Exclude<Claim['tests'][number], PublishedTest | OutcomeTest>, runs: Run[], reading: Reading) {
	if (test.kind === 'compare') return compareArms(test, runs, reading);
	const counting = [...countingRuns(runs, test.arm).values()];
	return shareAlone(
		present(counting.map((run) => (test.kind === 'share' ? reading.share(run, test.tiers) : reading.metric(run, test.metric)))),
	);
}

export function compareArms({ metric, base, other }: CompareTest, runs: Run[], reading: Reading = wholeLoad) {
	const { scale } = metricOf(metric);
	const pairs = pairsOf(runs, base, other);
	return {
		scale,
		compared: comparePaired(
			pairs.map((pair) => reading.metric(pair.base, metric)),
			pairs.map((pair) => reading.metric(pair.other, metric)),
			scale,
		),
	};
}

/** A single sample compared with nothing: the interval of its pseudo-median. */
function shareAlone(shares: number[]) {
	const nothing = shares.map(() => 0);
	return { scale: 'share' as const, compared: comparePaired(nothing, shares, 'difference') };
}

function sideOf({ low, high }: { low: number | null; high: number | null }, threshold: number, wanted: ClaimTest['wanted']): ClaimVerdict {
	if (low === null || high === null) return 'INCONCLUSIVE';
	const [above, below] = [low >= threshold, high <= threshold];
	if (wanted === 'at least' ? above : below) return 'HOLDS';
	return (wanted === 'at least' ? below : above) ? 'REFUTED' : 'INCONCLUSIVE';
}

/** @param verdicts of a claim's tests */
export function joinVerdicts(verdicts: ClaimVerdict[]): ClaimVerdict {
	if (verdicts.includes('REFUTED')) return 'REFUTED';
	return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'HOLDS') ? 'HOLDS' : 'INCONCLUSIVE';
}
