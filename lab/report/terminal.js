/**
 * A run in a few lines, for the terminal.
 */
import { clientText } from './client-words.js';
import { faultSentence, faultsOf } from './fault-words.js';
import { milliseconds, percent, rate } from './format.js';
import { isProgram, ownFigures } from './scenario.js';

/**
 * @param {import('../record/result.js').Result} result
 * @param {string} reportPath
 * @param {import('../diagnose/expectations.js').Judged[]} [judged] thresholds that were given
 * @returns {string}
 */
export function formatSummary(result, reportPath, judged = []) {
  const { validity, headline, metrics, gone_writes: gone, try_next: tryNext } = result;
  const { throughput_rps: throughput, goodput_rps: goodput, failure_rate: failureRate, latency_ms: latency } = metrics;
  const own = ownFigures(result).map(({ label, text }) => `${label} ${text}`);
  return [
    '',
    ...(validity.verdict === 'VALID' ? [] : [`  ${validity.verdict}: ${validity.reasons.join('; ')}`]),
    `  ${headline}`,
    ...(gone?.to_do ?? []).map((text) => `  so that no write is gone: ${text}`),
    ...(result.load_end ? [`  ${result.load_end.text}`] : []),
    '',
    `  throughput ${rate(throughput)}, goodput ${rate(goodput)}, failed ${percent(failureRate)}`,
    ...(isProgram(result) ? [] : [`  p95 of all ${milliseconds(latency.all.p95)}, p95 of good answers ${milliseconds(latency.ok.p95)}`]),
    ...(own.length > 0 ? [`  ${own.join(', ')}`] : []),
    ...(clientText(result) === null ? [] : [`  ${clientText(result)}`]),
    ...faultsOf(result).map((effect) => `  ${faultSentence(effect)}`),
    ...judged.map(({ text, verdict, reason }) => `  ${verdict}: ${text}  (${reason})`),
    ...(result.wire?.differs ?? []).map((text) => `  note: ${text}`),
    ...tryNext.map(({ command, why }) => `  next: ${command}  (${why})`),
    '',
    `  report: ${reportPath}`,
    '',
  ].join('\n');
}
