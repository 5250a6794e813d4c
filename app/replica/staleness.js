/**
 * How far behind the acknowledged writes a read is. A node numbers its writes; a read that shows a number below the highest one that was
 * acknowledged when the read began is stale, by the time since a higher number than it shows was first acknowledged.
 */

/** Upper ends of the classes in which ages are counted, milliseconds. */
export const CLASSES_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
/** A read that is older than all of these marks is as old as the oldest. */
const MARKS_MOST = 50_000;

export class Staleness {
	/** Of the node's counts: reads, those that were stale, and how many of these were at most so old. @type {Record<string, number>} */
	counts = { reads: 0, stale_reads: 0, ...Object.fromEntries(CLASSES_MS.map((ms) => [`stale_le_${ms}`, 0])) };
	/** When the highest acknowledged number rose, and to what; both only grow. @type {{ number: number, at: number }[]} */
	#marks = [];

	/** @param {number} number  of a write that was acknowledged @param {number} at  milliseconds */
	acknowledged(number, at) {
		if (number <= (this.#marks.at(-1)?.number ?? -1)) return;
		this.#marks.push({ number, at });
		if (this.#marks.length > MARKS_MOST) this.#marks.splice(0, MARKS_MOST / 2);
	}

	/**
	 * @param {number} shown  highest number that the read gave; -1 where it gave none
	 * @param {number} began  milliseconds
	 */
	read(shown, began) {
		this.counts.reads += 1;
		const missed = this.#firstAbove(shown);
		if (missed === undefined || missed.at > began) return;
		this.counts.stale_reads += 1;
		const age = began - missed.at;
		for (const ms of CLASSES_MS) if (age <= ms) this.counts[`stale_le_${ms}`] += 1;
	}

	/** @param {number} number */
	#firstAbove(number) {
		let [low, high] = [0, this.#marks.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.#marks[middle].number > number) high = middle;
			else low = middle + 1;
		}
		return this.#marks[low];
	}
}
