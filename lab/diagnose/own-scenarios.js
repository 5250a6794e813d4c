/**
 * k6 counts the scenarios of a user's own script apart, by their names. The load is all of them together: their counts and means are added
 * up under the name that the lab's own scenarios have. Percentiles of several cannot be: they are those of all requests that k6 made, where
 * these are the load's and no other, and else left out.
 */
import { scenarios } from '../catalog/scenarios.js';
import { many } from '../stats/figure-words.js';

const APART = /^(http_req_duration|http_req_blocked|iteration_duration)\{scenario:([^,}]+)(,expected_response:true)?\}$/;
const OURS = new Set(['load', 'warmup']);

/**
 * @template {{ metrics: Record<string, any> }} Summary
 * @param {Summary} summary
 * @returns {Summary} the same where the load is the lab's own scenario
 */
export function withLoadOfAll(summary) {
  /** @type {Map<string, { count: number, total: number, only: any }>} */
  const sums = new Map();
  for (const [name, metric] of Object.entries(summary.metrics)) {
    const [, base, scenario, good = ''] = APART.exec(name) ?? [];
    if (base === undefined || OURS.has(scenario) || typeof metric.values?.count !== 'number') continue;
    const key = `${base}{scenario:load${good}}`;
    const { count, avg = 0 } = metric.values;
    const known = sums.get(key);
    sums.set(key, {
      count: (known?.count ?? 0) + count,
      total: (known?.total ?? 0) + count * avg,
      // Of one scenario alone every figure stands.
      only: known === undefined ? metric.values : null,
    });
  }
  const added = [...sums].map(([key, { count, total, only }]) => {
    const ofAll = summary.metrics[allNamed(key)]?.values;
    const values = only ?? (ofAll?.count === count ? ofAll : { count, avg: count === 0 ? 0 : total / count });
    return [key, { type: 'trend', contains: 'time', values }];
  });
  return added.length === 0 ? summary : { ...summary, metrics: { ...summary.metrics, ...Object.fromEntries(added) } };
}

/** k6's name of the same over all scenarios, the script's setup included. @param {string} key */
const allNamed = (key) => key.replace('{scenario:load}', '').replace('{scenario:load,', '{');

/**
 * What a user's own script says of itself beyond its requests: checks that answers with a good status failed, and thresholds that were not
 * met. No tier lost those answers.
 * @param {Pick<import('./read-raw.js').Raw, 'manifest' | 'summary'>} raw
 * @returns {string[]}
 */
export function scriptNotes({ manifest, summary }) {
  if (!scenarios[manifest.scenario]?.asItIs || summary === null) return [];
  const counted = (/** @type {string} */ metric) => summary.metrics[metric]?.values.count ?? 0;
  const [answers, others] = [counted('lab_check_failed'), counted('lab_check_failed_other')];
  const missed = Object.entries(summary.metrics).flatMap(([metric, { thresholds = {} }]) =>
    Object.entries(thresholds).flatMap(([threshold, { ok }]) => (ok ? [] : [`${metric}: ${threshold}`])),
  );
  return [
    ...(answers > 0 ? [`${many(answers, 'answer')} with a good status failed a check of the script; no tier lost them`] : []),
    ...(others > 0 ? [`${many(others, 'check')} of something else than an answer failed`] : []),
    ...(missed.length > 0 ? [`thresholds of the script that were not met: ${missed.join('; ')}`] : []),
  ];
}
