/**
 * How far the clock of another host is from this machine's, by asking it and noting when: it was asked before it answered, and answered
 * after that. The way of Cristian (Probabilistic clock synchronization, Distributed Computing 3, 1989).
 *
 * @typedef {object} ClockOffset
 * @property {number} offset_s  of that clock, less than nothing where it is behind
 * @property {number} within_s  as exactly as it is known: half of the quickest answer's way
 */
const ASKED = 8;

/**
 * @param {() => Promise<number>} ask  milliseconds since 1970, by that clock
 * @param {() => number} [now]
 * @returns {Promise<ClockOffset>}
 */
export async function clockOffsetOf(ask, now = () => performance.timeOrigin + performance.now()) {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (let times = 0; times < ASKED; times += 1) {
    const before = now();
    const told = await ask();
    least = Math.max(least, told - now());
    most = Math.min(most, told - before);
  }
  return { offset_s: (least + most) / 2000, within_s: Math.max(0, most - least) / 2000 };
}
