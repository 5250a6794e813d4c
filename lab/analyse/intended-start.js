/**
 * What users of an open load waited, from the moment that their arrival was meant to begin. k6 counts from a clock that starts
 * before its users are ready, so that every arrival is late by the same time. The first arrival says by how much; that is taken
 * off all of them, and the first one counts as on time.
 */

/** What users waited, in k6's metrics. */
const WAITED = /^lab_latency_/;
/** Of a trend, what is a time. */
const TIMES = /^(avg|min|med|max|p\()/;

/** @param {any[]} lines that the scenario wrote into k6's log @returns {number} milliseconds; 0 in a closed load */
export const startDelay = (lines) => lines.find(({ event }) => event === 'first-arrival')?.late_ms ?? 0;

/**
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
