/** Waits, after the load, for a queue to be worked off: what was accepted is not done before. */

import { setTimeout as wait } from 'node:timers/promises';
import { adapterOf } from '../../adapters/registry.ts';
import { containerOf } from '../../docker/ask-container.ts';
import type { Service } from '../../docker/containers.ts';

const LOOK_EVERY_MS = 1000;
/** A backlog that does not fall for so long has nobody who works on it. */
const STUCK_LOOKS = 15;
/** So is one that never told how much is in it: nobody has said what to ask it for. */
const SILENT_LOOKS = 5;
/** The published load leaves less than a minute's work. */
const MOST_LOOKS = 180;

/** What the manifest says of it. */
type Drained = {
	/** messages in the queue when the waiting ended; null where it could not be asked */
	left: number | null;
	/** when that was, seconds since 1970 */
	ended_s: number;
};

/**
 * @returns null where there is no queue that can be asked; ends when it is empty, when nobody works on it, or
 * after three minutes
 */
export async function drainQueue(
	stack: Service[],
	{
		say,
		signal,
		everyMs = LOOK_EVERY_MS,
		open = containerOf,
	}: { say: (text: string) => void; signal: AbortSignal; everyMs?: number; open?: typeof containerOf },
): Promise<Drained | null> {
	const queue = stack.find(({ tier }) => tier === 'queue');
	const backlog = adapterOf(queue?.product ?? '')?.backlog;
	if (queue === undefined || backlog === undefined) return null;
	const container = open(queue);
	let left = null as number | null;
	let least = Number.POSITIVE_INFINITY;
	let stuck = 0;
	const isStuck = () => stuck >= (Number.isFinite(least) ? STUCK_LOOKS : SILENT_LOOKS);
	for (let looks = 0; looks < MOST_LOOKS && !isStuck() && !signal.aborted; looks += 1) {
		left = await backlog(container).catch(() => null);
		if (left === 0) break;
		if (looks === 0 && left !== null)
			say(
				`the load has ended with ${left.toLocaleString('en-US')} in the queue; waiting for them to be done, for ${MOST_LOOKS / 60} minutes at most`,
			);
		stuck = left !== null && left < least ? 0 : stuck + 1;
		least = Math.min(least, left ?? least);
		await wait(everyMs, undefined, { signal }).catch(() => {});
	}
	return { left, ended_s: Date.now() / 1000 };
}
