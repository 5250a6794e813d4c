/** Did it begin to answer, and not end it? Who says that more comes than it sends keeps its caller waiting for the rest. */

import { middle } from './spread.ts';
import { besideOf, type Of, type Why } from './step.ts';
import { FEW } from './why-limit.ts';
import { tell } from './writing.ts';

/** Of the failed, and of the time that each took. */
const UNENDED_SHARE = 0.9;
const SILENT_PART = 0.5;

export function unended({
	seen,
	service,
	caller,
	failed,
	good,
	sign,
	time,
}: Of<'caller' | 'failed' | 'good' | 'seen' | 'service' | 'sign' | 'time'>): Why | null {
	const { began, over, calls, lineOf } = seen;
	const silentOf = (call: number) => over[call] - (lineOf(call)?.connection.last_at ?? over[call]);
	const isUnended = (call: number) =>
		calls[call].by === 'client' && calls[call].first_at !== null && silentOf(call) >= SILENT_PART * (over[call] - began[call]);
	const own = failed.filter(isUnended);
	if (sign !== 'cut' || own.length < UNENDED_SHARE * failed.length) return null;
	const beside = besideOf({ seen, good, time });
	const silent = middle(own.map(silentOf));
	const begun = middle(own.map((call) => (calls[call].first_at ?? 0) - began[call]));
	const whole = beside.map((call) => over[call] - began[call]);
	return {
		mechanism: 'unended',
		title: tell('unended', 'title', { caller, silent }),
		basis: beside.length < FEW ? 'inferred' : 'counted',
		evidence: [
			tell('unended', 'begun', { service, caller, count: own.length, begun, silent }),
			...(beside.length < FEW ? [] : [tell('unended', 'whole', { count: beside.length, took: middle(whole) })]),
		],
		doubts: [tell('unended', 'unknown', {})],
	};
}
