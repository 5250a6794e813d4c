import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMessages, gaugeMessages } from './health.js';
import { readEntry } from './log-entry.js';

const names = new Map([['app-2', 'app-two']]);

/** @type {(t: number, msg: string, host: string) => import('./log-entry.js').Entry} */
function check(t, msg, host) {
  const text = JSON.stringify({ ts: t, logger: 'http.handlers.reverse_proxy.health_checker.active', msg, host });
  return /** @type {import('./log-entry.js').Entry} */ (readEntry({ t, text }));
}

test('of checks that fail one after the other the first leaves the service out, and its return is told once', () => {
  const entries = [
    check(1, 'HTTP request failed', 'app-2:3000'),
    check(2, 'HTTP request failed', 'app-2:3000'),
    check(2, 'unexpected status code', 'app-1:3000'),
    check(3, 'host is up', 'app-2:3000'),
    check(3, 'host is up', 'app-2:3000'),
    check(4, 'status code out of tolerances', 'app-2:3000'),
  ];
  assert.deepEqual(
    checkMessages(entries, names).map(({ t, signal, to }) => [t, signal, to]),
    [
      [1, 'benched', 'app-two'],
      [2, 'benched', 'app-1'],
      [3, 'restored', 'app-two'],
      [4, 'benched', 'app-two'],
    ],
  );
});

test('a service that was never out is not taken in again, and other lines say nothing', () => {
  assert.deepEqual(checkMessages([check(1, 'host is up', 'app-2:3000'), check(2, 'bad network address', 'app-2:3000')], names), []);
});

test('the gauge tells what changed between two samples', () => {
  const sample = (/** @type {number} */ t, /** @type {Record<string, number>} */ healthy) => ({ t, openFiles: 1, mostFiles: 2, healthy });
  const messages = gaugeMessages(
    [sample(1, { 'app-2:3000': 1 }), sample(2, { 'app-2:3000': 0 }), sample(3, { 'app-2:3000': 1, 'app-3:3000': 0 })],
    names,
  );
  assert.deepEqual(messages, [
    { signal: 'benched', t: 2, text: 'caddy_reverse_proxy_upstreams_healthy{upstream="app-2:3000"} 0', to: 'app-two' },
    { signal: 'restored', t: 3, text: 'caddy_reverse_proxy_upstreams_healthy{upstream="app-2:3000"} 1', to: 'app-two' },
  ]);
});
