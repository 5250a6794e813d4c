/**
 * Did it wait for the address of a name, or was it told none? A lookup stands on the wire where the engine's own resolver asks others for it;
 * what that resolver answers by itself, its sockets alone tell of.
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { upTo } from '../../stats/numbers.ts';
import { HOST, NAMES } from '../../wire/tenancy.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD, once } from './seen.ts';
import { equalTime, isNarrow, share } from './spread.ts';
import type { Basis, Of, Step, Why } from './step.ts';
import { areOthersQuick, CALM_LEAST, calmAt, EVERY_S, slownessOf } from './step.ts';
import { counted, ended, percent, seconds, tookText } from './text.ts';
import { tell } from './writing.ts';

/**
 * Was it a host outside of the stack that a service waited for? Nothing of such a host is read, so that the way ends there: the place is the
 * service that asked, on that edge.
 *
 */

/** Nothing came back for these. */
export const SILENT = new Set(['given-up', 'unanswered', 'open']);

/** The walk has come to a host outside. */
export function outside(step: Of<'caller' | 'calm' | 'equal_s' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign'>): Why | null {
	const { seen, service, caller, failed, sign, equal_s: equal } = step;
	// A port that this machine publishes may lead back into the stack.
	if (!seen.outside.has(service) || caller === GENERATOR_NAME || seen.calleesOf(service).length > 0) return null;
	const whom = `${service === HOST ? 'this machine' : service}, outside of the stack`;
	const isSilent = SILENT.has(sign);
	const slow = slownessOf({ seen, service: caller, moments: step.moments, calm: step.calm }, service);
	const place = { service: caller, edge: { from: caller, to: service } };
	const said = `${counted(failed.length)} calls of ${caller} to ${service} were ${ended(sign)}${equal === null ? '' : `, each after ${seconds(equal)}`}.`;
	const evidence = [said, tookText(service, slow), `${service} is no container of the stack: why it did so is not on record.`];
	if (sign !== GOOD && !isSilent)
		return { mechanism: 'outside-failed', title: `had its calls to ${whom}, ${ended(sign)}`, basis: besideGood(step), place, evidence };
	const isKnown = slow.isCalm && !slow.isSlower && !isSilent;
	return {
		mechanism: 'outside-slow',
		title: `waited for ${whom}`,
		basis: isKnown ? 'inferred' : isSilent ? besideGood(step) : 'timed',
		place,
		evidence,
		...(isKnown ? { doubts: [`${service} took no longer than in calm seconds`] } : {}),
	};
}

/** What no call was spared of may be usual there. */
const besideGood = ({ good }: Of<'good'>): Basis => (good.length < GOOD_LEAST ? 'inferred' : 'counted');

/** Of the failed: an answer has to be that of most of them. */
const MOST = 0.5;
/** Of the share among the failed. */
const GOOD_PART = 1 / 3;
/** A lookup that takes so long was not answered by the first that was asked, or by nobody near. */
const SLOW_LOOKUP_S = 0.5;
/** Lookups that wait at a time, as a middle: a quick one is seldom met by a reading once a second. */
const LOOKUPS_LEAST = 1;
const LOOKUPS_TIMES = 3;
const NAMES_SHOWN = 3;

/** The walk has come to whom names are asked of, outside of the stack; one within it is a service like others. */
export function lookupFailed(step: Of<'caller' | 'calm' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign'>): Why | null {
	const { seen, service, caller, failed, sign } = step;
	if (!seen.outside.has(service)) return null;
	const lookups = failed.filter((call) => isLookup(seen, call));
	if (lookups.length <= failed.length * MOST) return null;
	if (sign === GOOD && !slownessOf({ seen, service: caller, moments: step.moments, calm: step.calm }, service).isSlower) return null;
	return { ...whyOf(step, caller, lookups), basis: besideGood(step), place: { service: caller, edge: { from: caller, to: service } } };
}

/** Requests stood in a service, or it failed them by itself, while a lookup of it went wrong within most of them, and within few good ones. */
export function nameUnanswered(
	step: Of<'calm' | 'failed' | 'good' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'time' | 'took_s'>,
): Why | null {
	const { seen, service, failed, good, time, calm } = step;
	const bad = badLookups(seen, service);
	if (bad.length === 0) return null;
	const begins = bad.map((call) => seen.began[call]);
	const hasOne = (call: number) => upTo(begins, seen.over[call]) > upTo(begins, seen.began[call]);
	const part = share(failed.filter(hasOne).length, failed.length);
	const goodPart = good.length < GOOD_LEAST ? null : share(good.filter(hasOne).length, good.length);
	if (part < MOST || (goodPart ?? 0) > part * GOOD_PART) return null;
	// What goes on at the same pace in calm seconds lies in whatever takes long.
	const isCalm = calmAt(calm);
	const [still, during] = [begins.filter(isCalm), begins.filter((at) => at >= time.from && at <= time.to && !isCalm(at))];
	const pace = during.length / Math.max(time.to - time.from, EVERY_S);
	if (calm.length >= CALM_LEAST && still.length / (calm.length * EVERY_S) > pace * GOOD_PART) return null;
	const isLifted = goodPart !== null || calm.length >= CALM_LEAST;
	const theirs = bad.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to);
	// Fewer than the failed lie in what takes long by chance, unless all wait for the same.
	if (theirs.length < failed.length * MOST && areOthersQuick(step)) return null;
	const why = whyOf(step, service, theirs);
	return {
		...why,
		basis: isLifted ? 'counted' : 'inferred',
		place: { service },
		evidence: [
			...why.evidence,
			`One lies in ${percent(part)} of the failed requests${goodPart === null ? '' : ` and in ${percent(goodPart)} of the good ones`}.`,
		],
		...(isLifted
			? {}
			: { doubts: ['no request succeeded and no second was calm, so it is not known whether lookups also fail without this trouble'] }),
	};
}

export function nearlyUnanswered({ seen, service, failed, good }: Of<'failed' | 'good' | 'seen' | 'service'>): string | null {
	const begins = badLookups(seen, service).map((call) => seen.began[call]);
	const partOf = (calls: number[]) =>
		share(calls.filter((call) => upTo(begins, seen.over[call]) > upTo(begins, seen.began[call])).length, calls.length);
	const part = partOf(failed);
	if (!isNarrow(part, MOST) || partOf(good) > part * GOOD_PART) return null;
	return `a lookup of a name went wrong within ${percent(part)} of the failed requests; ${percent(MOST)} would count`;
}

/** In the order of their beginnings. */
const badLookups = once((seen, service) =>
	seen
		.madeBy(service)
		.filter((call) => isLookup(seen, call) && (seen.sign[call] !== GOOD || seen.over[call] - seen.began[call] >= SLOW_LOOKUP_S)),
);

/**
 * What the engine's own resolver answers, or does not, is on no network: there the sockets tell, which wait for it. So they do where a service has no
 * time to read what it was answered.
 */
export function lookupsWaiting({ readings, service, moments, calm }: Of<'calm' | 'moments' | 'service', 'strain'>): Why | null {
	const now = readings.strain(service, moments).lookups;
	const before = calm.length < CALM_LEAST ? null : readings.strain(service, calm).lookups;
	if (now === null || now < LOOKUPS_LEAST || (before !== null && before * LOOKUPS_TIMES > now)) return null;
	return {
		mechanism: 'name-unanswered',
		title: 'waited for names to be looked up',
		basis: before === null ? 'inferred' : 'timed',
		evidence: [
			`${counted(now)} lookups of names of ${service} waited for an answer at a time${before === null ? '' : `, and ${counted(before)} in calm seconds`}.`,
			'They were asked of a resolver within its own network namespace, whose answers are not on record.',
		],
		...(before === null ? { doubts: ['no second of the load was calm, so that its usual lookups are not known'] } : {}),
	};
}

const isLookup = (seen: Step['seen'], call: number) => seen.lineOf(call)?.connection.protocol === NAMES;

function whyOf({ seen }: Of<'seen'>, asker: string, lookups: number[]): Pick<Why, 'mechanism' | 'title' | 'evidence'> {
	const ways = [...grouped(lookups, (call) => JSON.stringify([seen.calls[call].template, seen.sign[call]])).values()]
		.toSorted((one, other) => other.length - one.length)
		.slice(0, NAMES_SHOWN);
	const [most] = ways;
	const { [most[0]]: sign } = seen.sign;
	const way = SILENT.has(sign) ? 'silent' : sign === GOOD ? 'waited' : 'ended';
	return {
		mechanism: 'name-unanswered',
		title: tell('name-unanswered', 'title', { sign, way, name: seen.calls[most[0]].template }),
		evidence: ways.map((calls) => {
			const [call] = calls;
			const after = equalTime(calls.map((one) => seen.over[one] - seen.began[one]));
			return `${counted(calls.length)} lookups of ${seen.calls[call].template} by ${asker} at ${seen.to[call]} were ${ended(seen.sign[call])}${after === null ? '' : `, after ${seconds(after)}`}.`;
		}),
	};
}
