/**
 * The claims: published statements made checkable. A claim's tests, thresholds and deltas are fixed here before an
 * experiment begins; the experiment's manifest keeps them as they stood, with their hash, and is judged by that copy.
 *
 * A test looks at the 95 % interval over the blocks. It holds when the whole interval is on the wanted side of the
 * threshold, is refuted when the whole interval is on the other side, and is inconclusive in between. One that asks for an outcome
 * counts runs instead: it holds when at least three of four came out as published and the whole interval of that share is above half,
 * and is refuted when at most one of four did and the whole interval is below half.
 * A claim holds when all its tests hold, and is refuted when one of them is refuted.
 *
 * Sentences may hold figures: {metric@arm} is the median of an arm, {test N} the estimate and interval of the claim's
 * Nth test, {beside N} those of the Nth that decides nothing, {lost@arm} where the arm's failures were lost.
 */

import type { Tier } from '../record/types.js';
import { modulesOf } from './experiment-folders.ts';

export type Claim = {
	id: string;
	/** key of the experiments table; that of its folder */
	experiment: string;
	/** what was claimed */
	statement: string;
	source: string;
	/** figures */
	published: { label: string; text: string }[];
	/** what decides it, in words */
	test: string;
	/** in words */
	delta: string;
	/** all must hold */
	tests: (CompareTest | ShareTest | LevelTest | OutcomeTest | PublishedTest)[];
	/** no publication says it: the lab's own question */
	own?: boolean;
	/** estimates that decide nothing and that a reader needs beside those that do */
	beside?: Claim['tests'];
	/** what a reader has to know of it, in sentences that may hold figures */
	remarks?: string[];
	/** why statement or tests are others than before its runs: a deviation, which is said with the verdict */
	changed?: string;
	/** other loads and budgets under which its tests can be made too, and may come out otherwise */
	elsewhere?: Elsewhere[];
	/** what has to be like the source's before a verdict says anything of the source */
	carries?: Carries;
	/** id of an earlier claim, of which this is a part or a better reading */
	replaces?: string;
	/** shown beside the tests; null unless given */
	relief: ReliefTest | null;
	/** one sentence for each verdict */
	quotes: { HOLDS: string; REFUTED: string; INCONCLUSIVE: string };
	/** figures that decide nothing but belong beside it, each with a label before a colon */
	shown: string[];
};

/** as it stands in its folder */
export type WrittenClaim = Omit<Claim, 'experiment' | 'relief'> & Partial<Claim>;

/** metric: id; arm, base, other: ids */
type Bound = {
	label: string;
	wanted: 'at least' | 'at most';
	threshold: number;
	/** on the scale of the threshold */
	published: number | null;
};

/**
 * other against base, by a ratio, or by a
 *  difference for metrics that are compared so
 */
export type CompareTest = Bound & { kind: 'compare'; metric: string; base: string; other: string };

/** share of an arm's failures that the ledger places on some tiers, 0 to 1 */
type ShareTest = Bound & { kind: 'share'; arm: string; tiers: Tier[] };

/** a share that an arm has, by itself, 0 to 1 */
export type LevelTest = Bound & { kind: 'level'; metric: string; arm: string };

/**
 * in how many of an arm's runs something came out as published,
 *  for what comes out one way or the other. wanted, threshold: of the metric, in a single run
 */
export type OutcomeTest = Bound & { kind: 'outcome'; metric: string; arm: string };

/**
 * a ratio of the published file itself, against what is
 *  claimed of it; no run is needed
 */
export type PublishedTest = Bound & { kind: 'published'; value: number; published: null };

type Elsewhere = {
	load: string;
	budget: string;
	/** in place of the claim's own, where arms of these were not measured there */
	tests?: Claim['tests'];
	/** why, in words */
	instead?: string;
};

/** a tier that is at its CPU quota here and was not in the source */
export type Carries = {
	tier: Tier;
	/** of its quota, 0 to 1, from which on the CPU is what limits it */
	share: number;
	/** what the source says of it, in words */
	source: string;
};

export type ReliefTest = {
	/** arm in which nothing is relieved */
	before: string;
	rows: { tier: Tier; accused: boolean; arm: string }[];
};

/** By the experiment: its claims, or how they follow from the cores of the machine. */
const found: Map<string, { claims: WrittenClaim[] | ((cores: number) => WrittenClaim[]) }> = new Map(await modulesOf('claims.ts'));

/**
 * @param experiment key of the experiments
 * @param cores of the machine that measures; 1 where nothing is measured, and only the statements are wanted
 */
export function claimsOf(experiment: string, cores: number = 1): Claim[] {
	const claims = found.get(experiment)?.claims ?? [];
	return (typeof claims === 'function' ? claims(cores) : claims).map((claim) => ({ experiment, relief: null, ...claim }));
}

/** Arms without which a test cannot be made; none for one on the published file. */
export function armsOfTest(test: Claim['tests'][number]): string[] {
	if (test.kind === 'published') return [];
	return test.kind === 'compare' ? [test.base, test.other] : [test.arm];
}

/** All arms without which a claim cannot be decided or told. */
export const armsOfClaim = ({ tests, relief, quotes }: Claim): string[] => [
	...new Set([
		...tests.flatMap(armsOfTest),
		...(relief ? [relief.before, ...relief.rows.map(({ arm }) => arm)] : []),
		...Object.values(quotes).flatMap(armsIn),
	]),
];

/** Arms of which a sentence shows a figure. */
export const armsIn = (sentence: string) => [...sentence.matchAll(/@([^}]+)\}/g)].map(([, arm]) => arm);
