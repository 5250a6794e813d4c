/**
 * Counters that can decide where a failure belongs: what the kernel, the balancer or the database counted, and when. A failure is placed by a counter only
 * where the counter rose in its time, and never more failures than it counted.
 */

/** by how much a counter rose between two readings; seconds since 1970 */
export type Increment = { from: number; to: number; left: number };

/** by a name such as `app-1 ListenOverflows` */
export type Increments = Record<string, Increment[]>;

/**
 * How a counter rose from reading to reading.
 * @param readings in the order of time
 * @returns times in which it did not rise are left out; a counter that fell began anew
 */
export function incrementsOf(readings: { t: number; value: number | null | undefined }[]): Increment[] {
	const known = readings.filter(({ value }) => typeof value === 'number');
	return known.slice(1).flatMap(({ t, value }, index) => {
		const before = known[index];
		const gained = Number(value) - Number(before.value);
		const left = gained < 0 ? Number(value) : gained;
		return left > 0 ? [{ from: before.t, to: t, left }] : [];
	});
}

/** By how much a counter rose in all, those of its lives together. */
export const risenIn = (readings: Parameters<typeof incrementsOf>[0]) => incrementsOf(readings).reduce((sum, { left }) => sum + left, 0);

/** How often a node's driver cleared its pool, as counters know it. */
export const clearedAt: (node: string) => string = (node) => `${node} cleared`;

/** How many connections a node's pool handed out, as counters know it. */
export const checkedOutBy: (node: string) => string = (node) => `${node} checked out`;

/** What a node counted of its errors, as counters know it. */
export const answeredBy: (node: string, error: string) => string = (node, error) => `${node} answered ${error}`;

/** Connections that a database refused, as counters know them. */
export const refusedBy: (database: string) => string = (database) => `${database} rejected`;

export class Counters {
	#increments: Map<string, Increment[]>;

	constructor(increments: Increments) {
		this.#increments = new Map(Object.entries(increments).map(([name, own]) => [name, own.map((increment) => ({ ...increment }))]));
	}

	/** @returns whether it rose in that time by more than has been taken; takes one */
	take(name: string, from: number, to: number): boolean {
		const increment = this.#increments.get(name)?.find((one) => one.left > 0 && one.to > from && one.from < to);
		if (!increment) return false;
		increment.left -= 1;
		return true;
	}

	/** When it last rose in a time. */
	last(name: string, from: number, to: number): Increment | undefined {
		return this.#increments.get(name)?.findLast((increment) => increment.to > from && increment.from < to);
	}

	/** Whether it rose in that time at all. */
	rose(name: string, from: number, to: number) {
		return (this.#increments.get(name) ?? []).some((increment) => increment.to > from && increment.from < to);
	}
}
