/**
 * The scores of many runs, added up: by fault, by cause and over all.
 *
 *
 * @typedef {object} SelftestRecord  what a self-test leaves behind, and all that its page shows
 * @property {string} wanted          FAULTS, as it was given: all, short or names
 * @property {string} started         ISO 8601, of the first run
 * @property {string} ended
 * @property {string} commit          of the lab that judged it
 * @property {string} machine         in words
 * @property {string} budget
 * @property {number} repeats
 * @property {boolean} complete       every fault was tried, as often as asked
 * @property {Score[]} scores         of each run
 * @property {TestedSystem} system
 *
 * @typedef {object} TestedSystem     what the faults were put into
 * @property {string} name           empty where it is no one system
 * @property {string} into           the same, and how, in words
 * @property {string} command        that repeats the test
 * @property {Record<string, DescribedFault>} faults  that there were to choose from, by id
 * @property {Record<string, string>} left_out  what is known to happen and is not put in, and why
 * @property {boolean} is_document   its page is a document of the lab, with the order of the rules that place failures; else each run has a report
 *
 * @typedef {Pick<Demand, 'expected'> & { title: string }} DescribedFault
 *
 * @typedef {Pick<Score, 'fault' | 'failures' | 'right_tier' | 'right' | 'unattributed' | 'where' | 'why' | 'misses'> & {
 *   runs: number, advice: string[], passed: boolean }} FaultTotal  misses: of any run
 *
 * @typedef {object} CauseTotal
 * @property {string} label           tier and cause
 * @property {number} are             failed requests that it is the cause of
 * @property {number} found           failed requests that were placed there
 * @property {number | null} precision  share of those found that are it
 * @property {number | null} recall     share of those that are it, and were found
 *
 * @import { Demand, Expected, PlannedFault } from '../adapters/faults.ts'
 * @import { PlacedTrace } from '../diagnose/ledger/ledger.ts'
 * @import { Placement } from '../diagnose/ledger/place.ts'
 * @import { Result } from './types.js'
 */

/**
 * How right the diagnosis of one run is: each failed request by itself, compared with the causes that the fault is known to
 * have, and what else the fault asks to be said.
 *
 *
 * @typedef {object} Score
 * @property {string} fault        id
 * @property {string} run          whose folder has the record; empty where there is none
 * @property {number} requests
 * @property {number} failures
 * @property {number} right_tier   failed requests on the right tier
 * @property {number} right        on the right tier and cause
 * @property {number} unattributed
 * @property {Record<string, number>} where  placed requests by how the place is known
 * @property {Record<string, number>} why    by how the cause is known
 * @property {Pair[]} pairs        failed requests by what they are and what they were taken for, most first
 * @property {string[]} misses     what else was asked of the diagnosis and is not there, in words
 * @property {string[]} [advice]   what would let the ledger place more, in words
 * @property {string} [spoilt]     why what is wrong need not be the diagnosis's: the machine was not the run's own
 * @property {string} [skipped]    why the diagnosis could not be judged by it: it was not put in, or nothing came of it
 *
 * @typedef {{ expected: string, found: string, count: number, right: boolean }} Pair
 */

/** As a record keeps them. @param {Iterable<Pick<PlannedFault, 'id' | 'title' | 'demand'>>} faults @returns {TestedSystem['faults']} */
export const describedFaults = (faults) =>
	Object.fromEntries(
		[...faults].map(({ id, title, demand: { expected } }) => [
			id,
			{ title, ...(expected && { expected: expected.map(({ tier, cause, may }) => ({ tier, cause, may })) }) },
		]),
	);

/** What no tier and cause was found for; and what should not have failed at all. */
export const UNATTRIBUTED = 'unattributed';
export const NOTHING = 'none';
/** Where nothing has to fail, fewer failures than this share are not what a run is about; the lab's own choice. */
const WORTH_NAMING = 0.001;

/**
 * @param {object} run
 * @param {string} run.id                    of the fault
 * @param {Demand} run.fault
 * @param {PlacedTrace[]} run.placed         each failed request
 * @param {number} run.beganS                start of the load, seconds since 1970
 * @param {Map<string, Set<string>>} run.marks  what the nodes wrote of their own doings, by the request's id
 * @param {Pick<Result, 'run' | 'metrics' | 'ledger' | 'bottleneck' | 'validity'>} run.result
 * @returns {Score}
 */
export function scoreRun({ id, fault, placed, beganS, marks, result }) {
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

/** Nothing was judged. @type {(id: string, run: string) => Score} */
const emptyScore = (id, run) => ({
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

/** A run that came to no result. @type {(id: string, reason: string, run?: string) => Score} */
export const failedScore = (id, reason, run = '') => ({ ...emptyScore(id, run), misses: [`the run came to no result: ${reason}`] });

/** A fault by which the diagnosis cannot be judged. @type {(id: string, why: string, run?: string) => Score} */
export const skippedScore = (id, why, run = '') => ({ ...emptyScore(id, run), skipped: why });

/** @param {Pick<Expected, 'tier' | 'cause'> | null | undefined} spot */
export const labelOf = (spot) => (spot ? `${spot.tier}: ${spot.cause}` : NOTHING);

/** @typedef {{ expected: Expected | undefined, placement: Placement | null, found: string, right: boolean, rightTier: boolean }} Judged */

/** @type {(expected: Expected[], placed: PlacedTrace[], beganS: number, marks: Map<string, Set<string>>) => Judged[]} */
function judgeAll(expected, placed, beganS, marks) {
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

/** @param {Expected} expected @param {Placement} placement */
const isMet = (expected, { tier, cause, service, amplifier }) =>
	tier === expected.tier &&
	cause === expected.cause &&
	isAt(expected, service) &&
	(amplifier === null ? !expected.amplified : (expected.amplifiers ?? []).includes(amplifier.cause));

/** Of a row that names several services one is enough. @type {(expected: Expected, service: string) => boolean} */
const isAt = ({ services }, service) => services === undefined || service.split(', ').some((name) => services.includes(name));

/** Says what is wrong where tier and cause are not. @param {Placement} placement @param {Expected | undefined} expected */
function foundLabel(placement, expected) {
	const label = labelOf(placement);
	if (!expected || label !== labelOf(expected) || isMet(expected, placement)) return label;
	const { service, amplifier } = placement;
	return isAt(expected, service) ? `${label}, made many by ${amplifier?.cause}` : `${label} at ${service}`;
}

/** @param {Judged[]} judged @returns {Pair[]} */
function pairsOf(judged) {
	/** @type {Map<string, Pair>} */
	const pairs = new Map();
	for (const { expected, found, right } of judged) {
		const key = `${labelOf(expected)} > ${found}`;
		const pair = pairs.get(key) ?? { expected: labelOf(expected), found, count: 0, right };
		pairs.set(key, { ...pair, count: pair.count + 1 });
	}
	return [...pairs.values()].sort((one, other) => other.count - one.count);
}

/** @type {(fault: Demand, result: Parameters<typeof scoreRun>[0]['result'], judged: Judged[]) => string[]} */
function missesOf(fault, { metrics, ledger, bottleneck, validity }, judged) {
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

/** @param {string[]} values @returns {Record<string, number>} */
function countBy(values) {
	/** @type {Record<string, number>} */
	const counts = {};
	for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}

/** Of a fault's failed requests, as fixed before the self-test was made. */
export const RIGHT_LEAST = 0.95;

/** @param {Pick<Score, 'misses' | 'right' | 'failures'>} score */
export const isRight = ({ misses, right, failures }) => misses.length === 0 && right >= failures * RIGHT_LEAST;

/** Without those of faults that the diagnosis could not be judged by. @param {Score[]} scores */
const judgedOf = (scores) => scores.filter(({ skipped }) => skipped === undefined);

/** @param {Score[]} scores @returns {FaultTotal[]} in the order of their first runs */
export function totalByFault(scores) {
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

/** @param {Score[]} scores */
export function totalOf(scores) {
	const failures = sumOf(scores, 'failures');
	const share = (/** @type {number} */ count) => (failures === 0 ? null : count / failures);
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

/** Of all failed requests, so that what is unattributed is known by nothing. @param {Score[]} scores @param {'where' | 'why'} of @returns {Record<string, number>} */
function basisShares(scores, of) {
	const all = sumOf(scores, 'failures');
	return Object.fromEntries(Object.entries(countsOf(scores, of)).map(([basis, count]) => [basis, all === 0 ? 0 : count / all]));
}

/** @param {Score[]} scores @param {'where' | 'why'} of @returns {Record<string, number>} */
function countsOf(scores, of) {
	/** @type {Record<string, number>} */
	const counts = { proved: 0, timed: 0, counted: 0, inferred: 0 };
	for (const score of scores) for (const [basis, count] of Object.entries(score[of])) counts[basis] += count;
	return counts;
}

/** @param {Score[]} scores @returns {CauseTotal[]} most first */
export function totalByCause(scores) {
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

/** @param {Pair[]} pairs */
function shareRight(pairs) {
	const all = sumOf(pairs, 'count');
	return all === 0
		? null
		: sumOf(
				pairs.filter(({ right }) => right),
				'count',
			) / all;
}

/** What was taken for something else, over all runs. @param {Score[]} scores @returns {Pair[]} most first */
export function confusions(scores) {
	/** @type {Map<string, Pair>} */
	const pairs = new Map();
	for (const pair of scores.flatMap((score) => score.pairs).filter(({ right }) => !right)) {
		const key = `${pair.expected} > ${pair.found}`;
		pairs.set(key, { ...pair, count: pair.count + (pairs.get(key)?.count ?? 0) });
	}
	return [...pairs.values()].sort((one, other) => other.count - one.count);
}

/** @template {string} K @param {Record<K, number>[]} rows @param {K} key */
const sumOf = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0);
