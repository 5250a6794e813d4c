/** Places records on the seconds of the load. */

import { arrivalsBy } from '../../../k6/lib/arrivals.js';
import { scenarios } from '../../catalog/scenarios.ts';
import { aggregateOf, countOf, type Snapshot } from '../../record/k6-requests.ts';
import { sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Window } from './window.ts';

/**
 * The second of the load that a moment ends: 1 is the first.
 * @param t seconds since 1970
 */
export const secondOf = (t: number, window: Window) => Math.round(t - window.from);

/**
 * The same for what is recorded once a second. Where its clock ticks at half seconds, two readings round to one second and none to the
 * next; so all are moved by the same part of a second, the one at which that clock mostly ticks.
 * @param rows of one record
 * @returns the second of each row
 */
export function secondsOf(rows: { t: number }[], window: Window): number[] {
	const phase = phaseOf(rows.map(({ t }) => t - window.from));
	return rows.map(({ t }) => Math.round(t - window.from - phase));
}

/** t_s: the second of the load that it ends */
export type PlacedSnapshot = Snapshot & { t_s: number };

export const placedOn = (snapshots: Snapshot[], window: Window): PlacedSnapshot[] =>
	secondsOf(snapshots, window).map((t_s, index) => ({ ...snapshots[index], t_s }));

/**
 * The mean of angles, a second being the full circle.
 * @returns -0.5 to 0.5
 */
function phaseOf(times: number[]): number {
	const turns = times.map((t) => 2 * Math.PI * t);
	const total = (part: (turn: number) => number) => turns.reduce((sum, turn) => sum + part(turn), 0);
	return Math.atan2(total(Math.sin), total(Math.cos)) / (2 * Math.PI);
}

/** What users asked in each second of the load, and what came of it. */
export type AskedSecond = {
	/** that it ends */
	t_s: number;
	/** answers, with those by which the app says that it has not got what was asked for (409 when all is sold) */
	good: number;
	failed: number;
	/** requests that were sent */
	begun: number;
	/** that waited for an answer at its end */
	waiting: number;
	/** there at its end */
	users: number;
	/** arrivals that were meant to come, or where users wait for answers how many of them were there */
	demand: number;
};

/**
 * @returns in the order of time, those after the load's end too; a second in which k6 itself stood still is none of
 * them. null where the record tells no single request
 */
export function askedSeconds({ raw, snapshots }: Pick<Facts, 'raw' | 'snapshots'>): AskedSecond[] | null {
	if (raw.written === null) return null;
	const { shape, scenario } = raw.manifest;
	const refusals = Object.keys(scenarios[scenario]?.refusals ?? {}).map((status) => `lab_failed_status_${status}`);
	let waiting = 0;
	return snapshots.flatMap((snapshot) => {
		const { t_s } = snapshot;
		if (t_s < 1) return [];
		const [begun, finished] = [countOf(snapshot, 'lab_begun'), countOf(snapshot, 'lab_finished')];
		waiting = Math.max(0, waiting + begun - finished);
		const users = aggregateOf(snapshot, 'vus', 'value') ?? 0;
		const demand = shape.unit !== 'users' ? arrivalsBy(shape, t_s) - arrivalsBy(shape, t_s - 1) : Math.max(users, finished > 0 ? 1 : 0);
		const refused = sum(refusals.map((counter) => countOf(snapshot, counter)));
		const [good, failed] = [countOf(snapshot, 'lab_ok') + refused, countOf(snapshot, 'lab_failed') - refused];
		return [{ t_s, good, failed, begun, waiting, users, demand }];
	});
}
