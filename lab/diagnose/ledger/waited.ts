/**
 * Failed requests of a user's own system, each placed where following the waiting ends (lab/diagnose/waiting). What the generator itself did wrong, its
 * own error says.
 *
 *
 * @import { Cause, Mechanism } from '../../record/causes.ts'
 * @import { Evidence, WaitingFinding, WireGap } from '../../record/types.js'
 * @import { Followed, Found } from '../waiting/waiting.ts'
 * @import { PlacedTrace } from './ledger.ts'
 * @import { Basis, Facts, Placement, Tier, Trace } from './place.ts'
 */

import { causes, mechanisms } from '../../record/causes.ts';
import { it } from '../../record/titles.ts';
import { percent } from '../../stats/figure-words.ts';
import { ledgerAsks } from '../rules.ts';
import { isTouched } from '../wire-gaps.ts';
import { endOf, placed, tierOf } from './place.ts';

/** What could not connect has no id on the wire: the generator's times of it are so far off at the most. */
const REPORTED_LATE_S = 2;
/** Of the wire's record, what a placement's proof may lack. */
/** @type {WireGap['kind'][]} */
const LOST = ['dropped', 'ended', 'unread'];

/** The cause of what no reason is on record of. */
const UNEXPLAINED = 'unexplained';
const STORES = ['database', 'cache', 'queue'];

/**
 * @param {Pick<WaitingFinding, 'mechanism' | 'is_given_up'>} finding
 * @param {string} tier
 * @param {boolean} isEntry
 * @returns {string} key of the causes
 */
function causeOf({ mechanism, is_given_up: isGivenUp = false }, tier, isEntry) {
	if (mechanism === null && isGivenUp) return isEntry ? 'client-gave-up' : 'upstream-timeout';
	if (mechanism === null) return UNEXPLAINED;
	if (mechanism === 'gone') return endOf(tier);
	if (mechanism === 'refused') return isEntry ? 'refused' : STORES.includes(tier) ? 'database-refused' : 'upstream-refused';
	if (mechanism === 'own-error')
		return tier === 'load-balancer' ? 'balancer-refused' : STORES.includes(tier) ? 'database-error' : 'app-error';
	return mechanisms[/** @type {Mechanism} */ (mechanism)].as ?? mechanism;
}

/**
 * @param {Facts} facts
 * @param {Followed} followed
 * @returns {PlacedTrace[]} each failed request once, in the order of their ends; null where it was not followed
 */
export function placeWaited(facts, followed) {
	const known = facts.raw.program ? failedOnWire(followed, facts.generator.failed) : failedOfGenerator(facts.traces, followed);
	const placementOf = placements(facts);
	const { generator } = ledgerAsks(facts);
	return known.map(({ trace, call, byTime }) => {
		const own = generator(trace);
		if (own) return { trace, placement: own };
		const found = followed.foundOf.get(call);
		if (!found) return { trace, placement: null };
		const placement = placementOf(found);
		return { trace, placement: byTime && placement.where === 'proved' ? { ...placement, where: 'counted' } : placement };
	});
}

/** Tier of what is on no request's way. */
const OBSERVER = 'observer';

/** @param {Facts} facts @returns {(found: Found) => Placement} */
function placements(facts) {
	/** @type {Map<WaitingFinding, Placement>} */
	const known = new Map();
	const { gaps } = facts;
	const make = (/** @type {WaitingFinding} */ finding) => {
		const { place, basis, why_basis: why, chain } = finding;
		const [first] = place.service.split(', ');
		const tierThere = /** @type {string} */ (tierOf(facts, first));
		// What requests are lost at takes part in them, though none is sent to it: a consumer of a queue.
		const tier = tierThere === OBSERVER ? 'app' : tierOf(facts, first);
		const cause = causeOf(finding, tier, facts.entries.has(first));
		const isLost = isTouched(gaps, LOST, ({ from, to }) => chain.some(({ edge }) => edge.from === from && edge.to === to));
		const unproved = (/** @type {Basis} */ one) => (isLost && one === 'proved' ? 'inferred' : one);
		return { ...placed({ tier, service: place.service, cause }, unproved(basis), unproved(why ?? 'inferred')), finding };
	};
	return ({ finding, isLoose }) => {
		const own = known.get(finding) ?? make(finding);
		known.set(finding, own);
		return isLoose ? { ...own, where: 'inferred', why: 'inferred' } : own;
	};
}

/** @typedef {{ trace: Trace, call: number, byTime?: boolean }} Failed  call: to the entry; none has the number -1 */

/**
 * The call to the entry that each failed request is: by its id, which may be known by time alone (joins/named.ts); of connections that came to
 * nothing, which carry none, the next in time.
 * @param {Trace[]} traces @param {Followed} followed @returns {Failed[]}
 */
function failedOfGenerator(traces, { seen, failed }) {
	/** @type {Map<string, number>} */
	const byId = new Map();
	/** @type {number[]} */
	const nameless = [];
	for (const call of failed) {
		const { id } = seen.calls[call];
		if (id === undefined) nameless.push(call);
		// What was sent on to another address carries its id again.
		else byId.set(id, call);
	}
	// What was answered was connected, and is none of those.
	const unknown = traces.filter(({ id, status }) => status === 0 && !byId.has(id));
	// Who gets no answer hears nothing: of when its caller gave up, the wire knows no more than when it last asked.
	const begun = pairedInTime(unknown, ({ t, waited_s: waited }) => t - waited, nameless, seen.began);
	const taken = new Set(begun.values());
	const ended = pairedInTime(
		unknown.filter((trace) => !begun.has(trace)),
		({ t }) => t,
		nameless.filter((call) => !taken.has(call)),
		seen.over,
	);
	return traces.map((trace) => {
		const call = byId.get(trace.id);
		if (call === undefined) return { trace, call: begun.get(trace) ?? ended.get(trace) ?? -1, byTime: true };
		return { trace, call, byTime: seen.calls[call].id_by_time === true };
	});
}

/**
 * @param {Trace[]} traces @param {(trace: Trace) => number} timeOf
 * @param {number[]} calls @param {Float64Array} times  of the calls
 * @returns {Map<Trace, number>} each to the next call of about that time
 */
function pairedInTime(traces, timeOf, calls, times) {
	const inTime = calls.toSorted((one, other) => times[one] - times[other]);
	/** @type {Map<Trace, number>} */
	const paired = new Map();
	let next = 0;
	for (const trace of traces.toSorted((one, other) => timeOf(one) - timeOf(other))) {
		const t = timeOf(trace);
		while (next < inTime.length && times[inTime[next]] < t - REPORTED_LATE_S) next += 1;
		if (next === inTime.length) break;
		if (times[inTime[next]] > t + REPORTED_LATE_S) continue;
		paired.set(trace, inTime[next]);
		next += 1;
	}
	return paired;
}

/**
 * Of a program that makes the load and keeps no list of its requests, those that failed on the wire.
 * @param {Followed} followed @param {number} most  failed by the program's own count @returns {Failed[]}
 */
const failedOnWire = ({ seen, failed }, most) =>
	[...failed]
		.toSorted((one, other) => seen.over[one] - seen.over[other])
		.slice(0, most)
		.map((call) => ({
			trace: {
				...{ id: `call ${call}`, t: seen.over[call], waited_s: seen.over[call] - seen.began[call] },
				...{ status: seen.calls[call].status ?? 0, code: 0, kind: seen.sign[call] },
				...{ seen: null, asked: [], own: [], attempts: [], late: [] },
			},
			call,
		}));

/**
 * @param {WaitingFinding} finding @param {string} cause
 * @returns {Pick<Cause, 'title' | 'ofIt'>} that follows the place, which may be several containers
 */
export function titleOf({ mechanism, title, chain, place, log }, cause) {
	const isOne = !place.service.includes(', ');
	const says = log === undefined || log.words === '' ? null : saysText(log, isOne);
	// What stands for each of them in its own words is said first.
	if (mechanism !== null) {
		if (says !== null || !isOne) return { title: [...(says === null ? [] : [says]), `${isOne ? 'it' : 'each'} ${title}`].join('; ') };
		return it(title ?? '');
	}
	const last = chain.at(-1);
	// It was found beside the way.
	if (last !== undefined && !place.service.split(', ').includes(last.service)) {
		if (says !== null) return { title: says };
		if (title !== null) return it(title);
	}
	const unknown = [says, title].filter((text) => text !== null).join('; ') || causes[UNEXPLAINED].title;
	if (last !== undefined && cause === UNEXPLAINED) return { title: `${last.said}; ${unknown}` };
	const { title: own, ofIt } = causes[cause];
	return ofIt === undefined ? { title: `${own}; ${unknown}` } : it(`${ofIt}; ${unknown}`);
}

/** @param {NonNullable<WaitingFinding['log']>} log @param {boolean} isOne */
const saysText = ({ words, is_each: isEach }, isOne) =>
	`${isOne ? 'its log says' : 'their logs say'} ${isEach ? 'each time' : 'while requests failed, and never in calm seconds'}: “${words}”`;

/** @param {WaitingFinding} finding @returns {Evidence[]} a line of the log for each of them, the way, what was read there, and doubts */
export function readingsOf({ chain, evidence, doubts, log }) {
	const first = log?.is_each ? 1 : 0;
	return [...evidence.slice(0, first), ...chain.map(hopText), ...evidence.slice(first), ...doubts.map((doubt) => `Doubt: ${doubt}.`)].map(
		(text) => ({ kind: 'reading', text }),
	);
}

/** @type {Record<WaitingFinding['chain'][number]['by'], string>} */
const BY = {
	request: '',
	id: 'joined by id',
	order: 'joined by order',
	within: 'each within its request',
	count: 'as many were answered well as such requests were, and none is left for these',
	waiting: 'where they waited',
	before: 'tried before, and not since',
	push: 'they waited for a message, no call was open',
};

/** @param {WaitingFinding['chain'][number]} hop */
function hopText({ edge: { from, to }, said, failed, good, by }) {
	if (by === 'request') return `${from} → ${to}: ${said}.`;
	const shares =
		failed === null
			? []
			: [`with ${percent(failed)} of the failed requests${good === null ? '' : ` and ${percent(good)} of the good ones`}`];
	return `${from} → ${to}: ${said} (${[...shares, BY[by]].join(', ')}).`;
}
