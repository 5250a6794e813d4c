/**
 * Follows what k6's users write of their requests while the load goes on, for who watches it. A user writes its requests some at a time and
 * k6 holds back some of its log, so that what was read last says little of the last seconds: the figures are of the seconds in which
 * requests ended, and these seconds are some time ago.
 */
import { eachRequest, tellsRequests } from '../record/k6-requests.js';
import { percentileOf } from '../record/percentile.js';

/** The figures are of seconds that ended so long ago at least. The lab's own choice: what may be kept, and what k6's log and the reader take. */
export const AGO_S = 7;
/** Several, so that the figures can be read. */
export const OF_S = 5;
/**
 * As long as a user keeps its requests (k6/lib/gathered.js), and a second more. k6 writes its log in pieces of 4 KB, which a small load fills
 * slowly: what ended so long before the newest request that was read is told, by all but users who have waited for an answer since.
 */
const KEPT_S = 6;
/** What the analysis takes off an open load's times (analyse/intended-start.js). */
const ARRIVAL = /^\{"event":"first-arrival"/;
const LINE = /^\{"(requests|warm)":/;

/** @typedef {{ ended: number, waitedMs: number, isGood: boolean, isOfLoad: boolean }} Request  ended: seconds since 1970 */

export class LiveRequests {
  /**
   * Of each generator: of its log the beginning of a line whose end is still to come, when the newest request that was read ended, and by how
   * much its arrivals are late by its own clock.
   * @type {{ rest: string, newest: number, lateMs: number }[]}
   */
  #logs;
  /** @type {Request[]} */
  #requests = [];

  /** @param {number} [generators] */
  constructor(generators = 1) {
    this.#logs = Array.from({ length: generators }, () => ({ rest: '', newest: Number.NEGATIVE_INFINITY, lateMs: 0 }));
  }

  /**
   * @param {string} text a further piece of k6's log; it may end inside a line
   * @param {number} [generator]  whose log
   */
  feed(text, generator = 0) {
    const log = this.#logs[generator];
    const lines = (log.rest + text).split('\n');
    log.rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = saidIn(line);
      if (said === null) continue;
      if (ARRIVAL.test(said)) log.lateMs = JSON.parse(said).late_ms ?? 0;
      for (const request of requestsIn(said, log.lateMs)) {
        log.newest = Math.max(log.newest, request.ended);
        this.#requests.push(request);
      }
    }
  }

  /**
   * Until when the record is whole.
   * @param {number} now seconds since 1970
   * @returns {number} seconds since 1970; in no past before anything was read
   */
  wholeUntil(now) {
    return Math.min(now - AGO_S, ...this.#logs.map(({ newest }) => newest - KEPT_S));
  }

  /**
   * What ended before these seconds is forgotten.
   * @param {{ from: number, to: number, isOfLoad: boolean }} span  seconds since 1970, not before those of the last call; isOfLoad: else of the
   *   warm-up
   * @returns {{ rps: number | null, p95Ms: number | null, failureRate: number | null }} null where there is nothing to say it by; of the
   *   warm-up no failures are told
   */
  figures({ from, to, isOfLoad }) {
    this.#requests = this.#requests.filter(({ ended }) => ended > from);
    const told = this.#requests.filter((request) => request.ended <= to && request.isOfLoad === isOfLoad);
    if (told.length === 0) return { rps: null, p95Ms: null, failureRate: null };
    return {
      rps: told.length / (to - from),
      p95Ms: percentileOf(Float64Array.from(told, ({ waitedMs }) => waitedMs).sort(), 0.95),
      failureRate: isOfLoad ? told.filter(({ isGood }) => !isGood).length / told.length : null,
    };
  }
}

/** @param {string} said @param {number} lateMs  which no arrival of the load waited for @returns {Request[]} */
function requestsIn(said, lateMs) {
  const told = LINE.test(said) ? JSON.parse(said) : null;
  if (!tellsRequests(told)) return [];
  /** @type {Request[]} */
  const requests = [];
  for (const [numbers, isOfLoad] of /** @type {const} */ ([
    [told.warm, false],
    [told.requests, true],
  ]))
    eachRequest(numbers ?? [], ({ ended, waitedMs, isGood, isFurther }) => {
      const early = isOfLoad && !isFurther ? lateMs : 0;
      requests.push({ ended, waitedMs: Math.max(0, waitedMs - early), isGood, isOfLoad });
    });
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
