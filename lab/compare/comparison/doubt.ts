/**
 * How far an arm's figures are in doubt: how many of its runs that count were SUSPECT, and why. It stands wherever the
 * figures do.
 */

import { RECORD } from '../../base/paths.ts';
import { grouped, inWords } from '../../base/values.ts';
import { metrics } from '../../catalog/metrics.ts';
import { staleShareIn } from '../../diagnose/staleness.ts';
import type { Arm as ArmOfArms } from '../../options/arms.ts';
import type {
	Arm,
	ArmRun,
	ArmTimelineRow,
	Doubt,
	LedgerRow,
	MetricComparison,
	Outcomes,
	Price,
	Result,
	Validity,
	Verdict,
} from '../../record/types.js';
import { armDoubtSentence, armDoubts } from '../../report/doubts.ts';
import { change, count, interval, percent } from '../../stats/figure-words.ts';
import { max, median, rangeOf, rounded, sum } from '../../stats/numbers.ts';
import type { Run } from './runs.ts';

export type ArmDoubt = { arm: string; doubt: Doubt };

const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
/** Reasons that are named; the rest are counted, and stand beside each run. */
const NAMED = 2;

/**
 * @param validities of the runs that count
 * @returns null when none of them is SUSPECT
 */
export function doubtOf(validities: Pick<Validity, 'verdict' | 'reasons'>[]): Doubt | null {
	const suspects = validities.filter(({ verdict }) => verdict === 'SUSPECT');
	if (suspects.length === 0) return null;
	const reasons = mergeReasons(suspects.flatMap((validity) => validity.reasons));
	const more = reasons.length - NAMED;
	const named = [...reasons.slice(0, NAMED), ...(more > 0 ? [`and ${count(more)} more ${more === 1 ? 'reason' : 'reasons'}`] : [])];
	const runs = validities.length;
	return {
		suspect: suspects.length,
		runs,
		text: `${count(suspects.length)} of ${count(runs)} ${runs === 1 ? 'run' : 'runs'} SUSPECT: ${named.join('; ')}`,
	};
}

/**
 * Reasons that differ in their figures alone are one, with the range of each figure.
 * @returns the most frequent first
 */
function mergeReasons(reasons: string[]): string[] {
	return [...grouped(reasons, (reason) => reason.replace(NUMBER, '#'))]
		.sort(([, one], [, other]) => other.length - one.length)
		.map(([words, alike]) => {
			const figures = alike.map((reason) => reason.match(NUMBER) ?? []);
			const ranges = figures[0].map((_, place) => rangeText(figures.map((own) => own[place])));
			return words.replaceAll('#', () => ranges.shift() ?? '#');
		});
}

function rangeText(figures: string[]) {
	const sorted = figures.toSorted((one, other) => amountOf(one) - amountOf(other));
	const [low, high] = [sorted[0], sorted[sorted.length - 1]];
	return amountOf(low) === amountOf(high) ? low : `${low} to ${high}`;
}

const amountOf = (text: string) => Number(text.replaceAll(',', ''));

/** @returns those that are in doubt */
export const doubtsOf = (arms: { id: string; doubt: Doubt | null }[]): ArmDoubt[] =>
	arms.flatMap(({ id, doubt }) => (doubt ? [{ arm: id, doubt }] : []));

const textsOf = (doubts: ArmDoubt[]) => armDoubts(doubts.map(({ arm, doubt }) => ({ id: arm, doubt })));

/** `a-lb, 2a: 8 of 8 runs SUSPECT: ...; 2a-pool500: ...`. */
export const doubtsText = (doubts: ArmDoubt[]) => textsOf(doubts).join('; ');

/** How many runs of which arms, for a headline; why is reported with each arm. */
export function suspectSentence(arms: { id: string; runs: number; suspect: number }[]) {
	const doubtful = arms.filter(({ suspect }) => suspect > 0).map(({ id, runs, suspect }) => `${id} ${suspect} of ${runs}`);
	return doubtful.length === 0 ? '' : `SUSPECT runs: ${doubtful.join(', ')}.`;
}

/** One arm of a comparison: its runs, what became of its requests over all runs that count, and how they went by second. */

const TIMELINE = ['goodput_rps', 'failures_per_s', 'latency_ms_p95_ok', 'vus'] as const;

export function armOf({
	arm,
	title,
	runs,
	counting,
	hrefOf,
}: {
	arm: ArmOfArms;
	title: string;
	/** all of the arm */
	runs: Run[];
	/** those that count */
	counting: Run[];
	/** from a run's folder below reports/ to a link to it, null where it is not kept */
	hrefOf: (run: string) => string | null;
}): Arm {
	const typical = typicalOf(counting);
	return {
		id: arm.id,
		architecture: arm.architecture,
		title,
		runs: runs.map((run) => armRunOf(run, counting.includes(run), hrefOf)),
		doubt: doubtOf(counting.map(({ result }) => result.validity)),
		failed_share: median(counting.map(({ result }) => result.metrics.failure_rate)),
		headline: typical?.result.headline ?? null,
		typical_run: typical ? reportOf(hrefOf(typical.attempt.run)) : null,
		flow: typical?.result.flow ?? null,
		ledger: ledgerOf(counting),
		timeline: timelineOf(counting),
	};
}

export const reportOf = (folder: string | null) => (folder === null ? null : `${folder}/${RECORD.report}`);

export const armRunOf: (run: Run, counts: boolean, hrefOf: (run: string) => string | null) => ArmRun = (
	{ attempt, result },
	counts,
	hrefOf,
) => ({
	block: attempt.block,
	href: reportOf(hrefOf(attempt.run)),
	validity: { verdict: result.validity.verdict, reasons: result.validity.reasons, doubts: result.validity.doubts },
	counts,
	metrics: Object.fromEntries(metrics.map(({ id, read }) => [id, read(result)])),
});

/** The run whose goodput is nearest to the median: the one to look at. */
export function typicalOf(runs: Run[]): Run | null {
	const middle = median(runs.map(({ result }) => result.metrics.goodput_rps)) ?? 0;
	const distance = ({ result }: Run) => Math.abs(result.metrics.goodput_rps - middle);
	return runs.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}

/** @returns largest first */
export function ledgerOf(runs: Run[]): LedgerRow[] {
	const failed = sum(runs.map(({ result }) => result.metrics.failures));
	const rows: Map<string, LedgerRow> = new Map();
	const add = (tier: LedgerRow['tier'], title: string, lost: number) => {
		const key = `${tier} ${title}`;
		rows.set(key, { tier, cause_title: title, count: (rows.get(key)?.count ?? 0) + lost, share: 0 });
	};
	for (const { result } of runs) {
		for (const { tier, cause_title: title, count } of result.ledger.failures) add(tier, title, count);
		if (result.ledger.unattributed > 0) add('unattributed', 'could not be placed', result.ledger.unattributed);
	}
	return [...rows.values()]
		.map((row) => ({ ...row, share: failed === 0 ? 0 : row.count / failed }))
		.sort((one, other) => other.count - one.count);
}

function timelineOf(runs: Run[]): ArmTimelineRow[] {
	const rows = runs.flatMap(({ result }) => result.timeline).filter(({ warmup, t_s: t }) => !warmup && t >= 0);
	// A second that few runs reached says how late those were, not how the arm was.
	return [...grouped(rows, ({ t_s: t }) => t)]
		.filter(([, own]) => own.length * 2 >= runs.length)
		.sort(([one], [other]) => one - other)
		.map(([t, own]) => ({ t_s: t, ...Object.fromEntries(TIMELINE.map((key) => [key, rangeOf(own.map((row) => row[key]))])) }) as any);
}

/**
 * Whether one arm is better than another, in words: goodput and availability first, the rest only where those are the same.
 *
 */

export function overallVerdict({
	metrics,
	names,
	complete,
	least,
	doubts,
	endedBy,
}: {
	/** judged and held back */
	metrics: MetricComparison[];
	names: { base: string; other: string };
	/** blocks */
	complete: number;
	/** that a verdict takes */
	least: number;
	doubts: ArmDoubt[];
	endedBy: (word: Verdict['word']) => string;
}): Verdict {
	const gates = metrics.filter(({ gate }) => gate);
	const word = complete < least ? 'INCONCLUSIVE' : wordOf(gates, metrics);
	const reasons = metrics.filter(({ sentence }) => sentence !== '').map(({ sentence }) => sentence);
	if (complete < least)
		reasons.unshift(
			`${complete} complete ${complete === 1 ? 'repetition' : 'repetitions'}: a verdict needs ${least}; the figures are a first look`,
		);
	const parts = [
		figuresOf(metrics, names, complete),
		conclusionOf(word, metrics, names, complete < least ? least : 0),
		endedBy(word),
		armDoubtSentence(textsOf(doubts)),
	];
	return { word, sentence: parts.filter(Boolean).join(' '), reasons };
}

function wordOf(gates: MetricComparison[], metrics: MetricComparison[]): Verdict['word'] {
	if (gates.length === 0) return 'INCONCLUSIVE';
	if (!gates.every(({ verdict }) => verdict === 'same')) return joined(gates);
	return joined(metrics.filter(({ gate, estimate }) => !gate && estimate !== null));
}

/** Worse is said as soon as something is; better only when nothing is open. */
function joined(metrics: MetricComparison[]): Verdict['word'] {
	const has = (wanted: MetricComparison['verdict']) => metrics.some(({ verdict }) => verdict === wanted);
	if (has('better') && has('worse')) return 'mixed';
	if (has('worse')) return 'worse';
	if (has('INCONCLUSIVE')) return 'INCONCLUSIVE';
	return has('better') ? 'better' : 'same';
}

function figuresOf(metrics: MetricComparison[], { base, other }: { base: string; other: string }, complete: number): string {
	const goodput = metrics.find(({ id }) => id === 'goodput_rps');
	const failures = metrics.find(({ id }) => id === 'failure_rate');
	const parts = [];
	if (goodput?.estimate != null) {
		const blocks = `${complete} ${complete === 1 ? 'repetition' : 'repetitions'}`;
		parts.push(
			`${other} serves ${change('ratio', goodput.estimate)} as many good requests as ${base} (${certaintyOf('ratio', goodput)}, ${blocks})`,
		);
	}
	if (failures?.other.median != null && failures.base.median != null) {
		const [before, after] = [failures.base.median, failures.other.median];
		parts.push(
			failures.base.high === 0 && failures.other.high === 0
				? 'and neither fails any'
				: `and fails ${percent(after)} of what it is asked, ${base} ${percent(before)} (${change('difference', failures.estimate)}, ${certaintyOf('difference', failures)})`,
		);
	}
	return parts.length === 0 ? 'No runs that could be compared.' : `${parts.join(', ')}.`;
}

const certaintyOf: (scale: 'ratio' | 'difference', metric: MetricComparison) => string = (scale, metric) =>
	metric.low === null ? 'no interval' : `95 % interval ${interval(scale, metric)}`;

/** needed: blocks, where there are fewer */
function conclusionOf(
	word: Verdict['word'],
	metrics: MetricComparison[],
	{ base, other }: { base: string; other: string },
	needed: number,
): string {
	if (needed > 0) return `Inconclusive by rule: a verdict needs ${needed} repetitions.`;
	const named = (wanted: MetricComparison['verdict']) =>
		inWords(
			metrics
				.filter(({ verdict, gate }) => verdict === wanted && (gate || metrics.every((metric) => !metric.gate || metric.verdict === 'same')))
				.map(({ label }) => label),
		);
	if (word === 'same')
		return `The two are the same within the differences that matter, on all ${metrics.filter(({ estimate }) => estimate !== null).length} metrics.`;
	if (word === 'mixed') return `Mixed: better on ${named('better')}, worse on ${named('worse')}.`;
	if (word === 'INCONCLUSIVE') return `Inconclusive: ${other} can be called neither better nor worse than ${base}.`;
	return `${other} is ${word} on ${named(word)}.`;
}

/**
 * What an architecture takes, and what it leaves for later: beside what it answered, the price of that.
 *
 */

const DATABASE_CONNECTIONS = /^database-connections\b/;

export function priceOf({ resources, series, queue, breakdowns }: Pick<Result, 'resources' | 'series' | 'queue' | 'breakdowns'>): Price {
	const containers = Object.values(resources).filter(({ tier }) => tier !== 'generator' && tier !== 'observer').length;
	const most = series.limits
		.filter(({ id }) => DATABASE_CONNECTIONS.test(id))
		.map(({ values }) => max(values.flatMap((value) => value ?? [])));
	return {
		containers,
		// Of several databases the most of each, which need not have been at one moment.
		database_connections: most.length === 0 || most.includes(null) ? null : sum(most),
		backlog: queue ? max(queue.backlog) : null,
		drained_after_s: queue?.drained_after_s ?? null,
		stale_share: staleShareIn(breakdowns),
	};
}

/**
 * What became of a run's requests, as rates that add up to all of them.
 *
 */

/** @returns null where nothing was finished, or nobody counted what was refused */
export function outcomesOf({
	metrics: { requests, failures, refused },
	queue,
	duration_s: seconds,
}: Pick<Result, 'metrics' | 'queue' | 'duration_s'>): Outcomes | null {
	if (requests === 0 || seconds === 0 || refused === null) return null;
	const accepted = requests - failures;
	// Of what a queue has accepted, some is done only when the load is over.
	const done = queue ? Math.min(accepted, queue.completed_in_load) : accepted;
	const rate = (count: number) => rounded(count / seconds, 2) ?? 0;
	return { done_rps: rate(done), accepted_rps: rate(accepted - done), refused_rps: rate(refused), failed_rps: rate(failures - refused) };
}
