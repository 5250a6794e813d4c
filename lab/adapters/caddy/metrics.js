/**
 * Reads what Caddy's handler `metrics` answers, in Prometheus' text format: its file descriptors, which are the one thing that it can run
 * out of by itself, and which upstreams it takes for healthy.
 */

/**
 * @typedef {object} Metrics
 * @property {number | null} openFiles
 * @property {number | null} mostFiles
 * @property {Record<string, number>} healthy  by the upstream as the configuration names it: 1 or 0
 *
 * @typedef {Metrics & { t: number }} MetricsSample
 */

const HEALTHY = /^caddy_reverse_proxy_upstreams_healthy\{[^}]*\bupstream="([^"]*)"[^}]*\} (\S+)$/;

/** @param {string} text @returns {Metrics | null} null where it is none */
export function readMetrics(text) {
  const openFiles = metricIn(text, 'process_open_fds');
  const mostFiles = metricIn(text, 'process_max_fds');
  /** @type {Record<string, number>} */
  const healthy = {};
  for (const line of text.split('\n')) {
    const found = HEALTHY.exec(line.trim());
    if (found) healthy[found[1]] = Number(found[2]);
  }
  return openFiles === null && Object.keys(healthy).length === 0 ? null : { openFiles, mostFiles, healthy };
}

/** @type {(text: string, name: string) => number | null} */
function metricIn(text, name) {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text);
  return found ? Number(found[1]) : null;
}

/** @param {MetricsSample[]} samples @returns {import('../contract.js').Limit[]} */
export function limitsOf(samples) {
  const size = samples.find(({ mostFiles }) => mostFiles !== null)?.mostFiles;
  if (!size) return [];
  const used = samples.flatMap(({ t, openFiles }) => (openFiles === null ? [] : [{ t, used: openFiles }]));
  return [{ resource: 'file descriptors', size, used }];
}
