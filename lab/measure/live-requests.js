/**
 * Follows what k6's users write of their requests while the load goes on, for who watches it. A user writes its requests some at a time and
 * k6 holds back some of its log, so that what was read last says little of the last seconds: the figures are of the seconds in which
 * requests ended, and these seconds are some time ago.
 */
import { eachRequest, tellsRequests } from './k6-requests.js';
import { percentileOf } from './percentile.js';

/** As long as a user may keep its requests (k6/lib/gathered.js), and as k6 its log. The lab's own choice. */
export const AGO_S = 7;
/** Several, so that the figures can be read. */
export const OF_S = 5;
const LINE = /^\{"(requests|warm)":/;

/** @typedef {{ ended: number, waitedMs: number, isGood: boolean, isOfLoad: boolean }} Request  ended: seconds since 1970 */

export class LiveRequests {
  /** Of each generator's log, the beginning of a line whose end is still to come. @type {string[]} */
  #rests;
  /** @type {Request[]} */
  #requests = [];
  #began = Number.POSITIVE_INFINITY;

  /** @param {number} [generators] */
  constructor(generators = 1) {
    this.#rests = Array.from({ length: generators }, () => '');
  }

  /**
   * @param {string} text a further piece of k6's log; it may end inside a line
   * @param {number} [generator]  whose log
   */
  feed(text, generator = 0) {
    const lines = (this.#rests[generator] + text).split('\n');
    this.#rests[generator] = lines.pop() ?? '';
    for (const request of lines.flatMap(requestsIn)) {
      this.#began = Math.min(this.#began, request.ended - request.waitedMs / 1000);
      this.#requests.push(request);
    }
  }

  /**
   * Of the load's requests, or while there are none of the warm-up's.
   * @param {number} now seconds since 1970, not before that of the last call
   * @returns {{ rps: number | null, p95Ms: number | null, failureRate: number | null }} null where there is nothing to say it by
   */
  figures(now) {
    const to = now - AGO_S;
    const from = Math.max(to - OF_S, this.#began);
    this.#requests = this.#requests.filter(({ ended }) => ended > from);
    const all = this.#requests.filter(({ ended }) => ended <= to);
    const load = all.filter(({ isOfLoad }) => isOfLoad);
    const told = load.length > 0 ? load : all;
    if (told.length === 0) return { rps: null, p95Ms: null, failureRate: null };
    return {
      rps: told.length / Math.max(1, to - from),
      p95Ms: percentileOf(Float64Array.from(told, ({ waitedMs }) => waitedMs).sort(), 0.95),
      failureRate: load.length === 0 ? null : load.filter(({ isGood }) => !isGood).length / load.length,
    };
  }
}

/** @param {string} line of k6's log @returns {Request[]} */
function requestsIn(line) {
  const said = saidIn(line);
  const told = said !== null && LINE.test(said) ? JSON.parse(said) : null;
  if (!tellsRequests(told)) return [];
  /** @type {Request[]} */
  const requests = [];
  for (const [numbers, isOfLoad] of /** @type {const} */ ([
    [told.warm, false],
    [told.requests, true],
  ]))
    eachRequest(numbers ?? [], ({ ended, waitedMs, isGood }) => requests.push({ ended, waitedMs, isGood, isOfLoad }));
  return requests;
}

/** @param {string} line of k6's log @returns {string | null} what the scenario wrote; null where it is no line of JSON */
function saidIn(line) {
  try {
    return String(JSON.parse(line).msg);
  } catch {
    return null;
  }
}
