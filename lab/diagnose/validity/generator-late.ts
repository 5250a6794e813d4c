/**
 * How late the generator's users woke. What an iteration took beyond its request and its think time is the generator's own: it had other
 * users to serve, or no CPU. An answer that it reads comes to it in the same way as the end of a sleep.
 */

import { aggregateOf, countOf } from '../../record/k6-requests.ts';
import { sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { thinkTimeOf } from '../time/user-time.ts';
import type { Span } from './grade.ts';

/** Go's network poller, by which k6 waits, rounds up to milliseconds (runtime/netpoll_epoll.go): a sleep ends so much late on a free machine too. */
const POLLER_MS = 1;

/**
 * Of scenarios of which an iteration is one request.
 * @returns milliseconds an iteration, the poller's rounding left out; null without a reading
 */
export function generatorLateMs({ raw, snapshots }: Facts, { from_s, to_s }: Span): number | null {
	const inside = snapshots.filter(({ t_s }) => t_s > from_s && t_s <= to_s);
	const [iterations, requests] = ['iterations', 'lab_finished'].map((counter) => sum(inside.map((row) => countOf(row, counter))));
	if (iterations === 0 || requests === 0) return null;
	const spent = (metric: string, counter: string) =>
		sum(inside.map((row) => (aggregateOf(row, metric, 'avg') ?? 0) * countOf(row, counter)));
	const thought = inside.some(({ metrics }) => metrics.lab_think_s)
		? sum(inside.map((row) => countOf(row, 'lab_think_s'))) / iterations
		: thinkTimeOf(raw);
	const own = spent('iteration_duration', 'iterations') / iterations - spent('lab_latency_all', 'lab_finished') / requests - thought * 1000;
	return Math.max(0, own - POLLER_MS);
}
