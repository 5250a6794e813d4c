/**
 * A stored record read today: by claims as they stand now, where they were changed after its runs, and by the rules of today, where those
 * came after it. The verdict as it was registered stays what it was and stands beside this; a change after the runs is a deviation, and is
 * said with its reason.
 */

import { unlikeOf } from '../catalog/budgets.ts';
import { armsIn, armsOfClaim, armsOfTest, type Carries, type Claim, claimsOf } from '../catalog/claims.ts';
import { type Experiment, experiments } from '../catalog/experiments.ts';
import type { ArmDoubt, ClaimTest, ClaimVerdict, ExperimentResult, Result } from '../record/types.js';
import type { ReadOtherwise } from '../report/experiment/read-otherwise.ts';
import { percent } from '../stats/figure-words.ts';
import { type Decision, decide, JUDGING_RULES, judgeBy, judgeClaim } from './claims/judge.ts';
import type { Reading as ReadingOfTests } from './claims/tests.ts';
import { estimateOf } from './claims/without-suspect.ts';
import { type ArmDoubt as ArmDoubtOfDoubt, doubtOf, doubtsOf, doubtsText } from './comparison/doubt.ts';
import type { Run } from './comparison/runs.ts';
import type { KeptRun } from './findings.ts';

type ClaimResult = ExperimentResult['claims'][number];

/** of which an experiment's record has kept the metrics */
type StoredRun = Run & { figures: Record<string, number | null> };

/** of a stored claim, as it is read today */
export type Reading = {
	/** of the claim as it stands now */
	id: string;
	statement: string;
	verdict: ClaimVerdict;
	sentence: string;
	remarks: string[];
	tests: ClaimTest[];
	/** null where it was judged before claims knew of doubts */
	doubts: ArmDoubt[] | null;
	/** the claim is about the record's load and budget */
	is_about_it: boolean;
	/** why it is tested or judged otherwise than it was registered, or cannot be; null where it is the same */
	changed: string | null;
};

/** What decides a claim; its sentences may be worded better afterwards, and what the source says decides nothing. */
const decisionOf = ({ statement, test, tests }: Claim) =>
	JSON.stringify({ statement, test, tests: tests.map((one) => ({ ...one, label: null, published: null })) });
/** Why a verdict is another one where its claim is the same: rules that came after its runs. */
const RULES = {
	suspect: 'A verdict has to survive without its SUSPECT runs, and a second look counts only if it sees what the claim is about.',
	doubt: 'The doubt about a run counts only for figures that it can move.',
	nothing: 'Whose failures they are cannot be asked where nothing failed.',
	other: 'The rules of judging are others than at its runs.',
};

/**
 * The claims of today that a stored one became: itself, or its parts.
 * @param claims as they stand now
 * @param id of the stored one
 */
const successorsOf = (claims: Claim[], id: string) => claims.filter((claim) => claim.id === id || claim.replaces === id);

/**
 * All claims of a record.
 * @param fixed as they stood before the runs; empty where the plan was not kept
 * @param asked the experiment as the tables have it now
 */
export const readingsOf = (
	result: ExperimentResult,
	fixed: Claim[],
	asked: Pick<Experiment, 'load' | 'budget' | 'judged_under'> & { claims: Claim[] },
): { judged: ClaimResult; reading: Reading }[] =>
	result.claims.flatMap((judged) =>
		readToday({
			result,
			judged,
			before: fixed.find(({ id }) => id === judged.id),
			now: successorsOf(asked.claims, judged.id),
			unlikeOf: (claim) => unlikeOf(asked, result, claim),
		}).map((reading) => ({ judged, reading })),
	);

/**
 * Which claims of a record are read otherwise today than they were registered: its page keeps what was registered, and says this first.
 * @param fixed its claims as they stood before the runs, where its manifest is there
 * @returns under its own load and budget alone; none where its experiment is in no table
 */
export function readOtherwise(result: ExperimentResult, fixed: Claim[] = [], kept: KeptRun[] = []): ReadOtherwise[] {
	if (!Object.hasOwn(experiments, result.experiment)) return [];
	const asked = { ...experiments[result.experiment], claims: claimsOf(result.experiment, result.machine.cores) };
	return readingsOf(result, fixed, asked).flatMap(({ judged, reading }) => {
		const claim = asked.claims.find(({ id }) => id === reading.id);
		const unlike = claim ? notCarriedOverBy(claim, reading.verdict, kept) : null;
		const verdict = unlike === null ? reading.verdict : 'DOES NOT CARRY OVER';
		const isSameClaim = reading.statement === judged.statement;
		if (verdict === judged.verdict && isSameClaim) return [];
		const statement = isSameClaim ? null : reading.statement;
		return [
			{ id: reading.id, statement, verdict, registered: judged.verdict, sentence: reading.sentence, changed: unlike ?? reading.changed },
		];
	});
}

function readToday({
	result,
	judged,
	before,
	now,
	unlikeOf,
}: {
	result: ExperimentResult;
	/** the stored verdict */
	judged: ClaimResult;
	/** the claim as it stood before the runs; undefined where the plan was not kept */
	before: Claim | undefined;
	/** what it became; itself alone where it is in no table any more */
	now: Claim[];
	/** the load or budget that a claim is not about, in words */
	unlikeOf: (claim: string) => string | null;
}): Reading[] {
	if (now.length === 0) return [asStored(judged, judged, null)];
	return now.map((claim) => {
		const isChanged = before ? decisionOf(before) !== decisionOf(claim) : claim.id !== judged.id;
		// What was not judged under this load is not judged today either.
		if (unlikeOf(claim.id) !== null) return { ...asStored(claim, judged, null), is_about_it: false };
		if (!isChanged && judged.rules === JUDGING_RULES) return asStored(claim, judged, null);
		const missing = armsMissing(claim, result);
		if (missing.length > 0) return asStored(claim, judged, `Cannot be read again: ${missing.join(', ')} was not measured.`);
		const read = judgeStored(claim, result, judged);
		return {
			id: claim.id,
			statement: claim.statement,
			verdict: read.verdict,
			sentence: hasArmsOf(claim.quotes[read.verdict], result) ? read.sentence : figuresOf(read.tests),
			remarks: read.remarks,
			tests: read.tests,
			doubts: read.doubts,
			is_about_it: true,
			changed: isChanged ? (claim.changed ?? RULES.other) : ruleOf(judged, read),
		};
	});
}

/** the rule by which the same claim comes out otherwise; null where it does not */
function ruleOf(judged: ClaimResult, read: ClaimResult): string | null {
	if (read.verdict === judged.verdict) return null;
	if (read.verdict === 'INCONCLUSIVE' && read.without_suspect) return RULES.suspect;
	if (read.verdict === 'INCONCLUSIVE' && read.tests.some(({ scale, estimate }) => scale === 'share' && estimate === null))
		return RULES.nothing;
	return judged.verdict === 'INCONCLUSIVE' && judged.without_suspect ? RULES.doubt : RULES.other;
}

/** changed: why it is not read as it stands now */
const asStored: (claim: Pick<Claim, 'id' | 'statement'>, judged: ClaimResult, changed: string | null) => Reading = (
	{ id, statement },
	judged,
	changed,
) => ({
	id,
	statement,
	verdict: judged.verdict,
	sentence: judged.sentence,
	remarks: judged.remarks,
	tests: judged.tests,
	doubts: judged.doubts,
	is_about_it: true,
	changed,
});

const armsMissing: (claim: Pick<Claim, 'tests'>, result: ExperimentResult) => string[] = ({ tests }, { arms }) => [
	...new Set(tests.flatMap(armsOfTest).filter((arm) => !arms.some(({ id }) => id === arm))),
];
const hasArmsOf: (sentence: string, result: ExperimentResult) => boolean = (sentence, { arms }) =>
	armsIn(sentence).every((arm) => arms.some(({ id }) => id === arm));
export const figuresOf = (tests: ClaimTest[]) => `${tests.map((test) => `${test.label}: ${estimateOf(test)}`).join('; ')}.`;

function judgeStored(claim: Claim, result: ExperimentResult, judged: ClaimResult): ClaimResult {
	const isThere = (test: Claim['tests'][number]) => armsMissing({ tests: [test] }, result).length === 0;
	const beside = claim.beside?.every(isThere) ? claim.beside : [];
	// A sentence about what was not measured there is left out.
	const remarks = (claim.remarks ?? []).filter((text) => hasArmsOf(text, result) && (beside.length > 0 || !text.includes('{beside')));
	return judgeClaim({
		claim: { ...claim, beside, remarks, relief: null, shown: [] },
		runs: runsOf(result),
		arms: [],
		pages: [],
		unlike: null,
		reading: readingOf(result),
		// What cannot be read from the stored metrics stands as it was measured.
		known: judged.tests,
		knownLooks: judged.without_suspect?.tests ?? [],
	});
}

/**
 * The verdict alone on a claim's tests, or on others, in a record that need not be its own experiment's.
 * @returns null where an arm was not measured there
 */
export function decideStored({ id, tests }: Pick<Claim, 'id' | 'tests'>, result: ExperimentResult): Decision | null {
	if (armsMissing({ tests }, result).length > 0) return null;
	const judged = result.claims.find((claim) => claim.id === id);
	const claim = { id, tests, quotes: {}, shown: [], relief: null } as any;
	const judge = judgeBy(readingOf(result), judged?.tests ?? []);
	return decide(claim, runsOf(result), { judge, knownLooks: judged?.without_suspect?.tests ?? [] });
}

/** Only metrics were kept of the stored runs, and of each arm where its failures were lost. */
const readingOf = ({ arms }: ExperimentResult): ReadingOfTests => ({
	metric: (run, id) => (run as StoredRun).figures[id] ?? null,
	share: () => null,
	lost: (id) => arms.find((arm) => arm.id === id)?.ledger ?? [],
});

const runsOf = ({ arms }: ExperimentResult): Run[] =>
	arms.flatMap(({ id, all_runs: runs }) =>
		runs.map(
			({ block, validity, metrics }) =>
				({
					attempt: { block, arm: id },
					result: { validity: { ...validity, stages: [] }, stages: [] },
					figures: metrics,
				}) as any,
		),
	);

/** A record made before claims knew of doubts has them with its arms. */
export function claimDoubtOf(
	{ id, doubts }: { id: string; doubts: ArmDoubtOfDoubt[] | null },
	{ arms }: ExperimentResult,
	fixed: Claim[],
): string | null {
	const claim = fixed.find((stored) => stored.id === id);
	const named = claim ? [...armsOfClaim(claim), ...claim.shown.flatMap(armsIn)] : [];
	const found =
		doubts ??
		doubtsOf(
			arms
				.filter((arm) => named.includes(arm.id))
				.map((arm) => ({ id: arm.id, doubt: doubtOf(arm.all_runs.filter(({ counts }) => counts).map(({ validity }) => validity)) })),
		);
	return doubtsText(found) || null;
}

/**
 * Whether a verdict carries over to the source: a claim may name what has to be alike. Where a tier is at its CPU quota here, and the source
 * says that its own was not, the verdict is about another bottleneck.
 *
 */

/**
 * @param runs kept ones of the arms of its tests
 * @returns why it does not; null where it does, or where no run says
 */
function notCarriedOver({ tier, share, source }: Carries, runs: Result[]): string | null {
	const readings = runs.flatMap(({ resources }) =>
		Object.entries(resources).flatMap(([service, own]) => {
			const { cpu_quota_cores: quota, cpu_cores: used } = own;
			return own.tier === tier && quota && used.mean !== null ? [{ service, quota, share: used.mean / quota }] : [];
		}),
	);
	if (readings.length === 0 || readings.some((one) => one.share < share)) return null;
	const [{ service, quota }] = readings;
	const shares = readings.map((one) => one.share);
	const [low, high] = [percent(Math.min(...shares)), percent(Math.max(...shares))];
	return `Its bottleneck: ${service} was held to ${quota.toFixed(2)} cores here and used ${low === high ? low : `${low} to ${high}`} of them; ${source}.`;
}

/**
 * @param verdict where nothing is decided there is nothing to carry over
 * @returns why the verdict does not carry over
 */
export function notCarriedOverBy({ carries, tests }: Claim, verdict: ClaimVerdict, kept: KeptRun[]): string | null {
	if (!carries || verdict === 'INCONCLUSIVE') return null;
	const arms = tests.flatMap(armsOfTest);
	return notCarriedOver(
		carries,
		kept.filter(({ arm }) => arms.includes(arm)).map(({ result }) => result),
	);
}
