/** What disturbed a load, and what that did to the service. */

import type { Shape } from '../../k6/lib/shapes.js';
import type { Outage } from '../catalog/outage.ts';
import type { PutFault } from '../options/fault-plan.ts';
import type { FaultEffect, TimelineRow } from '../record/types.js';
import { max, median, present, rounded, sum } from '../stats/numbers.ts';
import type { Raw } from './read-raw.ts';
import { sustainingLoop } from './sustaining-loop.ts';
import { plannedSpans } from './time/stages.ts';

/**
 * What disturbed a load: faults that the user put in (FAULT), hosts of a Swarm that were down or drained, and a surge of the load itself.
 */
/** seconds from the start of the load */
type Disturbance = {
	/** as FAULT takes it, or in words */
	text: string;
	/** why it could not be put in or undone */
	failed: string | null;
	began: number | null;
	ended: number | null;
	/** without the times in which it was being put in and undone; null where none is left */
	inForce: { from: number; to: number } | null;
};

/** @returns in the order of time */
export function disturbancesOf({ faults = [], outages = [], shape, load_began_s: from }: any): Disturbance[] {
	const since = (moment: number | null) => (moment === null ? null : moment - from);
	const put = (faults as PutFault[]).map(({ text, failed, at_s: at, began_s: began, ended_s: ended, in_force_s: inForce }) => ({
		at,
		disturbance: disturbance(
			{ text, failed, began: since(began), ended: since(ended) },
			inForce?.map((moment) => moment - from),
		),
	}));
	const hosts = (outages as Outage[]).map(({ text, began_s: began, ended_s: ended }) => ({
		at: began - from,
		disturbance: disturbance({ text, failed: null, began: since(began), ended: since(ended) }),
	}));
	const surges = surgeOf(shape).map((disturbance) => ({ at: disturbance.began ?? 0, disturbance }));
	return [...put, ...hosts, ...surges].toSorted((one, other) => one.at - other.at).map(({ disturbance }) => disturbance);
}

/** inForce: all of it where nobody read how long its actions took */
function disturbance(given: Omit<Disturbance, 'inForce'>, [from, to]: number[] = [given.began ?? 0, given.ended ?? 0]): Disturbance {
	return { ...given, inForce: given.began !== null && given.ended !== null && from < to ? { from, to } : null };
}

/** It is over when the load is again as it was before. */
function surgeOf(shape: Shape | undefined): Disturbance[] {
	if (shape === undefined) return [];
	const spans = plannedSpans(shape);
	const first = spans.findIndex(({ stage }) => stage.surge);
	if (first < 0) return [];
	const back = spans.find(({ stage }, index) => index > first && !stage.surge && stage.held);
	const { from_s: began, stage } = spans[first];
	const text = `surge to ${stage.target.toLocaleString('en-US')} ${shape.unit === 'rps' ? 'requests a second' : 'users'}`;
	return [disturbance({ text, failed: null, began, ended: back?.from_s ?? null })];
}

/**
 * What the faults that a user put in (FAULT), and the surge of a load that has one, did to the service: how it was before, while each was
 * there, and how soon after it it was as before. Read from the users' side alone; who lost which request is the ledger's to say, which
 * knows nothing of them.
 */
type Row = TimelineRow;

/** Of the good answers a second that there were before. The lab's own choice, as are the times below. */
const RECOVERED_SHARE = 0.9;
/** Seconds in a row in which it has to be so: one good second may be a queue that empties. */
const RECOVERED_S = 3;
/** Seconds before the fault that tell how it was: at most, and at least. */
const BEFORE_MOST_S = 10;
const BEFORE_LEAST_S = 3;
/** A failure is metastable when what set it off is gone and it stays: so long, at the load that was served before. */
const STAYS_DOWN_S = 30;

/** Seconds after its end in which it is asked what came back for good: those of the source (R1 of the claims). */
const LATER_FROM_S = 30;
const LATER_TO_S = 60;

/** Shorter ones are over at once, and have no rate of their own. */
const LASTS_LEAST_S = 0.2;

/**
 * @param raw of each of the disturbances, in their order; nodes:
 * the record of those that users' requests reach
 * @param backlog of a queue at the end of each second of the load; null where there is none
 * @returns in the order of time; none where there was neither fault nor surge
 * @see https://sigops.org/s/conferences/hotos/2021/papers/hotos21-s11-bronson.pdf  metastable: "it persists even after the trigger is removed"
 */
export function faultEffects(
	{ manifest, disturbed, nodes }: { manifest: any; disturbed: Ended[] | null; nodes: Record<string, any[]> },
	timeline: Row[],
	backlog: number[] | null = null,
): FaultEffect[] {
	const disturbances = disturbancesOf(manifest);
	const load = timeline.filter(({ warmup }) => !warmup);
	return disturbances.map((one, index) =>
		effectOf(one, { load, disturbances, manifest, nodes, ended: disturbed?.[index] ?? null, backlog }),
	);
}

/** requests that ended while it was in force; finished: where good ones are not all others */
type Ended = { good: number; failed: number; finished?: number };

/**
 * What ended while each fault or surge was in force. Where a queue takes what users ask for, good are the writes that were done: an accepted
 * one is no good answer.
 * @param doneAt seconds since 1970; null where there is no queue
 */
export function disturbedIn({ manifest, disturbed }: Pick<Raw, 'manifest' | 'disturbed'>, doneAt: number[] | null): Ended[] | null {
	if (doneAt === null || disturbed === null) return disturbed;
	const times = doneAt.map((t) => t - manifest.load_began_s);
	return disturbancesOf(manifest).map(({ inForce }, index) => ({
		good: inForce === null ? 0 : times.filter((t) => t > inForce.from && t <= inForce.to).length,
		failed: disturbed[index].failed,
		finished: disturbed[index].good + disturbed[index].failed,
	}));
}

function effectOf(
	{ text, failed, began, ended, inForce }: Disturbance,
	{
		load,
		disturbances,
		manifest,
		nodes,
		ended: counts,
		backlog,
	}: {
		load: Row[];
		disturbances: Disturbance[];
		manifest: any;
		nodes: Record<string, any[]>;
		ended: Ended | null;
		backlog: number[] | null;
	},
): FaultEffect {
	const none = {
		before: null,
		during: null,
		recovered_after_s: null,
		watched_after_s: null,
		metastable: false,
		loop: null,
		later_rps: null,
		backlog: null,
	};
	if (began === null || ended === null) return { text, began_s: rounded(began, 2), ended_s: rounded(ended, 2), failed, ...none };
	const before = rateBefore(load, began, disturbances);
	const recovered = before === null ? null : recoveredAfter(load, ended, before.goodput_rps);
	const watched = Math.max(0, (load.at(-1)?.t_s ?? 0) - ended);
	const arrivals = arrivalsAsBefore(manifest.shape, began, ended);
	const stays = before !== null && recovered === null && watched >= STAYS_DOWN_S && arrivals !== null;
	const down = { from: ended, to: ended + watched, arrivals: arrivals ?? 0, before_rps: before?.goodput_rps ?? 0 };
	return {
		text,
		began_s: rounded(began, 2),
		ended_s: rounded(ended, 2),
		failed,
		before,
		during: counts && inForce && inForce.to - inForce.from >= LASTS_LEAST_S ? during(counts, inForce.to - inForce.from) : null,
		recovered_after_s: recovered,
		watched_after_s: rounded(watched, 1),
		metastable: stays,
		later_rps: laterRate(load, ended),
		loop: stays ? sustainingLoop({ nodes, load_began_s: manifest.load_began_s }, load, down) : null,
		backlog: backlog === null || before === null ? null : backlogAround(backlog, { began, ended, seconds: before.seconds }),
	};
}

/**
 * Where a queue takes what users ask for, as many are done a second as before though each of them waits: it is as before when no more wait.
 * seconds: before it
 */
function backlogAround(
	backlog: number[],
	{ began, ended, seconds }: { began: number; ended: number; seconds: number },
): FaultEffect['backlog'] {
	const rows = backlog.map((waiting, index) => ({ t_s: index + 1, waiting }));
	const waitingIn = (some: typeof rows) => max(some.map(({ waiting }) => waiting)) ?? 0;
	const before = waitingIn(rows.filter(({ t_s }) => t_s <= began).slice(-seconds));
	return {
		before,
		most: waitingIn(rows.filter(({ t_s }) => t_s > began)),
		at_end: backlog.at(-1) ?? 0,
		recovered_after_s: lastingAfter(rows, ended, ({ waiting }) => waiting <= before),
	};
}

/**
 * Requests that arrive a second, where they are from the end on as many as before the beginning; null where they are not, or nobody knows,
 * as of users who wait for answers.
 */
function arrivalsAsBefore(shape: Shape | undefined, began: number, ended: number): number | null {
	if (shape?.unit !== 'rps') return null;
	const spans = plannedSpans(shape);
	const before = spans.find(({ from_s, to_s, stage }) => stage.held && from_s < began && began <= to_s)?.stage;
	const isAsBefore = spans.filter(({ to_s }) => to_s > ended).every(({ stage }) => stage.held === true && stage.target === before?.target);
	return isAsBefore && before !== undefined ? before.target : null;
}

/** None where another one was still there when it began: it would be how that one had made it. */
function rateBefore(load: Row[], began: number, disturbances: Disturbance[]): FaultEffect['before'] {
	const earlier = disturbances.filter((other) => other.began !== null && other.began < began);
	if (earlier.some(({ ended }) => ended === null || ended >= began)) return null;
	const since = Math.max(0, ...earlier.map(({ ended }) => ended ?? 0));
	const rows = load.filter(({ t_s }) => t_s <= began && t_s - 1 >= since).slice(-BEFORE_MOST_S);
	const rates = present(rows.map(({ goodput_rps: rate }) => rate));
	if (rates.length < BEFORE_LEAST_S) return null;
	return { seconds: rates.length, goodput_rps: rounded(median(rates), 1) ?? 0, failure_rate: shareFailed(rows) };
}

const during: (ended: Ended, seconds: number) => FaultEffect['during'] = ({ good, failed, finished = good + failed }, seconds) => ({
	goodput_rps: rounded(good / seconds, 1) ?? 0,
	failure_rate: finished === 0 ? null : rounded(failed / finished, 5),
});

/**
 * Good answers a second when it has been over for long.
 * null where the load ends too early
 */
function laterRate(load: Row[], ended: number): number | null {
	const rows = load.filter(({ t_s }) => t_s > ended + LATER_FROM_S && t_s <= ended + LATER_TO_S);
	const rates = present(rows.map(({ goodput_rps: rate }) => rate));
	return rates.length < BEFORE_LEAST_S ? null : rounded(median(rates), 1);
}

/** Of those that ended in these seconds; null where none did. */
function shareFailed(rows: Row[]) {
	const finished = sum(present(rows.map(({ throughput_rps: rate }) => rate)));
	return finished === 0 ? null : rounded(sum(present(rows.map(({ failures_per_s: rate }) => rate))) / finished, 5);
}

const recoveredAfter: (load: Row[], ended: number, before: number) => number | null = (load, ended, before) =>
	lastingAfter(load, ended, ({ goodput_rps: rate }) => (rate ?? 0) >= before * RECOVERED_SHARE);

/** @returns from the end until it was so for long enough; null where it was not */
function lastingAfter<Second extends { t_s: number }>(all: Second[], ended: number, isGood: (second: Second) => boolean): number | null {
	const rows = all.filter(({ t_s }) => t_s > ended);
	const first = rows.findIndex((_, index) => index + RECOVERED_S <= rows.length && rows.slice(index, index + RECOVERED_S).every(isGood));
	// Its good second began a second before its number.
	return first < 0 ? null : rounded(Math.max(0, rows[first].t_s - 1 - ended), 1);
}
