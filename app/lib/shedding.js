/**
 * Tells when a node has more to do than it can: how late its event loop is, smoothed, as Mozilla's node-toobusy did it
 * (https://hacks.mozilla.org/2013/01/building-a-node-js-server-that-wont-melt-a-node-js-holiday-season-part-5/). The later it is, the
 * more of the requests are refused, so that a node which is a little too busy does not refuse all of them.
 */

const LOOK_EVERY_MS = 100;
/** Of what was seen before, so much stays: one late turn is no overload. */
const KEPT = 2 / 3;

/**
 * @param {number | undefined} mostMs  that the loop may be late; nothing is refused unless given
 * @param {{ now?: () => number, random?: () => number }} [given]
 * @returns {{ look: () => void, isTooBusy: () => boolean } | null} look: to be called every 100 ms
 */
export function newShedding(mostMs, { now = Date.now, random = Math.random } = {}) {
	if (mostMs === undefined) return null;
	let lookedAt = now();
	let lateMs = 0;
	return {
		look() {
			const late = Math.max(0, now() - lookedAt - LOOK_EVERY_MS);
			lookedAt = now();
			lateMs = KEPT * lateMs + (1 - KEPT) * late;
		},
		isTooBusy: () => lateMs > mostMs && random() < (lateMs - mostMs) / mostMs,
	};
}

/**
 * The same, looking by itself.
 * @param {number | undefined} mostMs
 * @returns {() => boolean} whether a request is to be refused
 */
export function startShedding(mostMs) {
	const shedding = newShedding(mostMs);
	if (shedding === null) return () => false;
	setInterval(shedding.look, LOOK_EVERY_MS).unref();
	return shedding.isTooBusy;
}
