/**
 * Does it go on with connections that a callee has closed? Who keeps them hands a dead one out again, and fails without asking anybody.
 */

import { ascending, upTo } from '../../stats/numbers.ts';
import { askedBy } from './asked.ts';
import { GOOD, once } from './seen.ts';
import { equalTime, kindsOf, share } from './spread.ts';
import type { Of, Why } from './step.ts';
import { counted, ended, percent, seconds, things } from './text.ts';
import { isUnasked } from './why-own.ts';

/** Of the failed. */
const LACKING_SHARE = 0.9;
/** Failed ones among requests of the time in which none is missing, as a part of those of the time in which one is. */
const WHOLE_PART = 0.1;
/** Each connection is handed out once in so many requests for each; fewer are handed out in no turn. */
const ROUNDS = 2;
const ROUND_LEAST = 10;

export function deadConnections(
	step: Of<'asked' | 'failed' | 'good' | 'good_s' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>,
): Why | null {
	const { seen, service, failed } = step;
	if (!isUnasked(step)) return null;
	const callees = askedBy(seen, service, kindsOf(seen, failed));
	return callees.map((to) => deadOf(step, to)).find((why) => why !== null) ?? null;
}

function deadOf(
	{ seen, service, failed, good, asked, sign, time }: Of<'asked' | 'failed' | 'good' | 'seen' | 'service' | 'sign' | 'time'>,
	to: string,
): Why | null {
	const { closed, silent, opened, isOpen } = keptOf(seen, service, to);
	const { began } = seen;
	if (closed.length === 0) return null;
	const replacedAt = (at: number) => upTo(opened, at) - upTo(opened, closed[0]);
	const isLacking = (call: number) => upTo(closed, began[call]) > replacedAt(began[call]);
	const [failedThen, goodThen] = [failed.filter(isLacking), good.filter(isLacking)];
	if (failedThen.length < LACKING_SHARE * failed.length) return null;
	const whole = share(failed.length - failedThen.length, failed.length - failedThen.length + good.length - goodThen.length);
	if (whole > WHOLE_PART * share(failedThen.length, failedThen.length + goodThen.length)) return null;
	const first = failedThen.reduce((least, call) => Math.min(least, began[call]), Number.POSITIVE_INFINITY);
	const kinds = kindsOf(seen, failed);
	const isEarlier = (call: number) => began[call] < first && seen.sign[call] === GOOD && kinds.has(seen.kind[call]);
	const before = seen.servedBy(service).filter((call) => isEarlier(call) && isLacking(call)).length;
	if (before > Math.max(ROUND_LEAST, ROUNDS * (closed.length + opened.length))) return null;
	const alone = share(failed.filter((call) => !isOpen(began[call])).length, failed.length);
	const [lost, again] = [upTo(closed, time.to), replacedAt(time.to)];
	const idle = equalTime(silent);
	return {
		mechanism: 'dead-connections',
		title: `${ended(sign)} without asking ${to}, which had closed ${counted(lost)} of its connections${idle === null ? '' : `, each after ${seconds(idle)} in which nothing was sent`}; ${again === 0 ? 'none' : counted(again)} ${again > 1 ? 'were' : 'was'} opened in their place`,
		basis: alone >= LACKING_SHARE ? 'counted' : 'inferred',
		place: { service, edge: { from: service, to } },
		evidence: [
			`${to} closed ${things(lost, 'connection')} of ${service}, which opened ${again === 0 ? 'none' : counted(again)} after the first of these.`,
			...(idle === null
				? []
				: [
						`It closed each ${seconds(idle)} after its last answer on it: a limit of ${to} for idle connections, which ${service} keeps for longer.`,
					]),
			`${service} made calls for ${percent(asked.failed)} of the failed requests, and for ${percent(asked.good ?? 0)} of the good requests; ${percent(whole)} of such requests failed while no connection was missing.`,
			...(alone >= LACKING_SHARE ? [`No connection of ${service} to ${to} was open when they failed.`] : []),
		],
	};
}

/** Connections on which something was said: when the callee closed them, and when those of the edge were opened. */
const keptOf = once((seen, from, to) => {
	const lines = seen.lines(from, to).filter(({ connection }) => connection.transport === 'tcp' && connection.accepted_at !== null);
	const ends = lines.filter(
		({ calls, connection: { by, ended_at: at, answered_at: answered } }) =>
			(calls.length > 0 || answered !== null) && by === 'server' && at !== null,
	);
	const opened = ascending(lines.map(({ connection }) => connection.opened_at));
	const over = ascending(lines.flatMap(({ connection: { ended_at: at } }) => (at === null ? [] : [at])));
	return {
		silent: ends.flatMap(({ calls, connection: { ended_at: at } }) => {
			const last = calls.at(-1);
			return last === undefined ? [] : [(at as number) - seen.over[last]];
		}),
		closed: ascending(ends.map(({ connection }) => connection.ended_at as number)),
		opened,
		isOpen: (at: number) => upTo(opened, at) > upTo(over, at),
	};
});
