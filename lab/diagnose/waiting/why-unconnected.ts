/** Had it no connection to ask on? Who keeps a pool opens connections beside requests, which wait for one: none of them has a bad call. */

import { askedBy, GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { kindsOf, share } from './spread.ts';
import type { Of, Why } from './step.ts';
import { counted, percent } from './text.ts';
import { SOME_SHARE } from './why-tried-before.ts';

/** Of the moments at which they stood there, in which it may have had one, and of the failed, that may have asked on one. */
const CONNECTED_MOST = 0.1;
/** Attempts: one may be what ended anyway. */
const ATTEMPTS_LEAST = 2;

export function unconnected({
	seen,
	service,
	failed,
	good,
	moments,
	path,
	time,
}: Of<'failed' | 'good' | 'moments' | 'path' | 'seen' | 'service' | 'time'>): Why | null {
	const { began, sign, to: toOf } = seen;
	const askingOf = (calls: number[], to: string) =>
		share(calls.filter((call) => seen.childrenOf(call).some((child) => toOf[child] === to && !seen.isAttempt(child))).length, calls.length);
	for (const to of askedBy(seen, service, kindsOf(seen, failed)).filter((name) => !path.includes(name))) {
		if (askingOf(failed, to) > CONNECTED_MOST || (good.length >= GOOD_LEAST && askingOf(good, to) < SOME_SHARE)) continue;
		const used = seen.lines(service, to).filter(({ calls }) => calls.some((call) => sign[call] === GOOD && !seen.isAttempt(call)));
		const isOpen = (at: number) =>
			used.some(({ connection: { opened_at: from, ended_at: until } }) => from <= at && (until ?? Number.POSITIVE_INFINITY) > at);
		const part = share(moments.filter(isOpen).length, moments.length);
		// After the last that came up until then: what failed before it tells nothing of these.
		const opened = used.map(({ connection }) => connection.opened_at).filter((at) => at < time.from);
		const since = opened.reduce((latest, at) => Math.max(latest, at), Number.NEGATIVE_INFINITY);
		const tried = seen.onEdge(service, to).filter((call) => seen.isAttempt(call) && began[call] > since && began[call] <= time.to);
		if (used.length === 0 || part > CONNECTED_MOST || tried.length < ATTEMPTS_LEAST || !tried.some((call) => began[call] >= time.from))
			continue;
		return {
			...{ mechanism: null, basis: 'inferred', onTo: to, tried },
			evidence: [
				`${service} had no connection to ${to} at ${percent(1 - part)} of the moments at which requests were waiting in it; it tried ${counted(tried.length)} times to open one, without success.`,
			],
		};
	}
	return null;
}
