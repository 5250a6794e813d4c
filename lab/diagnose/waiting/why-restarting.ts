/**
 * A server that ends its workers after so many requests, and starts others, says so each time: as such it is no trouble. Where all are being
 * started at once, nobody takes connections. Its lines tell by how many of them come together.
 */

import { type Mechanism, mechanisms } from '../../record/causes.ts';
import { upTo } from '../../stats/numbers.ts';
import type { End } from './follow.ts';
import { withoutMasks } from './logs.ts';
import { middle, share, spread } from './spread.ts';
import type { Why } from './step.ts';
import { percent, things } from './text.ts';
import type { About } from './words.ts';

export const RESTARTING: Mechanism = 'workers-restarting';
/** A worker that was started so long ago may still be loading its program. */
const LOADING_S = 2;
/** Of the failed: that many have as many lines. */
const RESTARTED_SHARE = 0.9;
/** Of spans of calm seconds that end at one moment: that part may have as many. The lab's own choice, as for lines (saying.ts). */
const CALM_PART = 1 / 3;
const CALM_LEAST = 10;

/** @returns the same, unless its workers were being started */
export function restarting({ seen, calm, logOf }: About, end: End): End {
	const { failed, place, why } = end;
	const log = why.mechanism === null && why.isQueued ? logOf(place.service) : null;
	const line = log?.templates.find(({ phrase }) => phrase?.cause === RESTARTING);
	if (!log || !line || log.part > 1 || calm.length < CALM_LEAST) return end;
	const linesIn = (from: number, to: number) => upTo(line.times, to) - upTo(line.times, from - LOADING_S);
	const started = Math.floor(
		spread(
			failed.map((call) => linesIn(seen.began[call], seen.over[call])),
			1 - RESTARTED_SHARE,
		),
	);
	const lasted = middle(failed.map((call) => seen.over[call] - seen.began[call]));
	const asMany = share(calm.filter((at) => linesIn(at - lasted, at) >= started).length, calm.length);
	if (started < 1 || asMany > CALM_PART) return end;
	const text = `Its log has ${things(started, 'line')} or more for each of them, from ${LOADING_S} s before it began until it was over; as many for ${percent(asMany)} of such times in calm seconds: “${withoutMasks(line.quote)}”`;
	return { ...end, evidence: [...end.evidence, text], why: { ...why, ...reported(RESTARTING), basis: 'timed' } };
}

/** @param found by the walk */
export function reported(cause: Mechanism, place?: End['place'], found?: Why['mechanism']): Pick<Why, 'mechanism' | 'title'> {
	const title = `${mechanisms[cause].predicate}${outcomeOf(cause, found)}`;
	const to = place?.edge?.from === place?.service && OF_WORKERS.has(cause) ? place?.edge?.to : undefined;
	return { mechanism: cause, title: to === undefined ? title : `${title}, while they waited for ${to}` };
}

/** What came of it. */
function outcomeOf(cause: Mechanism, found: Why['mechanism'] = null): string {
	if (found === 'gone') return ', and ended';
	return isBusyWith(cause, found) ? ', and was busy, as it is while it collects garbage' : '';
}
export const isBusyWith = (cause: Mechanism, found: Why['mechanism']) =>
	cause === 'heap-full' && (found === 'busy' || found === 'cpu-throttled');
const OF_WORKERS: Set<Why['mechanism']> = new Set(['worker-timeout', 'worker-killed']);
