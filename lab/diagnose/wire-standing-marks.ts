/**
 * What happened meanwhile: the first failure, when nobody was answered well any more, what ended, stood still and came back, limits as they were
 * reached.
 */

import type { Onset, TimelineRow, WireStanding } from '../record/types.js';
import { rounded } from '../stats/numbers.ts';
import type { Facts } from './ledger/facts.ts';
import { sustained } from './limits/hurt.ts';
import { HAD_ENDED, type Saturation } from './limits/saturations.ts';
import type { Standing } from './waiting/standing.ts';

/** Of each kind; the first. */
const EVENTS_MOST = 12;
const LIMITS_MOST = 4;

const HAPPENED: Record<string, string> = { die: 'ended', oom: 'out of memory', start: 'started', pause: 'paused', unpause: 'went on' };

/**
 * @param reached saturations: on the timeline's seconds, each told at its end
 * @returns in the order of time
 */
export function standingMarks(
	standing: Standing,
	facts: Facts,
	{ saturations, timeline, onset }: { saturations: Saturation[]; timeline: TimelineRow[]; onset: Onset | null },
): WireStanding['marks'] {
	const seconds = timeline.map(({ t_s }) => t_s);
	return [...onsetMarks(standing, onset), ...eventMarks(facts), ...limitMarks(saturations, seconds)].toSorted(
		(one, other) => one.t_s - other.t_s,
	);
}

/** The onset is the headline's, of whole seconds; a first failure within its second is that of the stop. */
function onsetMarks({ step_s: step, failed }: Standing, onset: Onset | null): WireStanding['marks'] {
	const mark = (t_s: number, text: string) => ({ t_s, kind: 'onset' as const, text });
	const first = failed.findIndex((count) => count > 0);
	const failing = first < 0 ? [] : [mark(first * step, 'first failure')];
	if (onset === null) return failing;
	const { from_s: from } = onset;
	if (first >= 0 && Math.abs(first * step - from) < 1) return [mark(from, 'first failure, from here on no success')];
	return [...failing, mark(from, 'from here on no success')];
}

/** @returns of the system alone */
function eventMarks({ raw, window, tiers, observers }: Facts): WireStanding['marks'] {
	const isOwn = (name: string) => tiers.has(name) && tiers.get(name) !== 'generator' && !observers.includes(name);
	return raw.events
		.filter(({ t, name, action }) => action in HAPPENED && isOwn(name) && t >= window.from && t <= window.to)
		.slice(0, EVENTS_MOST)
		.map(({ t, name, action }) => ({ t_s: rounded(t - window.from, 1) ?? 0, kind: 'event', text: `${name} ${HAPPENED[action]}` }));
}

/** Of what ended the events tell. */
function limitMarks(saturations: Saturation[], seconds: number[]): WireStanding['marks'] {
	return saturations
		.filter(({ what }) => what !== HAD_ENDED)
		.flatMap(({ name, what, reached }) => {
			const [at] = sustained([...reached.keys()].filter((index) => seconds[index] > 0 && reached[index] === true));
			return at === undefined ? [] : [{ t_s: seconds[at] - 1, kind: 'limit', text: `${name}: ${what}` } as const];
		})
		.toSorted((one, other) => one.t_s - other.t_s)
		.slice(0, LIMITS_MOST);
}
