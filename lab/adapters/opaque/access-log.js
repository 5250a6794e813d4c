/**
 * Recognises an access log in the common or combined form on a service's output, and counts its requests by status. Its lines
 * name no ids, so that no request can be followed into the service; neither paths nor clients are kept.
 */
import { isDuring, wholeLines } from '../whole-lines.js';

/** `host ident user [time] "request" status size`: https://httpd.apache.org/docs/2.4/logs.html#common; gunicorn, Apache and Werkzeug write it. */
const COMMON = /^\S+ \S+ .*?\[[^\]]+\] "(?:[^"\\]|\\.)*" (\d{3}) (?:\d+|-)(?: |$)/;
/** `INFO:     host:port - "GET / HTTP/1.1" 200 OK`: Uvicorn's, alone or under gunicorn (uvicorn/logging.py). */
const UVICORN = /^(?:INFO: +)?\S+:\d+ - "[A-Z]+ \S* HTTP\/[\d.]+" (\d{3})\b/;
/** A container's health check asks from within it; nobody else has that address there. */
const ITSELF = /^(?:INFO: +)?(?:127\.|::1\b|\[::1\])/;
/** A line is stamped when the engine reads it; after its load nobody asks any more. */
const STAMPED_LATE_S = 1;
/** From here on an answer is an error. */
const ERROR_FROM = 400;

/**
 * @typedef {object} Counted
 * @property {number} received      requests that it answered in the load, as far as it tells
 * @property {number} answered_ok
 * @property {number} answered_error
 * @property {Record<string, number>} byStatus
 */

/**
 * @param {string} log
 * @param {import('../whole-lines.js').Window} window
 * @returns {Counted | null} null when no line of the load has the form
 */
export function countAccess(log, window) {
  /** @type {Record<string, number>} */
  const byStatus = {};
  let errors = 0;
  let received = 0;
  for (const { t, text } of wholeLines(log)) {
    if (!isDuring(t, { from: window.from, to: window.to + STAMPED_LATE_S })) continue;
    const status = (COMMON.exec(text) ?? UVICORN.exec(text))?.[1];
    if (status === undefined || ITSELF.test(text)) continue;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    received += 1;
    if (Number(status) >= ERROR_FROM) errors += 1;
  }
  return received === 0 ? null : { received, answered_ok: received - errors, answered_error: errors, byStatus };
}

/**
 * What an access log adds to a record that rests on its container alone.
 * @template {import('../contract.js').HopRecord} Record
 * @param {Record} record
 * @param {string} log
 * @param {import('../contract.js').About} about
 * @returns {Record}
 */
export function withAccess(record, log, { level, window }) {
  const counted = level === 0 ? null : countAccess(log, window);
  if (counted === null) return record;
  const { received, answered_ok, answered_error } = counted;
  return {
    ...record,
    coverage: { ...record.coverage, requests: 'partial' },
    uncovered: [...record.uncovered, 'its access log gives counts by status, with health checks among them, and no ids'],
    source: 'access log',
    received,
    answered_ok,
    answered_error,
  };
}
