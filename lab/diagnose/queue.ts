/**
 * What became of the writes that a queue had taken when the user was told that they were accepted: done, failed, still there, or lost.
 * Everything is read by the requests' ids from the logs of those who put them in and of those who took them out; what is left in the queue
 * the queue itself says, and what is stored the database.
 */

import type { Attempt } from '../adapters/attempt.ts';
import type { Queue, TimelineRow } from '../record/types.js';
import { max, quantile, rounded } from '../stats/numbers.ts';
import { isWhole } from './damage.ts';
import type { DatabaseFacts } from './database-rows.ts';
import type { Facts } from './ledger/facts.ts';
import type { Raw } from './read-raw.ts';
import type { Window } from './time/window.ts';

/** of the whole run; warm-up included */
export type Queued = {
	/** services that take out of the queue */
	workers: string[];
	/** what the nodes logged of requests that they accepted, by id */
	put: Map<string, Attempt[]>;
	/** what the workers logged of what they took, by id */
	taken: Map<string, Attempt[]>;
};

/** HTTP: accepted, and not done yet (RFC 9110, 15.3.3). */
const ACCEPTED = 202;
const DONE = 200;
/** Documents are counted before the answer says how many there are: milliseconds, of a database that has nothing else to do. */
const COUNTED_WITHIN_S = 0.5;

/**
 * Services that a queue hands its messages to: they work for no request that waits. Only the lab's own programs keep the record that
 * follows a write; of others, which have a product, nothing is said here.
 */
export function workersOf({
	edges = [],
	services = [],
}: {
	edges?: { from: string; to: string }[];
	services?: { name: string; tier: string; product?: string }[];
}): string[] {
	const isQueue = (name: string) => services.some((service) => service.name === name && service.tier === 'queue');
	const isOwn = (name: string) => services.some((service) => service.name === name && service.product === undefined);
	return edges.filter(({ from, to }) => isQueue(from) && isOwn(to)).map(({ to }) => to);
}

/** The records of nodes, without those of workers behind a queue. */
export const nodesThatUsersReach = ({ nodes, queued }: Pick<Raw, 'nodes' | 'queued'>) =>
	Object.fromEntries(Object.entries(nodes).filter(([name]) => !queued?.workers.includes(name)));

/** @returns null where no queue takes what users ask for */
export function queueOf({ raw, window, database }: Facts): Queue | null {
	const { queued, manifest } = raw;
	if (queued === null) return null;
	const accepted = acceptedIn(queued.put, window);
	const taken = accepted.map(({ id, t }) => ({ t, work: queued.taken.get(id)?.at(-1) ?? null }));
	const ended = (status: number) => taken.filter(({ work }) => work?.outcome === 'answered' && work.status === status);
	const done = ended(DONE).map(({ t, work }) => ({ t, ended: work?.ended ?? 0 }));
	const left = manifest.drained?.left ?? null;
	// One that is given back, to be tried again, has not ended.
	const failed = taken.filter(({ work }) => work?.outcome === 'answered').length - done.length;
	const lags = done.map(({ t, ended: end }) => Math.max(0, end - t) * 1000).sort((one, other) => one - other);
	// What is not in a damaged record may be there all the same.
	const stored = isWhole(raw) ? storedOf(queued, window, database) : null;
	const lost = lostOf({ accepted: accepted.length, failed, left, stored });
	const completed = lost === null ? done.length : accepted.length - failed - (left ?? 0) - lost;
	const bySecond = backlogOf(taken, window);
	const last = max(done.map(({ ended: end }) => end)) ?? 0;
	return {
		accepted: accepted.length,
		completed,
		completed_in_load: done.filter(({ ended: end }) => end <= window.to).length,
		failed,
		left,
		lost,
		unlogged: Math.max(0, completed - done.length),
		lag_ms: {
			p50: rounded(quantile(lags, 0.5), 0),
			p95: rounded(quantile(lags, 0.95), 0),
			p99: rounded(quantile(lags, 0.99), 0),
			max: rounded(lags.at(-1), 0),
		},
		backlog: bySecond.map(({ waiting }) => waiting),
		oldest_s: bySecond.map(({ oldest }) => rounded(oldest, 1) ?? 0),
		drained_after_s: left === 0 && done.length > 0 ? rounded(Math.max(0, last - window.to), 1) : null,
	};
}

/**
 * Of the load.
 * in the order of time
 */
export const acceptedIn: (put: Queued['put'], window: Window) => { id: string; t: number }[] = (put, window) =>
	[...put]
		.flatMap(([id, attempts]) => {
			const first = attempts.find(({ status }) => status === ACCEPTED);
			return first !== undefined && first.received >= window.from ? [{ id, t: first.ended ?? first.received }] : [];
		})
		.sort((one, other) => one.t - other.t);

/**
 * Writes that were accepted in the warm-up and not done by a moment.
 * @param moment at: seconds since 1970
 */
export const leftByWarmup = ({ put, taken }: Queued, { window, at }: { window: Window; at: number }) =>
	[...put].filter(
		([id, attempts]) =>
			attempts.some(({ received, status }) => received < window.from && status === ACCEPTED) &&
			(taken.get(id)?.at(-1)?.ended ?? Number.POSITIVE_INFINITY) > at,
	).length;

/** Documents that the load's accepted writes left; null where it is not known which are theirs. */
function storedOf(queued: Queued, window: Window, { documents, answered }: DatabaseFacts): number | null {
	// Counted at the end, and not what its counter of inserts says: that is lost with it. From this answer on.
	const from = answered.findLast((t) => t <= window.from) ?? window.from;
	// While others are written nobody knows which of them were counted.
	return leftByWarmup(queued, { window, at: from - COUNTED_WITHIN_S }) === 0 ? documents : null;
}

/** What is neither in the queue, nor stored, nor known to have failed. */
const lostOf: (counts: { accepted: number; failed: number; left: number | null; stored: number | null }) => number | null = ({
	accepted,
	failed,
	left,
	stored,
}) => (left === null || stored === null ? null : Math.max(0, accepted - failed - left - stored));

/** At the end of each second of the load: how many had been accepted and not been taken, and how long ago the oldest of them was. */
function backlogOf(taken: { t: number; work: Attempt | null }[], window: Window): { waiting: number; oldest: number }[] {
	const seconds = Math.ceil(window.to - window.from);
	const waits = taken.map(({ t, work }) => ({ from: t, to: work?.received ?? Number.POSITIVE_INFINITY }));
	return Array.from({ length: seconds }, (_, index) => {
		const at = window.from + index + 1;
		const waiting = waits.filter(({ from, to }) => from <= at && to > at);
		return { waiting: waiting.length, oldest: waiting.length === 0 ? 0 : at - waiting[0].from };
	});
}

/**
 * When writes were done, by the workers' log.
 * @returns seconds since 1970, the warm-up's too; null where no queue takes what users ask for
 */
export const doneTimes = (queued: Queued | null): number[] | null =>
	queued &&
	[...queued.taken.values()].flatMap((attempts) =>
		attempts.flatMap(({ outcome, status, ended }) => (outcome === 'answered' && status === DONE && ended !== null ? [ended] : [])),
	);

/**
 * The timeline with the writes that were done in each second in the place of those that were accepted: an accepted one is no good answer.
 */
export function withCompleted(timeline: TimelineRow[], doneAt: number[] | null, window: Window) {
	if (doneAt === null) return timeline;
	const done = new Map();
	for (const t of doneAt) {
		const second = Math.ceil(t - window.from);
		done.set(second, (done.get(second) ?? 0) + 1);
	}
	return timeline.map((row) => (row.warmup ? row : { ...row, goodput_rps: done.get(row.t_s) ?? 0 }));
}
