/**
 * Sends a user's requests: each carries an id of its own, by which every tier records it, and has until the load and its
 * grace end to be answered. What is open then is a failure like any other, told by its id, and not a request that
 * nobody hears of again.
 */
import exec from 'k6/execution';
import http from 'k6/http';
import { intendedOffset } from '../arrivals.js';
import { GRACEFUL_STOP_S, loadDuration } from '../shapes.js';
import { countOutcome } from './outcomes.js';

/** k6's own. */
const TIMEOUT_MS = 60_000;
/** Before k6 interrupts its users: time enough to count and to say what was still open. */
const BEFORE_STOP_MS = 3000;

/** Once: k6 looks a name of an imported module up at each use. */
const ask = http.request;

/** @typedef {import('k6/http').RefinedResponse<undefined>} Response */
/** @typedef {{ id: string, response: Response, waitedMs: number }} Sent  milliseconds that the user waited; 0 where they do not count */
/** @typedef {{ method?: string, body?: null, headers?: Record<string, string>, tags?: Record<string, string> }} Request  GET unless given */

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
  /** Kept from request to request, as all objects here: made anew they cost k6 a third of its time outside of HTTP (measured: 22 us, now 14). */
  let options = GET;
  let params = paramsFor(GET);
  let sent = 0;
  /** Moments of the load, milliseconds since 1970; known once it has begun. */
  let began = 0;
  let stopsAt = 0;
  /** The one request that the user has under way. */
  const current = { id: '', sentAt: 0, lateMs: 0, isGood, endsWithLoad: false, loadEndsAt: 0, thinkMs: thinkMostS * 1000 };

  /** @param {string} url @param {Request} wanted @param {string} id @param {number} timeout milliseconds @returns {Response} */
  function request(url, wanted, id, timeout) {
    if (wanted !== options) {
      options = wanted;
      params = paramsFor(wanted);
    }
    params.headers['X-Request-Id'] = id;
    params.timeout = timeout;
    return ask(wanted.method || 'GET', url, wanted.body, params);
  }

  return {
    /** A request that is not counted. @param {string} url @param {Request} [wanted] @returns {Sent} */
    warm(url, wanted = GET) {
      sent += 1;
      const id = `w${__VU}-${sent}`;
      return { id, response: request(url, wanted, id, TIMEOUT_MS), waitedMs: 0 };
    },

    /** @param {string} url @param {Request} [wanted] @returns {Sent} */
    send(url, wanted = GET) {
      if (began === 0) begin();
      sent += 1;
      const id = `${__VU}-${sent}`;
      const sentAt = Date.now();
      const left = stopsAt - sentAt;
      const timeout = left >= TIMEOUT_MS ? TIMEOUT_MS : Math.max(1, left);
      current.id = id;
      current.sentAt = sentAt;
      current.endsWithLoad = timeout < TIMEOUT_MS;
      if (isOpen) current.lateMs = lateness(sentAt);
      const response = request(url, wanted, id, timeout);
      return { id, response, waitedMs: countOutcome(response, current) };
    },
  };

  function begin() {
    began = exec.scenario.startTime;
    current.loadEndsAt = began + durationMs;
    stopsAt = current.loadEndsAt + GRACEFUL_STOP_S * 1000 - BEFORE_STOP_MS;
  }

  /**
   * How long after its intended moment an arrival begins, by the scenario's clock. That clock starts before k6 has its users ready, so all
   * arrivals are late by the same time; the first one says by how much, and the analysis takes it off.
   * @param {number} now
   */
  function lateness(now) {
    const index = exec.scenario.iterationInTest;
    const lateMs = now - began - intendedOffset(shape, index) * 1000;
    if (index === 0) console.error(JSON.stringify({ event: 'first-arrival', late_ms: lateMs }));
    return lateMs;
  }
}

/** @param {Request} request */
const paramsFor = ({ headers, tags }) => ({ headers: { ...headers, 'X-Request-Id': '' }, timeout: TIMEOUT_MS, tags });
