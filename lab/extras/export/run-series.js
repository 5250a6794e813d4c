/**
 * The timeline and the series of a run, one beside the other on the same seconds, for programs that draw or store them.
 *
 * @typedef {object} RunSeries
 * @property {string} name      such as `latency_ms_p95`
 * @property {string} about     in words
 * @property {string} tier      empty where it is of the whole system, as its users see it
 * @property {string} service   empty where it is of no single one
 * @property {string} unit      as https://ucum.org writes it, which OpenTelemetry does too
 * @property {(number | null)[]} values  on the seconds of the timeline; null where nothing was recorded
 *
 * @typedef {import('../../record/result.js').Result} Result
 */

/** A request is no unit of measurement; UCUM has such words in braces. */
const PER_SECOND = '{request}/s';
const SHARE = '1';

/** Every figure of a row of the timeline. @type {Record<Exclude<keyof import('../../record/result.js').TimelineRow, 't_s' | 'warmup'>, { about: string, unit: string }>} */
const TIMELINE = {
  vus: { about: 'users', unit: '{user}' },
  throughput_rps: { about: 'finished requests', unit: PER_SECOND },
  goodput_rps: { about: 'good answers', unit: PER_SECOND },
  failures_per_s: { about: 'failed requests', unit: PER_SECOND },
  latency_ms_p50: { about: 'latency of all requests, median', unit: 'ms' },
  latency_ms_p95: { about: 'latency of all requests, 95th percentile', unit: 'ms' },
  latency_ms_p99: { about: 'latency of all requests, 99th percentile', unit: 'ms' },
  latency_ms_p50_ok: { about: 'latency of good answers, median', unit: 'ms' },
  latency_ms_p95_ok: { about: 'latency of good answers, 95th percentile', unit: 'ms' },
  latency_ms_p99_ok: { about: 'latency of good answers, 99th percentile', unit: 'ms' },
};

/** What a limit is counted in that is no thing. @type {Record<string, string>} */
const UNITS = { 'busy share': SHARE, 'share of the time': SHARE, MB: 'MBy' };

/** @param {Result} result @returns {RunSeries[]} those without a single value left out */
export function runSeries(result) {
  return [...timelineSeries(result), ...failureSeries(result), ...cpuSeries(result), ...limitSeries(result), boundSeries(result)].filter(
    ({ values }) => values.some((value) => value !== null),
  );
}

/** @param {Result} result @returns {RunSeries[]} */
const timelineSeries = ({ timeline }) =>
  Object.entries(TIMELINE).map(([name, { about, unit }]) => ({
    name,
    about,
    tier: '',
    service: '',
    unit,
    values: timeline.map((row) => row[/** @type {keyof typeof TIMELINE} */ (name)]),
  }));

/** @param {Result} result @returns {RunSeries[]} */
const failureSeries = ({ series }) =>
  Object.entries(series.failures_by_tier).map(([tier, values]) => ({
    name: 'failures_by_tier',
    about: 'failed requests that were placed on the tier',
    tier,
    service: '',
    unit: PER_SECOND,
    values,
  }));

/** @param {Result} result @returns {RunSeries[]} */
const cpuSeries = ({ series, resources }) =>
  Object.entries(series.cpu_share).map(([service, values]) => ({
    name: 'cpu_share',
    about: 'CPU that the service used, of its quota or of the machine',
    tier: resources[service]?.tier ?? '',
    service,
    unit: SHARE,
    values,
  }));

/**
 * What is used of each limited resource. Those of one kind have one name, whosever they are.
 * @param {Result} result
 * @returns {RunSeries[]}
 */
const limitSeries = ({ series, resources }) =>
  series.limits.map(({ id, label, tier, unit, values }) => {
    const service = serviceOf(id, tier, resources);
    const [words, what] = service === '' ? [id, label] : [withoutName(id, service), label.replace(` of ${service}`, '')];
    return {
      name: `used.${words.replaceAll(' ', '-')}`,
      about: what,
      tier,
      service,
      unit: UNITS[unit] ?? `{${unit.replaceAll(' ', '_')}}`,
      values,
    };
  });

/** @param {string} id @param {string} service */
const withoutName = (id, service) => id.replace(new RegExp(`^${service}[- ]|[- ]${service}(?=[- ]|$)`), '');

/** @param {Result} result @returns {RunSeries} */
const boundSeries = ({ series }) => ({
  name: 'bound_rps',
  about: 'finished requests that users and CPU allow at most',
  tier: '',
  service: '',
  unit: PER_SECOND,
  values: series.bound_rps,
});

/**
 * The id of a limit has the name of its service in it where there could be several.
 * @param {string} id
 * @param {string} tier
 * @param {Result['resources']} resources
 */
function serviceOf(id, tier, resources) {
  const named = Object.keys(resources).filter((name) => new RegExp(`(^|[- ])${name}([- ]|$)`).test(id));
  if (named.length > 0) return named.toSorted((one, other) => other.length - one.length)[0];
  const alike = Object.keys(resources).filter((name) => resources[name].tier === tier);
  return alike.length === 1 ? alike[0] : '';
}
