import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStateLines } from './state-lines.js';

const serviceOf = (/** @type {string} */ server) => `service of ${server}`;

/** @type {(...texts: string[]) => { signal: string, to?: string }[]} each line ten seconds after the one before */
const readAll = (...texts) =>
  readStateLines(
    texts.map((text, index) => ({ t: index * 10, text })),
    serviceOf,
  ).map(({ signal, to }) => (to === undefined ? { signal } : { signal, to }));

const DOWN =
  'Server app/s1 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 1 active and 0 backup servers left. 0 sessions active, 0 requeued, 0 remaining in queue.';

for (const [text, expected] of /** @type {[string, { signal: string, to?: string }][]} */ ([
  [DOWN, { signal: 'benched', to: 'service of app/s1' }],
  [`<133>${DOWN}`, { signal: 'benched', to: 'service of app/s1' }],
  [`[WARNING]  (8) : ${DOWN}`, { signal: 'benched', to: 'service of app/s1' }],
  [`[WARNING] 221/013536 (213) : ${DOWN}`, { signal: 'benched', to: 'service of app/s1' }],
  ['Server app/s1 is going DOWN for maintenance. 1 active and 0 backup servers left.', { signal: 'benched', to: 'service of app/s1' }],
  ['Server app/s1 is UP, reason: Layer4 check passed, check duration: 0ms.', { signal: 'restored', to: 'service of app/s1' }],
  ['Backup Server app/s2 is UP/READY (leaving forced maintenance).', { signal: 'restored', to: 'service of app/s2' }],
  ['backend app has no server available!', { signal: 'destination_unavailable' }],
  ["[ALERT]    (8) : backend 'app' has no server available!", { signal: 'destination_unavailable' }],
  ["Proxy web reached the configured maximum connection limit. Please check the global 'maxconn' value.", { signal: 'table-full-new' }],
  ["Proxy web reached process FD limit (maxsock=1031). Please check 'ulimit-n' and restart.", { signal: 'proxy_internal_error' }],
  ['Proxy web reached system FD limit (maxsock=1031). Please check system tunables.', { signal: 'proxy_internal_error' }],
  ['Proxy web reached system memory limit (maxsock=1031). Please check system tunables.', { signal: 'proxy_internal_error' }],
  ['Connect() failed for backend app: no free ports.', { signal: 'proxy_internal_error' }],
  ['Connect() failed for backend app: local address already in use.', { signal: 'proxy_internal_error' }],
  ['Proxy web stopped (cumulated conns: FE: 31, BE: 0).', { signal: 'shut-down' }],
  ['[WARNING]  (1) : Exiting Master process...', { signal: 'shut-down' }],
  ['[ALERT]    (1) : Current worker (8) exited with code 139 (Segmentation fault)', { signal: 'worker-died' }],
]))
  test(`"${text.slice(0, 70)}" means ${expected.signal}`, () => assert.deepEqual(readAll(text), [expected]));

test('a message that is written to the log and to the error output is one', () => {
  const lines = [
    { t: 1, text: `[WARNING]  (8) : ${DOWN}` },
    { t: 1.001, text: DOWN },
    { t: 1.002, text: "[ALERT]    (8) : backend 'app' has no server available!" },
    { t: 1.003, text: 'backend app has no server available!' },
    { t: 8, text: DOWN },
  ];
  assert.deepEqual(
    readStateLines(lines, serviceOf).map(({ t, signal }) => [t, signal]),
    [
      [1, 'benched'],
      [1.002, 'destination_unavailable'],
      [8, 'benched'],
    ],
  );
});

test('other lines say nothing: a start, a worker that was told to end, and what a client writes', () => {
  const texts = [
    '[NOTICE]   (1) : New worker (8) forked',
    '[ALERT]    (1) : Current worker (8) exited with code 143 (Terminated)',
    `10.0.0.9:3 "GET /Server app/s1 is DOWN"`,
    `x ${DOWN}`,
    '',
  ];
  assert.deepEqual(readAll(...texts), []);
});
