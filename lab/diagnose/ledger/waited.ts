/**
 * Failed requests of a user's own system, each placed where following the waiting ends (lab/diagnose/waiting). What the generator itself did wrong, its
 * own error says.
 */

import type { Cause, Mechanism } from '../../record/causes.ts';
import { causes, mechanisms } from '../../record/causes.ts';
import { it } from '../../record/titles.ts';
import type { Evidence, WaitingFinding, WireGap } from '../../record/types.js';
import { percent } from '../../stats/figure-words.ts';
import { ledgerAsks } from '../rules.ts';
import { GOOD } from '../waiting/seen.ts';
import { ended } from '../waiting/text.ts';
import type { Followed, Found } from '../waiting/waiting.ts';
import { isTouched } from '../wire-gaps.ts';
import type { PlacedTrace } from './ledger.ts';
import type { Basis, Facts, Placement, Trace } from './place.ts';
import { endOf, placed, tierOf } from './place.ts';

/** What could not connect has no id on the wire: the generator's times of it are so far off at the most. */
const REPORTED_LATE_S = 2;
/** Of the wire's record, what a placement's proof may lack. */
const LOST: WireGap['kind'][] = ['dropped', 'ended', 'unread'];

/** The cause of what no reason is on record of. */
const UNEXPLAINED = 'unexplained';
const STORES = ['database', 'cache', 'queue'];

/** @returns key of the causes */
function causeOf(
	{ mechanism, is_given_up: isGivenUp = false }: Pick<WaitingFinding, 'mechanism' | 'is_given_up'>,
	tier: string,
	isEntry: boolean,
): string {
	if (mechanism === null && isGivenUp) return isEntry ? 'client-gave-up' : 'upstream-timeout';
	if (mechanism === null) return UNEXPLAINED;
	if (mechanism === 'gone') return endOf(tier);
	if (mechanism === 'refused') return isEntry ? 'refused' : STORES.includes(tier) ? 'database-refused' : 'upstream-refused';
	if (mechanism === 'own-error')
		return tier === 'load-balancer' ? 'balancer-refused' : STORES.includes(tier) ? 'database-error' : 'app-error';
	return mechanisms[mechanism as Mechanism].as ?? mechanism;
}

/** @returns each failed request once, in the order of their ends; null where it was not followed */
export function placeWaited(facts: Facts, followed: Followed): PlacedTrace[] {
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

function placements(facts: Facts): (found: Found) => Placement {
	const known: Map<WaitingFinding, Placement> = new Map();
	const { gaps } = facts;
	const make = (finding: WaitingFinding) => {
		const { place, basis, why_basis: why, chain } = finding;
		const [first] = place.service.split(', ');
		const tierThere = tierOf(facts, first) as string;
		// What requests are lost at takes part in them, though none is sent to it: a consumer of a queue.
		const tier = tierThere === OBSERVER ? 'app' : tierOf(facts, first);
		const cause = causeOf(finding, tier, facts.entries.has(first));
		const isLost = isTouched(gaps, LOST, ({ from, to }) => chain.some(({ edge }) => edge.from === from && edge.to === to));
		const unproved = (one: Basis) => (isLost && one === 'proved' ? 'inferred' : one);
		return { ...placed({ tier, service: place.service, cause }, unproved(basis), unproved(why ?? 'inferred')), finding };
	};
	return ({ finding, isLoose }) => {
		const own = known.get(finding) ?? make(finding);
		known.set(finding, own);
		return isLoose ? { ...own, where: 'inferred', why: 'inferred' } : own;
	};
}

/** call: to the entry; none has the number -1 */
type Failed = { trace: Trace; call: number; byTime?: boolean };

/**
 * The call to the entry that each failed request is: by its id, which may be known by time alone (joins/named.ts); of connections that came to
 * nothing, which carry none, the next in time.
 */
function failedOfGenerator(traces: Trace[], { seen, failed }: Followed): Failed[] {
	const byId: Map<string, number> = new Map();
	const nameless: number[] = [];
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
 * @param times of the calls
 * @returns each to the next call of about that time
 */
function pairedInTime(traces: Trace[], timeOf: (trace: Trace) => number, calls: number[], times: Float64Array): Map<Trace, number> {
	const inTime = calls.toSorted((one, other) => times[one] - times[other]);
	const paired: Map<Trace, number> = new Map();
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
 * @param most failed by the program's own count
 */
const failedOnWire = ({ seen, failed }: Followed, most: number): Failed[] =>
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

/** @returns that follows the place, which may be several containers */
export function titleOf({ mechanism, title, chain, place, log }: WaitingFinding, cause: string): Pick<Cause, 'title' | 'ofIt'> {
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
	if (last !== undefined && cause === UNEXPLAINED) return { title: `${endText(last)}; ${unknown}` };
	const { title: own, ofIt } = causes[cause];
	return ofIt === undefined ? { title: `${own}; ${unknown}` } : it(`${ofIt}; ${unknown}`);
}

/** That it answered is nothing that was wrong with it. */
const endText = ({ by, said }: WaitingFinding['chain'][number]) =>
	by === 'waiting' && said === ended(GOOD) ? 'requests waited for its answers' : said;

const saysText = ({ words, is_each: isEach, is_first: isFirst = false }: NonNullable<WaitingFinding['log']>, isOne: boolean) =>
	`${isOne ? 'its log says' : 'their logs say'} ${isEach ? 'each time' : isFirst ? 'from the first failure on' : 'while requests failed, and never in calm seconds'}: “${words}”`;

/** @returns a line of the log for each of them, the way, what was read there, and doubts */
export function readingsOf({ chain, evidence, doubts, log }: WaitingFinding): Evidence[] {
	const first = log?.is_each ? 1 : 0;
	return [...evidence.slice(0, first), ...chain.map(hopText), ...evidence.slice(first), ...doubts.map((doubt) => `Doubt: ${doubt}.`)].map(
		(text) => ({ kind: 'reading', text }),
	);
}

const BY: Record<WaitingFinding['chain'][number]['by'], string> = {
	request: '',
	id: 'calls matched by id',
	order: 'calls matched by time',
	within: 'each within its request',
	count: 'as many were answered well as such requests were, and none is left for these',
	waiting: 'where they waited',
	before: 'tried before, and not since',
	push: 'they waited for a message, no call was open',
};

function hopText({ edge: { from, to }, said, failed, good, by }: WaitingFinding['chain'][number]) {
	if (by === 'request') return `${from} → ${to}: ${said}.`;
	const share =
		failed === null
			? ''
			: `, for ${percent(failed)} of the failed requests${good === null ? '' : ` and ${percent(good)} of the good ones`}`;
	return `${from} → ${to}: ${said}${share} (${BY[by]}).`;
}
