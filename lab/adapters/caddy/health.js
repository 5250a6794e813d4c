/**
 * Which services behind Caddy left out and took in again: by its active health checks, which write a line for each check that fails and one
 * for each return, else by the gauge that it keeps of every upstream.
 */
import { serviceAt } from '../hop-counts.js';
import { messageOf } from './requests.js';

/** @typedef {import('../contract.js').Message} Message */

const UP = 'host is up';
/** What a failed check writes (modules/caddyhttp/reverseproxy/healthchecks.go, doActiveHealthCheck). */
const DOWN = new Set([
  'HTTP request failed',
  'unexpected status code',
  'status code out of tolerances',
  'failed to read response body',
  'response body failed expectations',
]);

/**
 * @param {import('./log-entry.js').Entry[]} entries  of health checks, in the order of time
 * @param {Map<string, string>} names
 * @returns {Message[]} one for each change
 */
export function checkMessages(entries, names) {
  /** @type {Set<string>} */
  const down = new Set();
  return entries.flatMap((entry) => {
    const to = serviceAt(entry.host, names);
    if (entry.message === UP && down.delete(entry.host)) return [messageOf(entry, 'restored', to)];
    if (!DOWN.has(entry.message) || down.has(entry.host)) return [];
    down.add(entry.host);
    return [messageOf(entry, 'benched', to)];
  });
}

/**
 * @param {import('./metrics.js').MetricsSample[]} samples
 * @param {Map<string, string>} names
 * @returns {Message[]} Caddy brings the gauge up to date every ten seconds, so each is up to that late
 */
export function gaugeMessages(samples, names) {
  return samples.slice(1).flatMap(({ t, healthy }, index) =>
    Object.entries(healthy).flatMap(([upstream, now]) => {
      const before = samples[index].healthy[upstream];
      if (before === undefined || before === now) return [];
      const signal = /** @type {import('../contract.js').Signal} */ (now === 1 ? 'restored' : 'benched');
      const text = `caddy_reverse_proxy_upstreams_healthy{upstream="${upstream}"} ${now}`;
      return [{ signal, t, text, to: serviceAt(upstream, names) }];
    }),
  );
}
