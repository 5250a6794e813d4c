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
 *
 * @import { Tier } from '../record/types.js'
 */
import { modulesOf } from './experiment-folders.ts';

/**
 *
 * @typedef {object} Claim
 * @property {string} id
 * @property {string} experiment       key of the experiments table; that of its folder
 * @property {string} statement        what was claimed
 * @property {string} source
 * @property {{ label: string, text: string }[]} published  figures
 * @property {string} test             what decides it, in words
 * @property {string} delta            in words
 * @property {(CompareTest | ShareTest | LevelTest | OutcomeTest | PublishedTest)[]} tests  all must hold
 * @property {boolean} [own]           no publication says it: the lab's own question
 * @property {Claim['tests']} [beside] estimates that decide nothing and that a reader needs beside those that do
 * @property {string[]} [remarks]      what a reader has to know of it, in sentences that may hold figures
 * @property {string} [changed]        why statement or tests are others than before its runs: a deviation, which is said with the verdict
 * @property {Elsewhere[]} [elsewhere] other loads and budgets under which its tests can be made too, and may come out otherwise
 * @property {Carries} [carries]       what has to be like the source's before a verdict says anything of the source
 * @property {string} [replaces]       id of an earlier claim, of which this is a part or a better reading
 * @property {ReliefTest | null} relief  shown beside the tests; null unless given
 * @property {{ HOLDS: string, REFUTED: string, INCONCLUSIVE: string }} quotes  one sentence for each verdict
 * @property {string[]} shown          figures that decide nothing but belong beside it, each with a label before a colon
 *
 * @typedef {Omit<Claim, 'experiment' | 'relief'> & Partial<Claim>} WrittenClaim  as it stands in its folder
 *
 * @typedef {object} Bound             metric: id; arm, base, other: ids
 * @property {string} label
 * @property {'at least' | 'at most'} wanted
 * @property {number} threshold
 * @property {number | null} published on the scale of the threshold
 *
 * @typedef {Bound & { kind: 'compare', metric: string, base: string, other: string }} CompareTest  other against base, by a ratio, or by a
 *   difference for metrics that are compared so
 * @typedef {Bound & { kind: 'share', arm: string, tiers: Tier[] }} ShareTest  share of an arm's failures that the ledger places on some tiers, 0 to 1
 * @typedef {Bound & { kind: 'level', metric: string, arm: string }} LevelTest  a share that an arm has, by itself, 0 to 1
 * @typedef {Bound & { kind: 'outcome', metric: string, arm: string }} OutcomeTest  in how many of an arm's runs something came out as published,
 *   for what comes out one way or the other. wanted, threshold: of the metric, in a single run
 * @typedef {Bound & { kind: 'published', value: number, published: null }} PublishedTest  a ratio of the published file itself, against what is
 *   claimed of it; no run is needed
 *
 * @typedef {object} Elsewhere
 * @property {string} load
 * @property {string} budget
 * @property {Claim['tests']} [tests]  in place of the claim's own, where arms of these were not measured there
 * @property {string} [instead]        why, in words
 *
 * @typedef {object} Carries           a tier that is at its CPU quota here and was not in the source
 * @property {Tier} tier
 * @property {number} share            of its quota, 0 to 1, from which on the CPU is what limits it
 * @property {string} source           what the source says of it, in words
 *
 * @typedef {object} ReliefTest
 * @property {string} before           arm in which nothing is relieved
 * @property {{ tier: Tier, accused: boolean, arm: string }[]} rows
 */

/** By the experiment: its claims, or how they follow from the cores of the machine. @type {Map<string, { claims: WrittenClaim[] | ((cores: number) => WrittenClaim[]) }>} */
const found = new Map(await modulesOf('claims.ts'));

/**
 * @param {string} experiment  key of the experiments
 * @param {number} [cores]  of the machine that measures; 1 where nothing is measured, and only the statements are wanted
 * @returns {Claim[]}
 */
export function claimsOf(experiment, cores = 1) {
	const claims = found.get(experiment)?.claims ?? [];
	return (typeof claims === 'function' ? claims(cores) : claims).map((claim) => ({ experiment, relief: null, ...claim }));
}

/** Arms without which a test cannot be made; none for one on the published file. @param {Claim['tests'][number]} test @returns {string[]} */
export function armsOfTest(test) {
	if (test.kind === 'published') return [];
	return test.kind === 'compare' ? [test.base, test.other] : [test.arm];
}

/** All arms without which a claim cannot be decided or told. @param {Claim} claim @returns {string[]} */
export const armsOfClaim = ({ tests, relief, quotes }) => [
	...new Set([
		...tests.flatMap(armsOfTest),
		...(relief ? [relief.before, ...relief.rows.map(({ arm }) => arm)] : []),
		...Object.values(quotes).flatMap(armsIn),
	]),
];

/** Arms of which a sentence shows a figure. @param {string} sentence */
export const armsIn = (sentence) => [...sentence.matchAll(/@([^}]+)\}/g)].map(([, arm]) => arm);
