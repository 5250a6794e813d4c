/**
 * Whether a service had closed a connection before it read the request that was sent on it. That its log has no line of the request says so
 * where the log has each that it reads; two things beside the log may contradict it.
 */

import type { Attempt } from '../../adapters/attempt.ts';
import type { Raw } from '../read-raw.ts';
import { type Counters, type Increments, incrementsOf } from './counters.ts';
import { AROUND_S } from './place.ts';

/** What a service counted of requests that it had read and gave no answer, and has no line of, as counters know it. */
const unloggedAt = (node: string) => `${node} broke off unlogged`;
/**
 * A kernel resets a connection on which something came that nobody read. A client that finds its connection closed at once may send nothing
 * on it any more, so that there are fewer resets than requests; but where there is none at all, all that came was read.
 */
const RESETS = 'OutRsts';
/** Times of which readings tell how many it reset, as counters know them. */
const resetsReadAt = (service: string) => `${service} resets read`;
/** Both are counted once a second. */
const COUNTED_EVERY_S = 1;

/**
 * @param closed a connection for a request that a
 * service with a log of requests has no line of; late: what was read after the user had stopped waiting
 * @returns false where it may have read it
 */
export function isUnread(
	counters: Counters,
	{ service, late, from, to }: { service: string; late: Attempt[]; from: number; to: number },
): boolean {
	if (late.some(({ node }) => node === service)) return false;
	if (counters.take(unloggedAt(service), from - COUNTED_EVERY_S, to + COUNTED_EVERY_S)) return false;
	// A reset from before the first reading is in it, and no rise tells of it.
	const isCounted = counters.rose(resetsReadAt(service), from - COUNTED_EVERY_S, from);
	return !isCounted || counters.rose(`${service} ${RESETS}`, from - AROUND_S, to + COUNTED_EVERY_S);
}

/** What is asked beside logs of requests. */
export function besideLogs({ nodes, kernel }: Pick<Raw, 'nodes' | 'kernel'>, attempts: Raw['attempts']): Increments {
	const readings: Map<string, { t: number; value: number }[]> = new Map();
	for (const { name, t, counters } of kernel) {
		const own = readings.get(name) ?? [];
		readings.set(name, own);
		if (counters?.[RESETS] !== undefined) own.push({ t, value: own.length });
	}
	const read = [...readings].map(([name, own]) => [resetsReadAt(name), incrementsOf(own)]);
	return { ...unloggedIncrements(nodes, attempts), ...Object.fromEntries(read) };
}

/** A request that came without an id is counted, and so is one whose line was lost. */
function unloggedIncrements(nodes: Raw['nodes'], attempts: Raw['attempts']): Increments {
	const broken = [...attempts.values()].flat().filter(({ outcome }) => outcome === 'broken');
	return Object.fromEntries(
		Object.entries(nodes).map(([name, rows]) => {
			const ends = broken.flatMap(({ node, ended }) => (node === name && ended !== null ? [ended] : [])).sort((one, other) => one - other);
			return [unloggedAt(name), incrementsOf(unlogged(rows, ends))];
		}),
	);
}

/** How many more were counted than are in the log, from reading to reading. */
function unlogged(rows: any[], ends: number[]): { t: number; value: number }[] {
	let counted = 0;
	let before = 0;
	let logged = 0;
	let most = 0;
	return rows.map(({ t, aborted }) => {
		const now = aborted ?? before;
		// A process that was started again counts anew.
		counted += now < before ? now : now - before;
		before = now;
		while (logged < ends.length && ends[logged] <= t) logged += 1;
		// A line may lie on the other side of a reading than its count.
		most = Math.max(most, counted - logged);
		return { t, value: most };
	});
}
