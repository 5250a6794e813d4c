/**
 * Follows what k6's users write of their requests while the load goes on, for who watches it. A user writes its requests some at a time and
 * k6 holds back some of its log, so this is some seconds late, and its rates are of several seconds.
 */
import { eachRequest, percentileOf, tellsRequests } from './k6-requests.js';

/** As long as a user may keep its requests (k6/lib/gathered.js): each user has written once. */
const OF_LAST_S = 5;
const LINE = /^\{"(requests|warm)":/;

/** What was read at one time. @typedef {{ readAt: number, load: number[], warm: number[], failed: number }} Piece  load, warm: milliseconds waited */

export class LiveRequests {
  /** Of each generator's log, the beginning of a line whose end is still to come. @type {string[]} */
  #rests;
  /** @type {Piece[]} */
  #pieces = [];
  #began = Number.POSITIVE_INFINITY;

  /** @param {number} [generators] */
  constructor(generators = 1) {
    this.#rests = Array.from({ length: generators }, () => '');
  }

  /**
   * @param {string} text a further piece of k6's log; it may end inside a line
   * @param {number} now seconds
   * @param {number} [generator]  whose log
   */
  feed(text, now, generator = 0) {
    const lines = (this.#rests[generator] + text).split('\n');
    this.#rests[generator] = lines.pop() ?? '';
    this.#pieces = this.#pieces.filter(({ readAt }) => now - readAt < OF_LAST_S);
    const piece = pieceOf(lines, now);
    if (piece.load.length + piece.warm.length === 0) return;
    this.#began = Math.min(this.#began, now);
    this.#pieces.push(piece);
  }

  /**
   * Of the load's requests, or while there are none of the warm-up's.
   * @param {number} now seconds
   * @returns {{ rps: number | null, p95Ms: number | null, failureRate: number | null }} null where there is nothing to say it by
   */
  figures(now) {
    const load = this.#pieces.flatMap((piece) => piece.load);
    const waited = Float64Array.from(load.length > 0 ? load : this.#pieces.flatMap(({ warm }) => warm)).sort();
    if (waited.length === 0) return { rps: null, p95Ms: null, failureRate: null };
    const failed = this.#pieces.reduce((sum, piece) => sum + piece.failed, 0);
    return {
      rps: waited.length / Math.min(OF_LAST_S, Math.max(1, now - this.#began)),
      p95Ms: percentileOf(waited, 0.95),
      failureRate: load.length === 0 ? null : failed / load.length,
    };
  }
}

/** @param {string[]} lines of k6's log @param {number} readAt @returns {Piece} */
function pieceOf(lines, readAt) {
  /** @type {Piece} */
  const piece = { readAt, load: [], warm: [], failed: 0 };
  for (const line of lines) {
    const said = saidIn(line);
    const told = said !== null && LINE.test(said) ? JSON.parse(said) : null;
    if (!tellsRequests(told)) continue;
    eachRequest(told.warm ?? [], ({ waitedMs }) => piece.warm.push(waitedMs));
    eachRequest(told.requests ?? [], ({ isGood, waitedMs }) => {
      piece.load.push(waitedMs);
      if (!isGood) piece.failed += 1;
    });
  }
  return piece;
}

/** @param {string} line of k6's log @returns {string | null} what the scenario wrote; null where it is no line of JSON */
function saidIn(line) {
  try {
    return String(JSON.parse(line).msg);
  } catch {
    return null;
  }
}
