/**
 * The failures that are still to be placed. Rules take from it; what no rule takes stays unattributed. A failure can be
 * taken once only, so the rows always sum to the failures.
 */
import { failuresByTime } from '../generator.js';
import { sum } from '../numbers.js';

export class OpenFailures {
  #status;
  #kind;
  /** By kind, the seconds in which failures fell, without those that a rule took by their time. */
  #seconds;

  /** @param {import('./facts.js').Facts} facts */
  constructor({ generator, snapshots }) {
    this.#status = { ...generator.status };
    this.#kind = { ...generator.kind };
    this.#seconds = new Map(Object.entries(generator.kind).map(([kind, total]) => [kind, failuresByTime(snapshots, kind, total)]));
  }

  /** Failures with this HTTP status that are left. @param {string} status */
  withStatus(status) {
    return this.#status[status] ?? 0;
  }

  /** Every HTTP status that has failures left, as k6 counts them: `other` is all that are not on its list. */
  statuses() {
    return Object.keys(this.#status).filter((status) => this.#status[status] > 0);
  }

  /** Failures without a status that are left. @param {string[]} kinds of k6's error text */
  ofKinds(kinds) {
    return sum(kinds.map((kind) => this.#kind[kind] ?? 0));
  }

  /** @param {string} status @param {number} count @returns {number} how many there were to take */
  takeStatus(status, count) {
    const taken = Math.max(0, Math.min(count, this.withStatus(status)));
    this.#status[status] = this.withStatus(status) - taken;
    return taken;
  }

  /** @param {string[]} kinds @param {number} [most] @returns {number} how many were taken */
  takeKinds(kinds, most = Number.POSITIVE_INFINITY) {
    let taken = 0;
    for (const kind of kinds) {
      const part = Math.min(this.#kind[kind] ?? 0, most - taken);
      this.#kind[kind] = (this.#kind[kind] ?? 0) - part;
      taken += part;
    }
    return taken;
  }

  /**
   * Takes the failures of these kinds that fell into some times. Times may overlap those of an earlier rule: what that rule
   * took is not there any more.
   * @param {string[]} kinds
   * @param {{ from: number, to: number }[]} times seconds since 1970
   */
  takeDuring(kinds, times) {
    const isDuring = (/** @type {{ from: number, to: number }} */ second) =>
      times.some(({ from, to }) => second.to > from && second.from < to);
    return sum(
      kinds.map((kind) => {
        const all = this.#seconds.get(kind) ?? [];
        this.#seconds.set(
          kind,
          all.filter((second) => !isDuring(second)),
        );
        return this.takeKinds([kind], sum(all.filter(isDuring).map(({ count }) => count)));
      }),
    );
  }
}

/**
 * Joins moments into times: those at most `gapS` apart belong together, and each reaches a little beyond its ends.
 * @param {number[]} moments in order
 * @param {{ gapS: number, beforeS: number, afterS: number }} reach
 */
export function episodes(moments, { gapS, beforeS, afterS }) {
  /** @type {{ from: number, to: number }[]} */
  const times = [];
  for (const moment of moments) {
    const last = times.at(-1);
    if (last && moment - last.to <= gapS) last.to = moment;
    else times.push({ from: moment, to: moment });
  }
  return times.map(({ from, to }) => ({ from: from - beforeS, to: to + afterS }));
}
