/** What an experiment's runs say of a claim: HOLDS, REFUTED or INCONCLUSIVE, with the evidence. */

import { changeIn } from '../../catalog/architectures.ts';
import type { Claim, ReliefTest } from '../../catalog/claims.ts';
import { armsIn, armsOfClaim, armsOfTest } from '../../catalog/claims.ts';
import type { Arm } from '../../options/arms.ts';
import type { ClaimResult, ClaimTest, Range, Relief, ReliefRow, WithoutSuspect } from '../../record/types.js';
import { percent, tierName } from '../../stats/figure-words.ts';
import { rangeOf } from '../../stats/numbers.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import type { ArmDoubt } from '../comparison/doubt.ts';
import { doubtOf, doubtsOf } from '../comparison/doubt.ts';
import type { Run } from '../comparison/runs.ts';
import { countingRuns } from '../comparison/runs.ts';
import type { Reading } from './tests.ts';
import { compareArms, joinVerdicts, judgeTest, resided, wholeLoad } from './tests.ts';
import type { Judge, SecondTest } from './without-suspect.ts';
import {
	estimateOf,
	fallenSentence,
	fill,
	judgeWithoutSuspect,
	survivedSentence,
	untouchedSentence,
	WHOLE_LOAD,
} from './without-suspect.ts';

/**
 * Cause proved by relief: the accused tier is given room, and beside it the rival; where the failures go, there they came
 * from.
 *
 */

/**
 * By which rules a claim is judged. From version 2 on outcomes are judged by their interval, a run's doubt counts for the figures that it
 * can move, and a second look without SUSPECT runs counts only where it sees what the claim is about.
 */
export const JUDGING_RULES = 2;

/** One failed request in a thousand: with fewer the failures are gone, and by more than that they can grow. */
const GONE = 0.001;
/** Failures are fewer when the whole interval says that at least half of them went, and stay when it says that they did not. */
const FEWER_SHARE = 0.5;

function reliefOf({ before, rows }: ReliefTest, runs: Run[], arms: Arm[]): Relief {
	const counting = (arm: string) => [...countingRuns(runs, arm).values()].map(({ result }) => result);
	const failures = (arm: string) => rangeOf(counting(arm).map(({ metrics }) => metrics.failure_rate));
	const beforeRange = failures(before);
	const judged = rows.map(({ tier, accused, arm }) => {
		const after = failures(arm);
		const architecture = arms.find(({ id }) => id === arm)?.architecture ?? arm;
		return {
			tier,
			accused,
			arm,
			relief: changeIn(architecture),
			after,
			failures: fateOf({ before, arm }, beforeRange, after, runs),
			doubt: doubtOf(counting(arm).map(({ validity }) => validity)),
		};
	});
	const parts = judged.map(
		(row) =>
			`${tierName(row.tier)} relieved (${row.arm}): failures ${row.failures}${row.after.median === null ? '' : ` (${percent(row.after.median)})`}`,
	);
	return { sentence: parts.join('; '), before: beforeRange, before_arm: before, rows: judged };
}

function fateOf(
	{ before: base, arm: other }: { before: string; arm: string },
	before: Range,
	after: Range,
	runs: Run[],
): ReliefRow['failures'] {
	const { compared } = compareArms(
		{ kind: 'compare', label: '', metric: 'failure_rate', base, other, wanted: 'at most', threshold: 0, published: null },
		runs,
	);
	const { n, low, high } = compared;
	if (n < LEAST_BLOCKS || low === null || high === null || before.median === null || before.median <= GONE) return 'INCONCLUSIVE';
	if (high < 0 && (after.high ?? 1) <= GONE) return 'gone';
	const half = FEWER_SHARE * before.median;
	if (low > GONE) return 'more';
	if (low > -half) return 'stay';
	return high < -half ? 'fewer' : 'INCONCLUSIVE';
}

/** What a figure that decides something says of the claim. */
const HOLDS = { HOLDS: true, REFUTED: false, INCONCLUSIVE: null };

export function judgeClaim({
	claim,
	runs,
	arms,
	pages,
	unlike,
	reading = wholeLoad,
	known = [],
	knownLooks = [],
}: {
	/** as it stood before the first run */
	claim: Claim;
	/** of the whole experiment */
	runs: Run[];
	arms: Arm[];
	/** of the comparisons */
	pages: { base: string; other: string; href: string }[];
	/** the load or budget that was measured, in words, where the claim is not about it */
	unlike: string | null;
	/** how figures are read from the runs */
	reading?: Reading;
	/** tests that were made already, by their labels, for those that this reading cannot make */
	known?: ClaimTest[];
	/** second looks that were made already */
	knownLooks?: SecondTest[];
}): ClaimResult {
	const judge = judgeBy(reading, known);
	const found = decide(claim, runs, { judge, isUnlike: unlike !== null, knownLooks });
	const { tests, first, again, verdict, doubts } = found;
	const beside = (claim.beside ?? []).map((test) => judge(test, runs));
	const facts = { tests, beside, runs, reading };
	const fallen = again && verdict !== first ? fallenSentence({ tests, first, again, doubts }) : null;
	const sentence =
		(unlike && `Not judged: the claim is not about ${unlike}.`) ||
		fallen?.sentence ||
		(verdict === 'INCONCLUSIVE' && tooFewOf(tests)) ||
		fill(claim.quotes[verdict], facts);
	const decided = verdict === first ? decidedBy(tests, again, sentence) : null;
	const doubted = [decided, ...(fallen?.remarks ?? [verdict === first ? doubtRemark(found) : null])].filter((text) => text !== null);
	return {
		id: claim.id,
		statement: claim.statement,
		source: claim.source,
		published: claim.published,
		test: claim.test,
		delta: claim.delta,
		verdict,
		sentence,
		quote: [sentence, ...doubted].join(' '),
		remarks: [...doubted, ...(unlike === null ? (claim.remarks ?? []).map((remark) => fill(remark, facts)) : [])],
		rules: JUDGING_RULES,
		measured: [
			...tests.map((test) => ({ label: test.label, text: estimateOf(test), holds: HOLDS[test.verdict] })),
			...beside.map((test) => ({ label: test.label, text: estimateOf(test), holds: null })),
			...claim.shown.map((shown) => {
				const [label, text] = shown.split(/: (.*)/);
				return { label, text: fill(text, facts), holds: null };
			}),
		],
		tests,
		doubts,
		without_suspect: again,
		relief: claim.relief ? reliefOf(claim.relief, runs, arms) : null,
		evidence: evidenceOf(claim, pages),
	};
}

export type Decision = {
	/** over all runs that count */
	tests: ClaimTest[];
	/** of these */
	first: ClaimResult['verdict'];
	/** null where nothing SUSPECT can move its figures, or nothing is decided */
	again: WithoutSuspect | null;
	verdict: ClaimResult['verdict'];
	/** of all arms that it shows or rests on */
	doubts: ArmDoubt[];
	/** its tests rest on SUSPECT runs */
	isInDoubt: boolean;
};

/** The verdict alone. */
export function decide(
	claim: Claim,
	runs: Run[],
	{ judge, isUnlike = false, knownLooks = [] }: { judge: Judge; isUnlike?: boolean; knownLooks?: SecondTest[] },
): Decision {
	const made = claim.tests.map((test) => judge(test, runs));
	const tests: ClaimTest[] = isUnlike ? made.map((test) => ({ ...test, verdict: 'INCONCLUSIVE' })) : made;
	const first = isAboutNothing(claim, made) ? 'INCONCLUSIVE' : joinVerdicts(tests.map((test) => test.verdict));
	const named = [...armsOfClaim(claim), ...(claim.beside ?? []).flatMap(armsOfTest), ...claim.shown.flatMap(armsIn)];
	const doubts = armDoubtsOf([...new Set(named)], runs);
	const isInDoubt = doubts.some(({ arm }) => claim.tests.flatMap(armsOfTest).includes(arm));
	// What decides nothing needs no second look.
	const look = first !== 'INCONCLUSIVE' && isInDoubt ? judgeWithoutSuspect(claim, runs, judge, knownLooks) : null;
	const again = look?.tests.every(({ over }) => over === WHOLE_LOAD) ? null : look;
	return { tests, first, again, verdict: again && again.verdict !== first ? 'INCONCLUSIVE' : first, doubts, isInDoubt };
}

/** @param found whose verdict stands */
function doubtRemark({ first, again, doubts, isInDoubt }: Decision): string | null {
	if (again) return survivedSentence(again, doubts);
	return isInDoubt && first !== 'INCONCLUSIVE' ? untouchedSentence(doubts) : null;
}

/** Whose failures they are cannot be asked where there were none: then its other tests refute nothing. */
const isAboutNothing: (claim: Claim, made: ClaimTest[]) => boolean = ({ tests }, made) =>
	tests.some(({ kind }, index) => kind === 'share' && made[index].blocks < LEAST_BLOCKS);

export const judgeBy: (reading: Reading, known: ClaimTest[]) => Judge = (reading, known) => (test, runs) => {
	const made = judgeTest(test, runs, reading);
	const before = made.estimate === null ? known.find(({ label }) => label === test.label) : undefined;
	return before ? resided(before, test) : made;
};

const armDoubtsOf: (arms: string[], runs: Run[]) => ArmDoubt[] = (arms, runs) =>
	doubtsOf(arms.map((id) => ({ id, doubt: doubtOf([...countingRuns(runs, id).values()].map(({ result }) => result.validity)) })));

/** A claim's own sentence speaks of what the figures allow; with too few blocks they allow nothing. */
function tooFewOf(tests: ClaimTest[]) {
	const fewest = Math.min(...tests.filter(({ basis }) => basis !== 'published').map(({ blocks }) => blocks));
	return fewest < LEAST_BLOCKS
		? `Not judged: ${fewest} ${fewest === 1 ? 'repetition has' : 'repetitions have'} the figures, and a verdict needs ${LEAST_BLOCKS}.`
		: null;
}

/**
 * Where several tests could have refuted a claim, its sentence may speak of another one. Those that do not without what was SUSPECT decide nothing.
 */
function decidedBy(tests: ClaimTest[], again: WithoutSuspect | null, sentence: string) {
	const refuted = tests.filter(
		(test, index) =>
			test.verdict === 'REFUTED' && (again?.tests[index].verdict ?? 'REFUTED') === 'REFUTED' && !sentence.includes(estimateOf(test)),
	);
	if (tests.length < 2 || refuted.length === 0) return null;
	return `Refuted by ${refuted.map((test) => `${test.label}: ${estimateOf(test)}`).join('; ')}.`;
}

function evidenceOf(
	{ tests, beside = [], relief }: Claim,
	pages: { base: string; other: string; href: string }[],
): ClaimResult['evidence'] {
	const compared = [...tests, ...beside].flatMap((test) => (test.kind === 'compare' ? [[test.base, test.other]] : []));
	const relieved = relief?.rows.map(({ arm }) => [relief.before, arm]) ?? [];
	const wanted = [...compared, ...relieved].map(([base, other]) => `${base} ${other}`);
	return pages
		.filter(({ base, other }) => wanted.includes(`${base} ${other}`))
		.map(({ base, other, href }) => ({ label: `${other} against ${base}`, href }));
}
