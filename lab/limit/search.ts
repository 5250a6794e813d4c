/**
 * Which level of load a search for a limit tries next, and when it is enough. Pure. The level is doubled until one breaks, or halved until one
 * holds; then the middle of the last that held and the first that broke is tried, on a geometric scale; then these two again, in turns. The
 * search goes on around a level with runs of either kind.
 */

import { LabError } from '../base/errors.ts';

/**
 * isGenerator: of one that is unclear, because the
 *   generator did not make the load
 */
export type Tried = { level: number; verdict: 'held' | 'broke' | 'unclear'; isGenerator?: boolean };

/** repeats: further runs at either side */
export type Bounds = { first: number; most: number; repeats: number };

export type End = 'found' | 'all-held' | 'all-broke' | 'unclear' | 'late' | 'failed' | 'interrupted';

/** all runs up to low held, and all from high on broke */
type Edge = { low: number | null; high: number | null };

/** Levels that are nearer to each other are one: machines serve a tenth more or less from run to run. */
export const RATIO = 1.1;
const FACTOR = 2;
/** A run that says nothing is made once more. */
const UNCLEAR_MOST = 2;

const levelsOf: (tried: Tried[], verdict: Tried['verdict']) => number[] = (tried, verdict) =>
	tried.filter((one) => one.verdict === verdict).map(({ level }) => level);

export function edgeOf(tried: Tried[]): Edge {
	const [held, broke] = [levelsOf(tried, 'held'), levelsOf(tried, 'broke')];
	const low = Math.max(...held.filter((level) => broke.every((other) => level < other)));
	const high = Math.min(...broke.filter((level) => held.every((other) => level > other)));
	return { low: Number.isFinite(low) ? low : null, high: Number.isFinite(high) ? high : null };
}

function nextLevel(tried: Tried[], { first, most, repeats }: Bounds): number | End {
	const stuck = tried.at(-1);
	if (stuck?.verdict === 'unclear' && !stuck.isGenerator)
		return levelsOf(tried, 'unclear').filter((level) => level === stuck.level).length < UNCLEAR_MOST ? stuck.level : 'unclear';
	const unmade = Math.min(...tried.filter(({ isGenerator }) => isGenerator).map(({ level }) => level));
	const broke = levelsOf(tried, 'broke');
	const all = [...levelsOf(tried, 'held'), ...broke];
	const { low, high } = edgeOf(tried);
	if (all.length === 0) return Math.min(first, most, Math.floor(unmade / FACTOR)) || 'unclear';
	const again = (...levels: number[]) => {
		const runsAt = (level: number) => all.filter((one) => one === level).length;
		const [least] = levels.toSorted((one, other) => runsAt(one) - runsAt(other));
		return runsAt(least) <= repeats ? least : null;
	};
	const [bottom, top] = [Math.min(...all), Math.max(...all)];
	if (high === null) {
		const higher = Number.isFinite(unmade) ? middleOf(top, unmade) : top < most ? Math.min(top * FACTOR, most) : null;
		return higher ?? again(top) ?? 'all-held';
	}
	if (low === null) return bottom > 1 ? Math.floor(bottom / FACTOR) : (again(bottom) ?? 'all-broke');
	const held = all.filter((level) => level < high);
	return middleOf(low, Math.min(...broke)) ?? middleOf(Math.max(...held), high) ?? again(low, high) ?? 'found';
}

/** null where they are near enough */
function middleOf(low: number, high: number): number | null {
	const inside = Math.min(Math.max(Math.round(Math.sqrt(low * high)), low + 1), high - 1);
	return high > low * RATIO && inside > low ? inside : null;
}

/**
 * How sure it is that the level of which half of the runs break is between the two: by chance it would hold so often in one of 2^repeats
 * searches, and break as often. The first run at each chose it, and counts for nothing.
 */
export const confidenceOf = (repeats: number) => Math.max(0, 1 - 2 ** (1 - repeats));

/** Runs that a search is likely to take: four to raise it, three between two of them, and those again. */
export const runsOf = (repeats: number) => 7 + 2 * repeats;

/**
 * @param given measure: null where it was
 * interrupted; run: from 1; isLate: no further run is to be begun
 * @returns failure: why a run could not be made, after others had been
 * @throws {LabError} when the first one cannot
 */
export async function runSearch<T extends Tried>({
	bounds,
	measure,
	isLate,
}: {
	bounds: Bounds;
	measure: (level: number, run: number) => Promise<T | null>;
	isLate: () => boolean;
}): Promise<{ tried: T[]; end: End; failure?: string }> {
	const tried: T[] = [];
	for (;;) {
		const next = nextLevel(tried, bounds);
		if (typeof next === 'string') return { tried, end: next };
		if (isLate()) return { tried, end: 'late' };
		let made: T | null;
		try {
			made = await measure(next, tried.length + 1);
		} catch (error) {
			if (tried.length === 0 || !(error instanceof LabError)) throw error;
			return { tried, end: 'failed', failure: error.message.split('\n')[0] };
		}
		if (made === null) return { tried, end: 'interrupted' };
		tried.push(made);
	}
}
