/** The time that a rule looks at: the whole load, or one of its stages. And what a record says of it. */

import type { Stage } from '../../record/types.js';
import { lastBefore } from '../time/increments.ts';
import type { Window } from '../time/window.ts';
import type { Span } from './grade.ts';

export const wholeLoad = ({ from, to }: Window): Span => ({ from_s: 0, to_s: to - from, stage: null });

export const eachStage = (stages: Stage[]): Span[] => stages.map(({ from_s, to_s }, stage) => ({ from_s, to_s, stage }));

/**
 * The first and the last reading of counters over a span: what they gained in between is the span's, give or take the time
 * between two readings.
 * @param rows in the order of time
 * @returns null without two of them
 */
export function endsOf<Row extends { t: number }>(
	rows: Row[],
	window: Window,
	{ from_s, to_s }: Span,
): { first: Row; last: Row; elapsed: number } | null {
	const [from, to] = [window.from + from_s, window.from + to_s];
	const last = lastBefore(rows, to);
	const first = lastBefore(rows, from) ?? rows.find(({ t }) => t > from);
	return first && last && last.t > first.t ? { first, last, elapsed: last.t - first.t } : null;
}

/**
 * The longest time within a span from one line of a record to the next.
 * @param rows in the order of time
 * @returns seconds, those before and after the span included
 */
export function longestGap(rows: { t: number }[], window: Window, { from_s, to_s }: Span): number {
	const [from, to] = [window.from + from_s, window.from + to_s];
	const inLoad = rows.map(({ t }) => t).filter((t) => t > window.from && t < window.to);
	const times = [window.from, ...inLoad, window.to];
	return Math.max(0, ...times.slice(1).flatMap((t, index) => (t > from && times[index] < to ? [t - times[index]] : [])));
}
