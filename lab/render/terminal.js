/**
 * A run in a few lines, for the terminal.
 */
import { milliseconds, percent, rate } from './format.js';

/**
 * @param {import('../define/result.js').Result} result
 * @param {string} reportPath
 * @param {import('../analyse/expectations.js').Judged[]} [judged] thresholds that were given
 * @returns {string}
 */
export function formatSummary({ validity, headline, metrics, try_next: tryNext }, reportPath, judged = []) {
  const { throughput_rps: throughput, goodput_rps: goodput, failure_rate: failureRate, latency_ms: latency } = metrics;
  return [
    '',
    ...(validity.verdict === 'VALID' ? [] : [`  ${validity.verdict}: ${validity.reasons.join('; ')}`]),
    `  ${headline}`,
    '',
    `  throughput ${rate(throughput)}, goodput ${rate(goodput)}, failed ${percent(failureRate)}`,
    `  p95 of all ${milliseconds(latency.all.p95)}, p95 of good answers ${milliseconds(latency.ok.p95)}`,
    ...judged.map(({ text, verdict, reason }) => `  ${verdict}: ${text}  (${reason})`),
    ...tryNext.map(({ command, why }) => `  next: ${command}  (${why})`),
    '',
    `  report: ${reportPath}`,
    '',
  ].join('\n');
}
