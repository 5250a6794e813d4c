/**
 * A stored record read today: by claims as they stand now, where they were changed after its runs, and by the rules of today, where those
 * came after it. The verdict as it was registered stays what it was and stands beside this; a change after the runs is a deviation, and is
 * said with its reason.
 *
 * @typedef {ExperimentResult['claims'][number]} ClaimResult
 * @typedef {Run & { figures: Record<string, number | null> }} StoredRun  of which an experiment's record has kept the metrics
 *
 * @typedef {object} Reading              of a stored claim, as it is read today
 * @property {string} id                  of the claim as it stands now
 * @property {string} statement
 * @property {ClaimVerdict} verdict
 * @property {string} sentence
 * @property {string[]} remarks
 * @property {ClaimTest[]} tests
 * @property {import('../record/types.js').ArmDoubt[] | null} doubts  null where it was judged before claims knew of doubts
 * @property {boolean} is_about_it        the claim is about the record's load and budget
 * @property {string | null} changed      why it is tested or judged otherwise than it was registered, or cannot be; null where it is the same
 *
 * @typedef {object} ReadOtherwise        a claim that comes out otherwise today than its record's page says, under the record's own load and budget
 * @property {string} id
 * @property {string | null} statement    null where it is the registered one
 * @property {FindingVerdict} verdict
 * @property {ClaimVerdict} registered
 * @property {string} sentence
 * @property {string | null} changed      why
 *
 * @import { Carries, Claim } from '../catalog/claims.ts'
 * @import { Experiment } from '../catalog/experiments.ts'
 * @import { ClaimTest, ClaimVerdict, ExperimentResult, FindingVerdict, Result } from '../record/types.js'
 * @import { Decision } from './claims/judge.ts'
 * @import { Run } from './comparison/runs.ts'
 * @import { KeptRun } from './findings.ts'
 */

import { unlikeOf } from '../catalog/budgets.ts';
import { armsIn, armsOfClaim, armsOfTest, claimsOf } from '../catalog/claims.ts';
import { experiments } from '../catalog/experiments.ts';
import { percent } from '../stats/figure-words.ts';
import { decide, JUDGING_RULES, judgeBy, judgeClaim } from './claims/judge.ts';
import { estimateOf } from './claims/without-suspect.ts';
import { doubtOf, doubtsOf, doubtsText } from './comparison/doubt.ts';

/** What decides a claim; its sentences may be worded better afterwards, and what the source says decides nothing. @param {Claim} claim */
const decisionOf = ({ statement, test, tests }) =>
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
 * @param {Claim[]} claims  as they stand now
 * @param {string} id       of the stored one
 */
const successorsOf = (claims, id) => claims.filter((claim) => claim.id === id || claim.replaces === id);

/**
 * All claims of a record.
 * @param {ExperimentResult} result
 * @param {Claim[]} fixed  as they stood before the runs; empty where the plan was not kept
 * @param {Pick<Experiment, 'load' | 'budget' | 'judged_under'> & { claims: Claim[] }} asked  the experiment as the tables have it now
 * @returns {{ judged: ClaimResult, reading: Reading }[]}
 */
export const readingsOf = (result, fixed, asked) =>
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
 * @param {ExperimentResult} result
 * @param {Claim[]} [fixed]  its claims as they stood before the runs, where its manifest is there
 * @param {KeptRun[]} [kept]
 * @returns {ReadOtherwise[]} under its own load and budget alone; none where its experiment is in no table
 */
export function readOtherwise(result, fixed = [], kept = []) {
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

/**
 * @param {object} input
 * @param {ExperimentResult} input.result
 * @param {ClaimResult} input.judged           the stored verdict
 * @param {Claim | undefined} input.before     the claim as it stood before the runs; undefined where the plan was not kept
 * @param {Claim[]} input.now                  what it became; itself alone where it is in no table any more
 * @param {(claim: string) => string | null} input.unlikeOf  the load or budget that a claim is not about, in words
 * @returns {Reading[]}
 */
function readToday({ result, judged, before, now, unlikeOf }) {
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

/** @type {(judged: ClaimResult, read: ClaimResult) => string | null} the rule by which the same claim comes out otherwise; null where it does not */
function ruleOf(judged, read) {
	if (read.verdict === judged.verdict) return null;
	if (read.verdict === 'INCONCLUSIVE' && read.without_suspect) return RULES.suspect;
	if (read.verdict === 'INCONCLUSIVE' && read.tests.some(({ scale, estimate }) => scale === 'share' && estimate === null))
		return RULES.nothing;
	return judged.verdict === 'INCONCLUSIVE' && judged.without_suspect ? RULES.doubt : RULES.other;
}

/** @type {(claim: Pick<Claim, 'id' | 'statement'>, judged: ClaimResult, changed: string | null) => Reading} changed: why it is not read as it stands now */
const asStored = ({ id, statement }, judged, changed) => ({
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

/** @type {(claim: Pick<Claim, 'tests'>, result: ExperimentResult) => string[]} */
const armsMissing = ({ tests }, { arms }) => [...new Set(tests.flatMap(armsOfTest).filter((arm) => !arms.some(({ id }) => id === arm)))];
/** @type {(sentence: string, result: ExperimentResult) => boolean} */
const hasArmsOf = (sentence, { arms }) => armsIn(sentence).every((arm) => arms.some(({ id }) => id === arm));
/** @param {ClaimTest[]} tests */
export const figuresOf = (tests) => `${tests.map((test) => `${test.label}: ${estimateOf(test)}`).join('; ')}.`;

/** @type {(claim: Claim, result: ExperimentResult, judged: ClaimResult) => ClaimResult} */
function judgeStored(claim, result, judged) {
	const isThere = (/** @type {Claim['tests'][number]} */ test) => armsMissing({ tests: [test] }, result).length === 0;
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
 * @param {Pick<Claim, 'id' | 'tests'>} claim
 * @param {ExperimentResult} result
 * @returns {Decision | null} null where an arm was not measured there
 */
export function decideStored({ id, tests }, result) {
	if (armsMissing({ tests }, result).length > 0) return null;
	const judged = result.claims.find((claim) => claim.id === id);
	const claim = /** @type {any} */ ({ id, tests, quotes: {}, shown: [], relief: null });
	const judge = judgeBy(readingOf(result), judged?.tests ?? []);
	return decide(claim, runsOf(result), { judge, knownLooks: judged?.without_suspect?.tests ?? [] });
}

/** Only metrics were kept of the stored runs, and of each arm where its failures were lost. @param {ExperimentResult} result @returns {import('./claims/tests.ts').Reading} */
const readingOf = ({ arms }) => ({
	metric: (run, id) => /** @type {StoredRun} */ (run).figures[id] ?? null,
	share: () => null,
	lost: (id) => arms.find((arm) => arm.id === id)?.ledger ?? [],
});

/** @param {ExperimentResult} result @returns {Run[]} */
const runsOf = ({ arms }) =>
	arms.flatMap(({ id, all_runs: runs }) =>
		runs.map(
			({ block, validity, metrics }) =>
				/** @type {any} */ ({
					attempt: { block, arm: id },
					result: { validity: { ...validity, stages: [] }, stages: [] },
					figures: metrics,
				}),
		),
	);

/**
 * A record made before claims knew of doubts has them with its arms.
 * @type {(claim: { id: string, doubts: import('./comparison/doubt.ts').ArmDoubt[] | null }, result: ExperimentResult, fixed: Claim[]) => string | null}
 */
export function claimDoubtOf({ id, doubts }, { arms }, fixed) {
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
 * @param {Carries} carries
 * @param {Result[]} runs  kept ones of the arms of its tests
 * @returns {string | null} why it does not; null where it does, or where no run says
 */
function notCarriedOver({ tier, share, source }, runs) {
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
 * @param {Claim} claim
 * @param {ClaimVerdict} verdict  where nothing is decided there is nothing to carry over
 * @param {KeptRun[]} kept
 * @returns {string | null} why the verdict does not carry over
 */
export function notCarriedOverBy({ carries, tests }, verdict, kept) {
	if (!carries || verdict === 'INCONCLUSIVE') return null;
	const arms = tests.flatMap(armsOfTest);
	return notCarriedOver(
		carries,
		kept.filter(({ arm }) => arms.includes(arm)).map(({ result }) => result),
	);
}
