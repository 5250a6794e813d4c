/**
 * Did it turn away whoever was more than it takes? It said so with a code, or closed further connections while as many were open as ever.
 */

import { grouped } from '../../base/values.ts';
import { ascending, before } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { GOOD, type Line, once } from './seen.ts';
import { average, CLOCK_S, lastBefore, middle, share, spread, stateAt, within } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { counted, things } from './text.ts';
import { type Said, tell, type Worded } from './writing.ts';

/** Ends of what came on a connection that its server did not keep. */
const CLOSED = new Set(['unasked', 'closed', 'reset']);
/** Of the failed: an answer has to be that of most of them. */
const MOST = 0.5;
/** Who keeps one connection serves one caller after the other. */
const SLOTS_LEAST = 2;
/** Of the number that is kept: a connection that is being closed counts on one side already. */
const NEAR_SHARE = 0.05;
const [LOW, HIGH] = [0.1, 0.99];
/** Of the share of the failed that came when it was full, so much of the connections that it took. */
const GOOD_PART = 1 / 3;
/** Of those that it closed when it was full, so many that it took: one ends as another comes. */
const TAKEN_PART = 0.1;
/** What stands for so long is kept: who is not wanted is closed sooner (TURNED_AWAY_S in seen.ts). */
const KEPT_S = 1;
const LOOKED_AT_MOST = 400;

type Slots = {
	/** connections that it kept when the failed came, and never more */
	count: number;
	/** those that it made itself are among them */
	isOfBoth: boolean;
	/** share of the failed that came when so many were kept */
	full: number;
	/** of the connections that it took */
	goodFull: number;
	/** it took one again, when fewer were kept, after the first had failed */
	isGivenBack: boolean;
};

/**
 * It closed connections, or what came first on them, while it kept as many as ever, whoever had asked for those; and took others when it kept fewer.
 */
export function slotsTaken(step: Of<'failed' | 'moments' | 'seen' | 'service'>): Why | null {
	const { seen, failed, service } = step;
	const closed = failed.filter((call) => CLOSED.has(seen.sign[call])).length;
	const slots = closed > failed.length * MOST ? slotsOf(step) : null;
	if (slots === null) return null;
	return {
		mechanism: 'slots-taken',
		title: `kept ${things(slots.count, 'connection')} open, as many as it takes${slots.isOfBoth ? ' with those that it made itself' : ''}, and closed further ones`,
		basis: slots.isGivenBack ? 'counted' : 'inferred',
		evidence: [`${service} closed ${counted(closed)} connections as soon as they came.`, ...slotsText(service, slots), ...takersText(step)],
		...(slots.isGivenBack
			? {}
			: { doubts: [`${service} took no further connection after that: whether it had taken one if fewer had been open is not known`] }),
	};
}

/**
 * @param step whose service left them in its accept queue
 * @returns how many it had answered on meanwhile, if those were as many as it takes
 */
export function answeredText(step: Of<'failed' | 'seen' | 'service'>): Worded[] {
	const slots = slotsOf(step, answeredBy);
	return slots ? slotsText(step.service, slots) : [];
}

const slotsText = (service: string, { count, isOfBoth, full, goodFull }: Slots) => [
	tell('slots-taken', 'kept', { service, count, isOfBoth, full, goodFull }),
];

/** @returns null where others were taken when as many were kept, or its number is not the same */
function slotsOf({ seen, service, failed }: Of<'failed' | 'seen' | 'service'>, takenOf: typeof takenBy = takenBy): Slots | null {
	const { lineOf } = seen;
	const first = failed.filter((call) => lineOf(call)?.calls[0] === call || seen.isAttempt(call));
	if (first.length <= failed.length * MOST) return null;
	const came = opened(first.flatMap((call) => lineOf(call) ?? []));
	const { kept, closed } = takenOf(seen, service);
	const made = seen.calleesOf(service).flatMap((to) => seen.lines(service, to).filter(isTcp));
	const about = { came, begun: opened(kept), closed };
	return limitOf(about, new Open(kept), false) ?? (made.length === 0 ? null : limitOf(about, new Open([...kept, ...made]), true));
}

/** @param about when connections came: the failed ones, all that it took, and all that it did not */
function limitOf(
	{ came, begun, closed }: { came: number[]; begun: number[]; closed: number[] },
	open: Open,
	isOfBoth: boolean,
): Slots | null {
	const found = some(came, LOOKED_AT_MOST).map((at) => open.before(at));
	const count = Math.round(middle(found));
	const near = Math.round(NEAR_SHARE * count);
	const first = came.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
	const atTaken = begun.map((at) => open.before(at));
	if (count < SLOTS_LEAST || spread(found, LOW) < count - near || spread(atTaken, HIGH) + 1 > count + Math.max(1, near)) return null;
	const isFull = (one: number) => one >= count;
	const [full, taken] = [share(found.filter(isFull).length, found.length), atTaken.filter(isFull).length];
	const goodFull = share(taken, atTaken.length);
	const turnedAway = closed.filter((at) => isFull(open.before(at))).length;
	if (goodFull > full * GOOD_PART || taken > turnedAway * TAKEN_PART) return null;
	return { count, isOfBoth, full, goodFull, isGivenBack: begun.some((at, place) => at > first && !isFull(atTaken[place])) };
}

/** How many were open just before a moment. */
class Open {
	#begun;
	#ended;

	constructor(lines: Line[]) {
		this.#begun = ascending(lines.map(({ connection }) => connection.opened_at));
		this.#ended = ascending(lines.flatMap(({ connection: { ended_at: at } }) => at ?? []));
	}

	before(at: number) {
		return before(this.#begun, at - CLOCK_S) - before(this.#ended, at - CLOCK_S);
	}
}

const isTcp = ({ connection }: Line) => connection.transport === 'tcp';

/** @returns when each came */
const opened = (lines: Line[]): number[] => lines.map(({ connection }) => connection.opened_at);

/** Connections on which a service answered well, and when others came. */
const answeredBy = once((seen, service) => parted(seen, service, ({ calls }) => calls.some((call) => seen.sign[call] === GOOD)));

/** Connections that a service took, and when others came. It took those on which it answered well, or that it let stand. */
const takenBy = once((seen, service) => {
	const isKept = ({ calls, connection: { opened_at: at, accepted_at: accepted, ended_at: ended } }: Line) =>
		accepted !== null &&
		(calls.some((call) => seen.sign[call] === GOOD) || ((ended ?? seen.until) - at > KEPT_S && !calls.some(seen.isAttempt)));
	return parted(seen, service, isKept);
});

function parted(seen: Step['seen'], service: string, isKept: (line: Line) => boolean) {
	const all = seen.linesTo(service).filter(isTcp);
	return { kept: all.filter(isKept), closed: opened(all.filter((line) => !isKept(line))) };
}

/** @returns title, with who else has most of what there is */
export function turnedAwayTitle(step: Of<'failed' | 'moments' | 'seen' | 'service'>, sign: string): Worded {
	const { rows, total } = takersOf(step);
	const [most] = rows;
	// Whom nobody asks takes no part in requests.
	const isOther = most !== undefined && step.seen.servedBy(most.client).length === 0 && most.count > total / 2;
	if (isOther) return tell('turned-away', 'keeper', { sign, client: most.client, count: most.count, total });
	const slots = slotsOf(step);
	const left = most !== undefined && isLeft(most) ? { client: most.client, count: most.left } : null;
	return tell('turned-away', 'connections', { sign, slots: slots?.count ?? null, left });
}

/** @returns how many connections it kept, and whose */
export function keptText(step: Of<'failed' | 'moments' | 'seen' | 'service'>): Said[] {
	const slots = slotsOf(step);
	return [...(slots ? slotsText(step.service, slots) : []), ...takersText(step)];
}

/** @returns none or a sentence */
function takersText(step: Of<'moments' | 'seen' | 'service'>): string[] {
	const { rows } = takersOf(step);
	if (rows.length === 0) return [];
	return [
		`Connections open at ${step.service} then: ${rows
			.slice(0, TAKERS_SHOWN)
			.map((row) => `${counted(row.count)} of ${row.client}${isLeft(row) ? `, which asks nothing more on ${counted(row.left)}` : ''}`)
			.join(', ')}.`,
	];
}
const TAKERS_SHOWN = 4;

/** left: of its connections, those that it uses no more though it opens others */
type Taker = { client: string; count: number; left: number };

/** A pool keeps some that it seldom needs. */
const isLeft = ({ count, left }: Taker) => left >= LEFT_LEAST && left >= count * LEFT_SHARE;
const LEFT_LEAST = 5;
const LEFT_SHARE = 0.5;

/**
 * Who had its connections open, at the moments of the failed.
 * @returns the most first
 */
function takersOf({ seen, service, moments }: Of<'moments' | 'seen' | 'service'>): { rows: Taker[]; total: number } {
	const at = some(moments, MOMENTS_MOST);
	// Who uses one no more opens as many others at the least.
	const latest = new Map(
		[...grouped(seen.linesTo(service), ({ from }) => from)].map(([client, lines]) => [
			client,
			ascending(opened(lines)).at(-LEFT_LEAST) ?? 0,
		]),
	);
	const rows = [...grouped(takenBy(seen, service).kept, ({ from }) => from)].flatMap(([client, lines]) => {
		const [open, left] = [at.map(() => 0), at.map(() => 0)];
		for (const line of lines) {
			const last = line.calls.at(-1);
			// It opened, or was refused, a later one when it could have asked on this.
			const isOutlived =
				last !== undefined &&
				// What it has from its start on is a pool.
				line.connection.opened_at >= seen.load.warmupFrom &&
				seen.over[last] + OUTLIVED_S < Math.min(latest.get(client) ?? 0, line.connection.ended_at ?? seen.until);
			for (const index of within(line, at)) {
				open[index] += 1;
				if (isOutlived && seen.over[last] < at[index]) left[index] += 1;
			}
		}
		const count = Math.round(average(open));
		return count > 0 ? [{ client, count, left: Math.round(average(left)) }] : [];
	});
	return { rows: rows.toSorted((one, other) => other.count - one.count), total: rows.reduce((sum, { count }) => sum + count, 0) };
}
const MOMENTS_MOST = 100;
/** Who opens one for each request closes it a while after its last use. */
const OUTLIVED_S = 5;

/**
 * Who keeps connections open that it had been answered on and asks nothing on, at the moments of the failed.
 * @returns who keeps most first; count: at most moments;
 * open: at each of some of them
 */
export function keepersOf({
	seen,
	service,
	moments,
}: Of<'moments' | 'seen' | 'service'>): { client: string; count: number; open: number[]; lines: Line[] }[] {
	const at = some(moments, MOMENTS_MOST);
	return [...grouped(seen.linesTo(service), ({ from }) => from)]
		.map(([client, all]) => {
			const open = at.map(() => 0);
			const lines = all.filter((line) => {
				const places = within(line, at).filter((index) => isIdleAfterUse(seen, line, at[index]));
				for (const index of places) open[index] += 1;
				return places.length > 0;
			});
			return { client, count: Math.round(middle(open)), open, lines };
		})
		.filter(({ lines }) => lines.length > 0)
		.toSorted((one, other) => other.count - one.count);
}

function isIdleAfterUse(seen: Step['seen'], line: Line, at: number) {
	if (stateAt(seen, line, at) !== 'idle') return false;
	const last = lastBefore(seen, line, at);
	return last !== null && seen.calls[last].end === 'answered';
}
