/** Connections that a callee turned away: which requests they failed, where the joins cannot tell. */

import { upTo } from '../../stats/numbers.ts';
import type { Bound, Such } from './asked.ts';
import { matchedLines } from './one-to-one.ts';
import type { Seen } from './seen.ts';
import { GOOD } from './seen.ts';
import { endsOf, kindsOf, share } from './spread.ts';

/** Of the failed, so many need one of their own. The lab's own choice, as for rare calls (asked.ts). */
const WITHIN_SHARE = 0.8;

/**
 * Who cannot connect for a request fails it, and sends nothing by which the joins could tell whose it was. As many connections were turned away as
 * calls failed in the service, each within the life of one: these are why.
 * @returns null where they are fewer or more, or may be of those that went well
 */
export function turnedAwayEach(seen: Seen, service: string, { to, sign, calls, failed, goods }: Such): Bound | null {
	if (!calls.every(seen.isAttempt)) return null;
	const { began, over } = seen;
	const asking = kindsOf(seen, failed);
	const times = Float64Array.from(calls, (call) => over[call]).sort();
	const isThen = (call: number) => over[call] >= began[calls[0]] && began[call] <= times[times.length - 1];
	const served = seen.servedBy(service).filter(isThen);
	const lost = served.filter((call) => seen.sign[call] !== GOOD);
	const well = served.filter((call) => seen.sign[call] === GOOD);
	const [ends, ...good] = [lost, well, well.filter((call) => asking.has(seen.kind[call]))].map((some) => endsOf(seen, some));
	if (matchedLines(times, ends, good)?.each !== 1) return null;
	const matched = withinEach(seen, lost, calls);
	const own = new Set(failed);
	const theirs = new Map([...matched].filter(([request]) => own.has(request)));
	const part = share(theirs.size, failed.length);
	if (part < WITHIN_SHARE) return null;
	const none = goods.length === 0 ? null : 0;
	return {
		to,
		sign,
		matched: theirs,
		calls: calls.length,
		by: 'within',
		failed: part,
		good: none,
		back: share(matched.size, calls.length),
	};
}

/**
 * One call for each request that it lies in, the last that is free; those that were over first choose first.
 * @param calls as they began
 */
export function withinEach({ began, over }: Seen, requests: number[], calls: number[]): Map<number, number> {
	const begins = calls.map((call) => began[call]);
	const used = new Set();
	const matched: Map<number, number> = new Map();
	for (const request of requests.toSorted((one, other) => over[one] - over[other])) {
		for (let at = upTo(begins, over[request]) - 1; at >= 0 && begins[at] >= began[request]; at -= 1) {
			if (used.has(at) || over[calls[at]] > over[request]) continue;
			used.add(at);
			matched.set(request, calls[at]);
			break;
		}
	}
	return matched;
}

/** A connection is turned away once, whatever had been sent on it by then: of its attempts one that was joined counts, or the first. */
export function withoutRepeated({ isAttempt, lineOf, joins }: Seen, calls: number[]): number[] {
	const ofLine: Map<unknown, number> = new Map();
	for (const call of calls) {
		const line = isAttempt(call) ? lineOf(call) : undefined;
		if (line === undefined) continue;
		const known = ofLine.get(line);
		if (known === undefined || (joins.parent[known] < 0 && joins.parent[call] >= 0)) ofLine.set(line, call);
	}
	return calls.filter((call) => !isAttempt(call) || lineOf(call) === undefined || ofLine.get(lineOf(call)) === call);
}
