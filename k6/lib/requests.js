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

/** @typedef {import('k6/http').RefinedResponse<undefined>} Response */
/** @typedef {{ id: string, response: Response, waitedMs: number }} Sent  milliseconds that the user waited; 0 where they do not count */
/** @typedef {{ method?: string, body?: null, headers?: Record<string, string>, tags?: Record<string, string> }} Request  GET unless given */

/**
 * @param {import('../shapes.js').Shape} shape
 * @param {(status: number) => boolean} isGood which statuses are good answers
 * @param {number} [thinkMostS] the longest that the user thinks between two requests
 */
export function newClient(shape, isGood, thinkMostS = 0) {
  const durationMs = loadDuration(shape) * 1000;
  let sent = 0;
  /** Moments of the load, milliseconds since 1970; known once it has begun. */
  let began = 0;

  /** @param {string} url @param {Request} request @param {string} id @param {number} timeout milliseconds @returns {Response} */
  function request(url, { method = 'GET', body = null, headers, tags }, id, timeout) {
    return http.request(method, url, body, { headers: { ...headers, 'X-Request-Id': id }, timeout, tags });
  }

  return {
    /** A request that is not counted. @param {string} url @param {Request} [options] @returns {Sent} */
    warm(url, options = {}) {
      sent += 1;
      const id = `w${__VU}-${sent}`;
      return { id, response: request(url, options, id, TIMEOUT_MS), waitedMs: 0 };
    },

    /** @param {string} url @param {Request} [options] @returns {Sent} */
    send(url, options = {}) {
      if (began === 0) began = exec.scenario.startTime;
      sent += 1;
      const id = `${__VU}-${sent}`;
      const sentAt = Date.now();
      const lateMs = shape.model === 'open' ? lateness(sentAt) : 0;
      const left = began + durationMs + GRACEFUL_STOP_S * 1000 - BEFORE_STOP_MS - sentAt;
      const timeout = Math.max(1, Math.min(TIMEOUT_MS, left));
      const response = request(url, options, id, timeout);
      const waitedMs = countOutcome(response, {
        id,
        sentAt,
        lateMs,
        isGood,
        endsWithLoad: timeout < TIMEOUT_MS,
        loadEndsAt: began + durationMs,
        thinkMs: thinkMostS * 1000,
      });
      return { id, response, waitedMs };
    },
  };

  /** How long after its intended moment an arrival begins. @param {number} now */
  function lateness(now) {
    return Math.max(0, now - began - intendedOffset(shape, exec.scenario.iterationInTest) * 1000);
  }
}
