/**
 * Sends a user's requests: each carries an id of its own, by which every tier records it, and has until the load and its
 * grace end to be answered. What is open then is a failure like any other, told by its id, and not a request that
 * nobody hears of again.
 */
import exec from 'k6/execution';
import http from 'k6/http';
import { intendedOffset } from '../arrivals.js';
import { GRACEFUL_STOP_S, loadDuration } from '../shapes.js';
import { countFailure, failures, good, waitedMs, writeWaiting } from './outcomes.js';

/** k6's own. */
const TIMEOUT_MS = 60_000;
/** Before k6 interrupts its users: time enough to count and to say what was still open. */
const BEFORE_STOP_MS = 3000;

/** Each once: k6 looks an imported or a global name up in a table at each use. */
const ask = http.request;
const clock = Date.now;
const { latencyAll, latencyOk } = good;
const waiting = failures;
/** Milliseconds of dialling from which on it may be counted twice. */
const DIALLED_MS = 1;

/** @typedef {import('k6/http').RefinedResponse<undefined>} Response */
/**
 * A request that was answered or failed; the same object for each request of a user, because k6 spends as much on its script as on HTTP.
 * @typedef {object} Sent
 * @property {string} id
 * @property {Response} response
 * @property {number} waitedMs  that the user waited; 0 where they do not count
 */
/**
 * The same object each time that it is sent: what k6 needs of it is made once.
 * @typedef {object} Request
 * @property {string} [method]  GET unless given
 * @property {string | null} [body]
 * @property {Record<string, string>} [headers]
 * @property {(status: number) => boolean} [isGood]  as the client says unless given
 */

/** @type {Request} */
const GET = {};

/**
 * @param {import('../shapes.js').Shape} shape
 * @param {(status: number) => boolean} isGood which statuses are good answers
 * @param {number} [thinkMostS] the longest that the user thinks between two requests
 */
export function newClient(shape, isGood, thinkMostS = 0) {
  const durationMs = loadDuration(shape) * 1000;
  const isOpen = shape.model === 'open';
  let options = GET;
  let { method, params, headers, body } = callOf(GET);
  /** Which statuses are good answers, of the request that is sent now. */
  let judge = isGood;
  /** Each request's, once it was sent. @type {Map<Request, ReturnType<typeof callOf>>} */
  const calls = new Map();
  /** Of the ids: k6 numbers its users after it has read the script. */
  let user = '';
  let sent = 0;
  /** Milliseconds since 1970; known once the load has begun. */
  let stopsAt = 0;
  /** The one request that the user has under way. */
  const current = {
    id: '',
    response: /** @type {Response} */ ({}),
    waitedMs: 0,
    sentAt: 0,
    lateMs: 0,
    endsWithLoad: false,
    loadEndsAt: 0,
    thinkMs: thinkMostS * 1000,
  };

  return {
    /** A request that is not counted. @param {string} url @param {Request} [wanted] @returns {Sent} */
    warm(url, wanted = GET) {
      if (wanted !== options) take(wanted);
      sent += 1;
      current.id = `w${__VU}-${sent}`;
      headers['X-Request-Id'] = current.id;
      current.response = ask(method, url, body, params);
      return current;
    },

    /**
     * Written out in one piece: for k6 a call of a function is as dear as a metric.
     * @param {string} url @param {Request} [wanted] @returns {Sent}
     */
    send(url, wanted = GET) {
      if (stopsAt === 0) begin();
      if (wanted !== options) take(wanted);
      sent += 1;
      const id = user + sent;
      headers['X-Request-Id'] = id;
      const sentAt = clock();
      const left = stopsAt - sentAt;
      if (left < TIMEOUT_MS) params.timeout = left > 1 ? left : 1;
      if (isOpen) current.lateMs = lateness(sentAt);
      const response = ask(method, url, body, params);
      const { status } = response;
      current.id = id;
      current.response = response;
      if (judge(status)) {
        const { timings } = response;
        const { blocked, duration } = timings;
        const waited = (blocked < DIALLED_MS ? blocked + duration : waitedMs(timings, sentAt)) + current.lateMs;
        latencyAll.add(waited);
        latencyOk.add(waited);
        current.waitedMs = waited;
        if (waiting.waiting) writeWaiting(current);
      } else {
        current.sentAt = sentAt;
        current.endsWithLoad = left < TIMEOUT_MS;
        current.waitedMs = countFailure(response, current, status);
      }
      return current;
    },
  };

  /** @param {Request} wanted */
  function take(wanted) {
    let call = calls.get(wanted);
    if (!call) {
      call = callOf(wanted);
      calls.set(wanted, call);
    }
    options = wanted;
    ({ method, params, headers, body } = call);
    judge = wanted.isGood || isGood;
  }

  function begin() {
    user = `${__VU}-`;
    current.loadEndsAt = exec.scenario.startTime + durationMs;
    stopsAt = current.loadEndsAt + GRACEFUL_STOP_S * 1000 - BEFORE_STOP_MS;
  }

  /**
   * How long after its intended moment an arrival begins, by the scenario's clock. That clock starts before k6 has its users ready, so all
   * arrivals are late by the same time; the first one says by how much, and the analysis takes it off.
   * @param {number} now
   */
  function lateness(now) {
    const index = exec.scenario.iterationInTest;
    const lateMs = now - exec.scenario.startTime - intendedOffset(shape, index) * 1000;
    if (index === 0) console.error(JSON.stringify({ event: 'first-arrival', late_ms: lateMs }));
    return lateMs;
  }
}

/** @param {Request} request */
function callOf({ method = 'GET', body, headers: own }) {
  const headers = { ...own, 'X-Request-Id': '' };
  return { method, body, headers, params: { headers, timeout: TIMEOUT_MS } };
}
