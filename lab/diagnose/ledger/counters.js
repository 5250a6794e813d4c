/**
 * Counters that may convict: what the kernel, the balancer or the database counted, and when. A failure is placed by a counter only
 * where the counter rose in its time, and never more failures than it counted.
 *
 * @typedef {{ from: number, to: number, left: number }} Gain  seconds since 1970
 */

/** How often a node's driver cleared its pool, as counters know it. @type {(node: string) => string} */
export const clearedAt = (node) => `${node} cleared`;

/** How many connections a node's pool handed out, as counters know it. @type {(node: string) => string} */
export const checkedOutBy = (node) => `${node} checked out`;

/** What a node counted of its errors, as counters know it. @type {(node: string, error: string) => string} */
export const answeredBy = (node, error) => `${node} answered ${error}`;

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

  /** When it last rose in a time. @param {string} name @param {number} from @param {number} to @returns {Gain | undefined} */
  last(name, from, to) {
    return this.#gains.get(name)?.findLast((gain) => gain.to > from && gain.from < to);
  }

  /** Whether it rose in that time at all. @param {string} name @param {number} from @param {number} to */
  rose(name, from, to) {
    return (this.#gains.get(name) ?? []).some((gain) => gain.to > from && gain.from < to);
  }

  /**
   * @param {string} name
   * @param {number} [leastS]  what it rose by has to have lasted for so long
   * @returns {number[]} moments at which it began to rise, seconds since 1970; what was taken has risen all the same
   */
  began(name, leastS = 0) {
    return (this.#gains.get(name) ?? []).filter(({ from, to }) => to - from >= leastS).map(({ from }) => from);
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

/** By how much a counter rose in all, those of its lives together. @param {Parameters<typeof gainsOf>[0]} readings */
export const risenIn = (readings) => gainsOf(readings).reduce((sum, { left }) => sum + left, 0);
