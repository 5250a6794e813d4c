import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinedRows, processesIn } from './processes.js';

const NAMES = new Map([
  ['172.18.0.5', 'web-1'],
  ['172.18.0.6', 'web-2'],
]);

/** @param {Record<string, any[]>} records  rows by the number of the process */
const fileOf = (records) => (/** @type {string} */ name) =>
  (records[/^process-(\d+)\.ndjson$/.exec(name)?.[1] ?? ''] ?? []).map((row) => `${JSON.stringify(row)}\n`).join('');

/** @param {number} t @param {object} [values] */
const row = (t, values) => ({
  t,
  event: 'tick',
  received: 0,
  answered: {},
  aborted: 0,
  in_flight: 0,
  ok_ms: { count: 0, handler: 0 },
  logged: 0,
  connections: 0,
  late_ms: { mean: 0, p99: 0, max: 0 },
  busy_share: 0,
  rss_bytes: 0,
  ...values,
});

test('containers of one service are told apart by their addresses', () => {
  const file = fileOf({
    1: [row(1, { addresses: ['172.18.0.5'] })],
    2: [row(2, { addresses: ['172.18.0.6'] })],
    3: [row(3, { addresses: ['10.0.0.9'] })],
  });
  const begun = (/** @type {string} */ service) => processesIn(file, { service, names: NAMES }).map(({ rows }) => rows[0].t);
  assert.deepEqual(
    [begun('web-1'), begun('web-2')],
    [
      [1, 3],
      [2, 3],
    ],
  );
});

test('half a line, as a process leaves it that is killed, is no row', () => {
  const file = (/** @type {string} */ name) => (name === 'process-1.ndjson' ? `${JSON.stringify(row(1))}\n{"t":2,"ev` : '');
  const [{ rows }] = processesIn(file, { service: 'web', names: NAMES });
  assert.deepEqual(
    rows.map(({ t }) => t),
    [1],
  );
});

test('a single process is as it said itself', () => {
  const rows = [row(10.2, { event: 'start', versions: { node: '24.0.0' } }), row(11.2, { received: 5, in_flight: 2, busy_share: 0.4 })];
  const joined = joinedRows([{ rows, sightings: [], lost: 0, ofLoad: 0 }]);
  assert.deepEqual(
    joined.map(({ t, event, received, in_flight, busy_share }) => [t, event, received, in_flight, busy_share]),
    [
      [10.2, 'start', 0, 0, 0],
      [11.2, 'tick', 5, 2, 0.4],
    ],
  );
  assert.deepEqual(joined[0].versions, { node: '24.0.0' });
});

test('of several their counts are added up, and the busiest loop is the loop; what one had open that ended is gone', () => {
  const first = [row(10.1, { event: 'start' }), row(11.1, { received: 3, answered: { '2xx': 2 }, in_flight: 1, busy_share: 0.2 })];
  const second = [10.5, 11.5, 12.5, 13.5].map((t, index) =>
    row(t, { received: index * 2, answered: { '2xx': index }, in_flight: 1, busy_share: 0.9 }),
  );
  const joined = joinedRows([first, second].map((rows) => ({ rows, sightings: [], lost: 0, ofLoad: 0 })));
  assert.deepEqual(
    joined.map(({ t, received, answered, in_flight: open, busy_share: busy }) => [t, received, answered['2xx'] ?? 0, open, busy]),
    [
      [10.5, 0, 0, 1, 0.9],
      [11.5, 5, 3, 2, 0.9],
      [12.5, 7, 4, 1, 0.9],
      [13.5, 9, 5, 1, 0.9],
    ],
  );
});
