/**
 * The series of a run as OpenTelemetry metrics, in the JSON encoding of OTLP (https://opentelemetry.io/docs/specs/otlp/): what a collector
 * takes at /v1/metrics. Each value was read in its second, so all are gauges.
 */

const NAME = 'doubletake';
const NS_PER_MS = 1_000_000n;
const MS_PER_S = 1000;

/** @typedef {import('./run-series.js').RunSeries} RunSeries */

/**
 * @param {RunSeries[]} series
 * @param {number[]} seconds  from the start of the load, negative in the warm-up
 * @param {Pick<import('../../record/result.js').Result, 'run' | 'architecture' | 'load' | 'budget' | 'started'>} result
 * @returns {string}
 */
export function formatOtlp(series, seconds, { run, architecture, load, budget, started }) {
  const times = seconds.map((second) => nanoseconds(Date.parse(started) + second * MS_PER_S));
  const names = [...new Set(series.map(({ name }) => name))];
  const metrics = names.map((name) => {
    const own = series.filter((one) => one.name === name);
    const description = [...new Set(own.map(({ about }) => about))].join('; ');
    return {
      name: `${NAME}.${name}`,
      description,
      unit: own[0].unit,
      gauge: { dataPoints: own.flatMap((one) => pointsOf(one, times, run)) },
    };
  });
  const of = { 'service.name': NAME, [`${NAME}.architecture`]: architecture, [`${NAME}.load`]: load, [`${NAME}.budget`]: budget };
  const resourceMetrics = [{ resource: { attributes: attributes(of) }, scopeMetrics: [{ scope: { name: NAME }, metrics }] }];
  return `${JSON.stringify({ resourceMetrics })}\n`;
}

/** @type {(series: RunSeries, times: string[], run: string) => object[]} */
const pointsOf = ({ tier, service, values }, times, run) =>
  values.flatMap((value, index) =>
    value === null ? [] : [{ attributes: attributes({ run, tier, service }), timeUnixNano: times[index], asDouble: value }],
  );

/** One that is empty is none. @param {Record<string, string>} values */
const attributes = (values) =>
  Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => ({ key, value: { stringValue: value } }));

/** 64-bit numbers are strings in this encoding: JSON's own end at 2^53. @param {number} ms since 1970 */
const nanoseconds = (ms) => String(BigInt(Math.round(ms)) * NS_PER_MS);
