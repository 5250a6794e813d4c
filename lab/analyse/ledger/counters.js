/**
 * Counters that may convict: what the kernel, the balancer or the database counted, and when. A failure is placed by a counter only
 * where the counter rose in its time, and never more failures than it counted.
 *
 * @typedef {{ from: number, to: number, left: number }} Gain  seconds since 1970
 */

export class Counters {
  /** @type {Map<string, Gain[]>} */
  #gains;

  /** @param {Record<string, Gain[]>} gains by a name such as `app-1 ListenOverflows` */
  constructor(gains) {
    this.#gains = new Map(Object.entries(gains).map(([name, own]) => [name, own.map((gain) => ({ ...gain }))]));
  }

  /**
   * @param {string} name
   * @param {number} from
   * @param {number} to
   * @param {number} [leastS]  what it rose by has to have lasted for so long
   * @returns {boolean} whether it rose in that time by more than has been taken; takes one
   */
  take(name, from, to, leastS = 0) {
    const isIn = (/** @type {Gain} */ gain) => gain.left > 0 && gain.to > from && gain.from < to && gain.to - gain.from >= leastS;
    const gain = this.#gains.get(name)?.find(isIn);
    if (!gain) return false;
    gain.left -= 1;
    return true;
  }

  /** Whether it rose in that time at all. @param {string} name @param {number} from @param {number} to */
  rose(name, from, to) {
    return (this.#gains.get(name) ?? []).some((gain) => gain.to > from && gain.from < to);
  }
}

/**
 * How a counter rose from reading to reading.
 * @param {{ t: number, value: number | null | undefined }[]} readings in the order of time
 * @returns {Gain[]} times in which it did not rise are left out; a counter that fell began anew
 */
export function gainsOf(readings) {
  const known = readings.filter(({ value }) => typeof value === 'number');
  return known.slice(1).flatMap(({ t, value }, index) => {
    const before = known[index];
    const gained = Number(value) - Number(before.value);
    const left = gained < 0 ? Number(value) : gained;
    return left > 0 ? [{ from: before.t, to: t, left }] : [];
  });
}
