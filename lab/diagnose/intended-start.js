/**
 * What users of an open load waited, from the moment that their arrival was meant to begin. k6 counts from a clock that starts
 * before its users are ready, so that every arrival is late by the same time. The first arrival says by how much; that is taken
 * off all of them, and the first one counts as on time.
 */

import { EACH, HEAD, PER_MS } from '../record/k6-requests.js';

/** What users waited, in k6's metrics. */
const WAITED = /^lab_latency_/;
/** Of a trend, what is a time. */
const TIMES = /^(avg|min|med|max|p\()/;

/** @param {any[]} lines that the scenario wrote into k6's log @returns {number} milliseconds; 0 in a closed load */
export const startDelay = (lines) => lines.find(({ event }) => event === 'first-arrival')?.late_ms ?? 0;

/**
 * @typedef {import('../record/k6-requests.js').Line} Line
 * @param {Line} line  that a user wrote
 * @param {number} delayMs
 * @returns {Line}
 */
export function lineOnTime(line, delayMs) {
  if (delayMs === 0 || !line.requests) return line;
  const late = delayMs * PER_MS;
  const retried = line.retried?.map((took) => (took < 0 ? -1 - Math.max(0, -1 - took - late) : Math.max(0, took - late)));
  return { ...line, requests: numbersOnTime(line.requests, late), ...(retried ? { retried } : {}) };
}

/** Of a request that is tried again only the first attempt waits for its arrival. @param {number[]} numbers @param {number} late tenths of a millisecond */
function numbersOnTime(numbers, late) {
  const corrected = [...numbers];
  let isFurther = numbers[2] < 0;
  for (let at = HEAD; at + EACH <= numbers.length; at += EACH) {
    const earlier = isFurther ? 0 : Math.min(late, numbers[at + 1]);
    corrected[at] += earlier;
    corrected[at + 1] -= earlier;
    isFurther = numbers[at + 3] < 0;
  }
  return corrected;
}

/**
 * The same of what the dashboard of an earlier version recorded.
 * @template {Record<string, any>} Metrics
 * @param {Metrics} metrics of a snapshot: aggregates by metric
 * @param {number} delayMs
 * @returns {Metrics}
 */
export function onTime(metrics, delayMs) {
  if (delayMs === 0) return metrics;
  const corrected = Object.entries(metrics).map(([name, values]) => [name, WAITED.test(name) ? earlier(values, delayMs) : values]);
  return /** @type {Metrics} */ (Object.fromEntries(corrected));
}

/** @param {any} summary of k6 @param {number} delayMs */
export function onTimeSummary(summary, delayMs) {
  if (delayMs === 0) return summary;
  const metrics = Object.entries(summary.metrics).map(([name, metric]) => [
    name,
    WAITED.test(name) ? { .../** @type {any} */ (metric), values: earlier(/** @type {any} */ (metric).values, delayMs) } : metric,
  ]);
  return { ...summary, metrics: Object.fromEntries(metrics) };
}

/** @param {Record<string, number>} values @param {number} delayMs */
const earlier = (values, delayMs) =>
  Object.fromEntries(
    Object.entries(values).map(([aggregate, value]) => [aggregate, TIMES.test(aggregate) ? Math.max(0, value - delayMs) : value]),
  );
