/** The scores of many runs, added up: by fault, by cause and over all. */
/** what a self-test leaves behind, and all that its page shows */
export type SelftestRecord = {
	/** FAULTS, as it was given: all, short or names */
	wanted: string;
	/** ISO 8601, of the first run */
	started: string;
	ended: string;
	/** of the lab that judged it */
	commit: string;
	/** in words */
	machine: string;
	budget: string;
	repeats: number;
	/** every fault was tried, as often as asked */
	complete: boolean;
	/** of each run */
	scores: Score[];
	system: TestedSystem;
};

/** what the faults were put into */
type TestedSystem = {
	/** empty where it is no one system */
	name: string;
	/** the same, and how, in words */
	into: string;
	/** that repeats the test */
	command: string;
	/** that there were to choose from, by id */
	faults: Record<string, DescribedFault>;
	/** what is known to happen and is not put in, and why */
	left_out: Record<string, string>;
	/** its page is a document of the lab, with the order of the rules that place failures; else each run has a report */
	is_document: boolean;
};

export type DescribedFault = Pick<Demand, 'expected'> & { title: string };

/** misses: of any run */
type FaultTotal = Pick<Score, 'fault' | 'failures' | 'right_tier' | 'right' | 'unattributed' | 'where' | 'why' | 'misses'> & {
	runs: number;
	advice: string[];
	passed: boolean;
};

type CauseTotal = {
	/** tier and cause */
	label: string;
	/** failed requests that it is the cause of */
	are: number;
	/** failed requests that were placed there */
	found: number;
	/** share of those found that are it */
	precision: number | null;
	/** share of those that are it, and were found */
	recall: number | null;
};

/**
 * How right the diagnosis of one run is: each failed request by itself, compared with the causes that the fault is known to
 * have, and what else the fault asks to be said.
 */
export type Score = {
	/** id */
	fault: string;
	/** whose folder has the record; empty where there is none */
	run: string;
	requests: number;
	failures: number;
	/** failed requests on the right tier */
	right_tier: number;
	/** on the right tier and cause */
	right: number;
	unattributed: number;
	/** placed requests by how the place is known */
	where: Record<string, number>;
	/** by how the cause is known */
	why: Record<string, number>;
	/** failed requests by what they are and what they were taken for, most first */
	pairs: Pair[];
	/** what else was asked of the diagnosis and is not there, in words */
	misses: string[];
	/** what would let the ledger place more, in words */
	advice?: string[];
	/** why what is wrong need not be the diagnosis's: the machine was not the run's own */
	spoilt?: string;
	/** why the diagnosis could not be judged by it: it was not put in, or nothing came of it */
	skipped?: string;
};

type Pair = { expected: string; found: string; count: number; right: boolean };

import type { Demand, Expected, PlannedFault } from '../adapters/faults.ts';
import type { PlacedTrace } from '../diagnose/ledger/ledger.ts';
import type { Placement } from '../diagnose/ledger/place.ts';
import type { Result } from './types.js';

/** As a record keeps them. */
export const describedFaults = (faults: Iterable<Pick<PlannedFault, 'id' | 'title' | 'demand'>>): TestedSystem['faults'] =>
	Object.fromEntries(
		[...faults].map(({ id, title, demand: { expected } }) => [
			id,
			{ title, ...(expected && { expected: expected.map(({ tier, cause, may }) => ({ tier, cause, may })) }) },
		]),
	);

/** What no tier and cause was found for; and what should not have failed at all. */
export const UNATTRIBUTED = 'unattributed';
export const NOTHING = 'none';
/** Where nothing has to fail, fewer failures than this share are not what a run is about. */
const WORTH_NAMING = 0.001;

export function scoreRun({
	id,
	fault,
	placed,
	beganS,
	marks,
	result,
}: {
	/** of the fault */
	id: string;
	fault: Demand;
	/** each failed request */
	placed: PlacedTrace[];
	/** start of the load, seconds since 1970 */
	beganS: number;
	/** what the nodes wrote of their own doings, by the request's id */
	marks: Map<string, Set<string>>;
	result: Pick<Result, 'run' | 'metrics' | 'ledger' | 'bottleneck' | 'validity'>;
}): Score {
	const { requests, failures } = result.metrics;
	const { expected = [] } = fault;
	const hasToFail = expected.some(({ may }) => !may) || Number(fault.least) > 0;
	const asked = fault.expected !== undefined && (hasToFail ? failures > 0 : failures > requests * WORTH_NAMING);
	const judged = asked ? judgeAll(expected, placed, beganS, marks) : [];
	const nameless = asked ? Math.max(0, failures - placed.length) : 0;
	const pairs = pairsOf(judged);
	if (nameless > 0) pairs.push({ expected: labelOf(expected[0]), found: UNATTRIBUTED, count: nameless, right: false });
	const known = judged.flatMap(({ placement }) => placement ?? []);
	return {
		fault: id,
		run: result.run,
		requests,
		failures: asked ? failures : 0,
		right_tier: judged.filter(({ rightTier }) => rightTier).length,
		right: judged.filter(({ right }) => right).length,
		unattributed: nameless + judged.filter(({ placement }) => placement === null).length,
		where: countBy(known.map(({ where }) => where)),
		why: countBy(known.map(({ why }) => why)),
		pairs,
		misses: missesOf(fault, result, judged),
	};
}

/** Nothing was judged. */
const emptyScore: (id: string, run: string) => Score = (id, run) => ({
	fault: id,
	run,
	requests: 0,
	failures: 0,
	right_tier: 0,
	right: 0,
	unattributed: 0,
	where: {},
	why: {},
	pairs: [],
	misses: [],
});

/** A run that came to no result. */
export const failedScore: (id: string, reason: string, run?: string) => Score = (id, reason, run = '') => ({
	...emptyScore(id, run),
	misses: [`the run came to no result: ${reason}`],
});

/** A fault by which the diagnosis cannot be judged. */
export const skippedScore: (id: string, why: string, run?: string) => Score = (id, why, run = '') => ({
	...emptyScore(id, run),
	skipped: why,
});

export const labelOf = (spot: Pick<Expected, 'tier' | 'cause'> | null | undefined) => (spot ? `${spot.tier}: ${spot.cause}` : NOTHING);

type Judged = { expected: Expected | undefined; placement: Placement | null; found: string; right: boolean; rightTier: boolean };

function judgeAll(expected: Expected[], placed: PlacedTrace[], beganS: number, marks: Map<string, Set<string>>): Judged[] {
	return placed.map(({ trace, placement }) => {
		const possible = expected.filter(({ from_s = 0, to_s = Number.POSITIVE_INFINITY, marked }) => {
			const t = trace.t - beganS;
			return t >= from_s && t <= to_s && (marked === undefined || marks.get(trace.id)?.has(marked));
		});
		const met = placement ? possible.find((candidate) => isMet(candidate, placement)) : undefined;
		const likely = met ?? possible.find(({ tier, cause }) => tier === placement?.tier && cause === placement.cause);
		const truth = likely ?? possible.find(({ may }) => !may) ?? possible[0];
		return {
			expected: truth,
			placement,
			found: placement ? foundLabel(placement, truth) : UNATTRIBUTED,
			right: met !== undefined,
			rightTier: possible.some(({ tier }) => tier === placement?.tier),
		};
	});
}

const isMet = (expected: Expected, { tier, cause, service, amplifier }: Placement) =>
	tier === expected.tier &&
	cause === expected.cause &&
	isAt(expected, service) &&
	(amplifier === null ? !expected.amplified : (expected.amplifiers ?? []).includes(amplifier.cause));

/** Of a row that names several services one is enough. */
const isAt: (expected: Expected, service: string) => boolean = ({ services }, service) =>
	services === undefined || service.split(', ').some((name) => services.includes(name));

/** Says what is wrong where tier and cause are not. */
function foundLabel(placement: Placement, expected: Expected | undefined) {
	const label = labelOf(placement);
	if (!expected || label !== labelOf(expected) || isMet(expected, placement)) return label;
	const { service, amplifier } = placement;
	return isAt(expected, service) ? `${label}, made many by ${amplifier?.cause}` : `${label} at ${service}`;
}

function pairsOf(judged: Judged[]): Pair[] {
	const pairs: Map<string, Pair> = new Map();
	for (const { expected, found, right } of judged) {
		const key = `${labelOf(expected)} > ${found}`;
		const pair = pairs.get(key) ?? { expected: labelOf(expected), found, count: 0, right };
		pairs.set(key, { ...pair, count: pair.count + 1 });
	}
	return [...pairs.values()].sort((one, other) => other.count - one.count);
}

function missesOf(
	fault: Demand,
	{ metrics, ledger, bottleneck, validity }: Parameters<typeof scoreRun>[0]['result'],
	judged: Judged[],
): string[] {
	const { expected, least = 1, unanswered = 0, saturated, near_misses: nearMisses = [] } = fault;
	const misses = [];
	if (expected?.length === 0 && metrics.failures > metrics.requests * WORTH_NAMING)
		misses.push(`expected no failed request; found ${metrics.failures}`);
	if (expected && expected.length > 0 && metrics.failures < least)
		misses.push(`expected at least ${least} failed requests; found ${metrics.failures}: the fault did not take`);
	for (const one of (expected ?? []).filter(({ may }) => !may))
		if (metrics.failures >= least && !judged.some(({ right, expected: met }) => right && met === one))
			misses.push(
				`expected failures placed at ${labelOf(one)}${one.amplified ? `, made many by ${one.amplifiers?.join(' or ')}` : ''}; found none`,
			);
	if (metrics.unanswered < unanswered) misses.push(`expected at least ${unanswered} unanswered requests; found ${metrics.unanswered}`);
	if (saturated !== undefined && (bottleneck?.tier ?? null) !== saturated)
		misses.push(`expected the bottleneck ${saturated ?? 'to be none'}; found ${bottleneck?.tier ?? 'none'}`);
	for (const { ids, services = [] } of nearMisses)
		if (!ledger.near_misses.some(({ id, service }) => ids.includes(id) && services.includes(service)))
			misses.push(`expected the near miss ${ids.join(' or ')} of ${services.join(' or ')}; found none`);
	if (fault.validity === 'VALID' && validity.verdict !== 'VALID')
		misses.push(`expected VALID; found ${validity.verdict}: ${validity.reasons.join('; ')}`);
	if (fault.validity === 'not VALID' && validity.verdict === 'VALID') misses.push('expected a doubt about the run; found VALID');
	return misses;
}

function countBy(values: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}

/** Of a fault's failed requests, as fixed before the self-test was made. */
export const RIGHT_LEAST = 0.95;

export const isRight = ({ misses, right, failures }: Pick<Score, 'misses' | 'right' | 'failures'>) =>
	misses.length === 0 && right >= failures * RIGHT_LEAST;

/** Without those of faults that the diagnosis could not be judged by. */
const judgedOf = (scores: Score[]) => scores.filter(({ skipped }) => skipped === undefined);

/** @returns in the order of their first runs */
export function totalByFault(scores: Score[]): FaultTotal[] {
	const judged = judgedOf(scores);
	const ids = [...new Set(judged.map(({ fault }) => fault))];
	return ids.map((fault) => {
		const own = judged.filter((score) => score.fault === fault);
		const [failures, right] = [sumOf(own, 'failures'), sumOf(own, 'right')];
		const misses = [...new Set(own.flatMap((score) => score.misses))];
		return {
			fault,
			runs: own.length,
			failures,
			right_tier: sumOf(own, 'right_tier'),
			right,
			unattributed: sumOf(own, 'unattributed'),
			where: countsOf(own, 'where'),
			why: countsOf(own, 'why'),
			misses,
			advice: [...new Set(own.flatMap(({ advice = [] }) => advice))],
			passed: isRight({ misses, right, failures }),
		};
	});
}

export function totalOf(scores: Score[]) {
	const failures = sumOf(scores, 'failures');
	const share = (count: number) => (failures === 0 ? null : count / failures);
	const faults = totalByFault(scores);
	const shares = faults.filter((fault) => fault.failures > 0).map((fault) => fault.right / fault.failures);
	return {
		faults: faults.length,
		passed: faults.filter(({ passed }) => passed).length,
		runs: judgedOf(scores).length,
		requests: sumOf(scores, 'requests'),
		failures,
		right_tier_share: share(sumOf(scores, 'right_tier')),
		right_share: share(sumOf(scores, 'right')),
		/** Each fault counted alike, whether a hundred requests failed of it or ten thousand. */
		right_share_by_fault: shares.length === 0 ? null : shares.reduce((sum, own) => sum + own, 0) / shares.length,
		unattributed_share: share(sumOf(scores, 'unattributed')),
		where: basisShares(scores, 'where'),
		why: basisShares(scores, 'why'),
	};
}

/** Of all failed requests, so that what is unattributed is known by nothing. */
function basisShares(scores: Score[], of: 'where' | 'why'): Record<string, number> {
	const all = sumOf(scores, 'failures');
	return Object.fromEntries(Object.entries(countsOf(scores, of)).map(([basis, count]) => [basis, all === 0 ? 0 : count / all]));
}

function countsOf(scores: Score[], of: 'where' | 'why'): Record<string, number> {
	const counts: Record<string, number> = { proved: 0, timed: 0, counted: 0, inferred: 0 };
	for (const score of scores) for (const [basis, count] of Object.entries(score[of])) counts[basis] += count;
	return counts;
}

/** @returns most first */
export function totalByCause(scores: Score[]): CauseTotal[] {
	const pairs = scores.flatMap((score) => score.pairs);
	const labels = [...new Set(pairs.flatMap(({ expected, found }) => [expected, found]))].filter((label) => label !== UNATTRIBUTED);
	return labels
		.map((label) => {
			const are = pairs.filter(({ expected }) => expected === label);
			const found = pairs.filter((pair) => pair.found === label);
			return {
				label,
				are: sumOf(are, 'count'),
				found: sumOf(found, 'count'),
				precision: shareRight(found),
				recall: shareRight(are),
			};
		})
		.sort((one, other) => other.are - one.are || other.found - one.found);
}

function shareRight(pairs: Pair[]) {
	const all = sumOf(pairs, 'count');
	return all === 0
		? null
		: sumOf(
				pairs.filter(({ right }) => right),
				'count',
			) / all;
}

/**
 * What was taken for something else, over all runs.
 * @returns most first
 */
export function confusions(scores: Score[]): Pair[] {
	const pairs: Map<string, Pair> = new Map();
	for (const pair of scores.flatMap((score) => score.pairs).filter(({ right }) => !right)) {
		const key = `${pair.expected} > ${pair.found}`;
		pairs.set(key, { ...pair, count: pair.count + (pairs.get(key)?.count ?? 0) });
	}
	return [...pairs.values()].sort((one, other) => other.count - one.count);
}

const sumOf = <K extends string>(rows: Record<K, number>[], key: K) => rows.reduce((sum, row) => sum + row[key], 0);
