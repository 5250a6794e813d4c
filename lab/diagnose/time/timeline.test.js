import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../fixtures/record.js';
import { programRecord } from '../fixtures/scenario-records.js';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.js';
import { secondOf } from './seconds.js';
import { timelineOf } from './timeline.js';
import { windowOf } from './window.js';

/** @param {import('../fixtures/story.js').Raw} raw */
function timelineIn(raw) {
  const window = windowOf(raw);
  assert.ok(window);
  return timelineOf(raw, window);
}

/** The row of a second. @type {(rows: import('../../record/result.js').TimelineRow[], second: number) => import('../../record/result.js').TimelineRow} */
const at = (rows, second) => /** @type {any} */ (rows.find(({ t_s }) => t_s === second));

/** The snapshot of a second of the load. @type {(raw: import('../fixtures/story.js').Raw, second: number) => import('../../record/k6-record.js').Snapshot} */
const snapshotOf = (raw, second) => raw.snapshots[WARMUP_S + second - 1];

test('every second has one row, from the start of the warm-up to the last answer', () => {
  const rows = timelineIn(recordOf());
  assert.deepEqual(
    rows.map(({ t_s }) => t_s),
    Array.from({ length: WARMUP_S + SECONDS + 1 }, (_, index) => index - WARMUP_S),
  );
});

test('of a long warm-up the last seconds have rows', () => {
  const raw = recordOf();
  const [first] = timelineOf(raw, { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - 90 });
  assert.deepEqual([first.t_s, first.warmup], [-10, true]);
});

test("the warm-up's rows hold k6's own figures and no failures", () => {
  const rows = timelineIn(recordOf({ kinds: { eof: { 1: 5 } } }));
  assert.ok(rows.every(({ t_s, warmup }) => warmup === t_s <= 0));
  const { vus, throughput_rps, goodput_rps, failures_per_s, latency_ms_p95, latency_ms_p95_ok } = at(rows, -2);
  assert.deepEqual(
    { vus, throughput_rps, goodput_rps, failures_per_s, latency_ms_p95, latency_ms_p95_ok },
    { vus: 20, throughput_rps: 200, goodput_rps: null, failures_per_s: null, latency_ms_p95: 40, latency_ms_p95_ok: null },
  );
});

test("the load's rows hold what was answered well and what failed in that second", () => {
  const row = at(timelineIn(recordOf({ kinds: { eof: { 4: 25 } } })), 4);
  assert.deepEqual(row, {
    t_s: 4,
    warmup: false,
    vus: 3,
    throughput_rps: 125,
    goodput_rps: 100,
    failures_per_s: 25,
    latency_ms_p50: 19,
    latency_ms_p95: 40,
    latency_ms_p99: 50,
    latency_ms_p50_ok: 19,
    latency_ms_p95_ok: 40,
    latency_ms_p99_ok: 50,
  });
});

test('a late snapshot is shared out over the seconds that it covers, and those before it stay empty', () => {
  const raw = recordOf();
  const late = snapshotOf(raw, 6);
  late.metrics.lab_finished = { count: 300 };
  raw.snapshots = raw.snapshots.filter(({ t }) => t !== FROM + 4 && t !== FROM + 5);
  const rows = timelineIn(raw);
  assert.equal(at(rows, 6).throughput_rps, 100);
  for (const second of [4, 5])
    assert.deepEqual([at(rows, second).throughput_rps, at(rows, second).vus, at(rows, second).warmup], [null, null, false]);
});

test('two snapshots in quick succession make no rate of thousands', () => {
  const raw = recordOf();
  raw.snapshots.splice(WARMUP_S + 4, 0, { ...snapshotOf(raw, 4), t: FROM + 4.99 });
  assert.equal(at(timelineIn(raw), 5).throughput_rps, 200);
});

test('a second with 0 users in which requests were finished is a reading that was not taken', () => {
  const raw = recordOf();
  snapshotOf(raw, 3).metrics.vus = { value: 0 };
  delete snapshotOf(raw, 4).metrics.vus;
  const rows = timelineIn(raw);
  assert.deepEqual([at(rows, 3).vus, at(rows, 4).vus], [null, null]);
});

test('a second with 0 users in which nothing was finished had no users', () => {
  const raw = recordOf();
  snapshotOf(raw, 1).metrics = { vus: { value: 0 } };
  const row = at(timelineIn(raw), 1);
  assert.deepEqual([row.vus, row.throughput_rps, row.latency_ms_p50], [0, 0, null]);
});

test('snapshots from before the warm-up and after the last answer have no row', () => {
  const raw = recordOf();
  raw.snapshots.unshift({ t: FROM - WARMUP_S - 4, metrics: {} });
  raw.snapshots.push({ t: FROM + SECONDS + 3, metrics: { vus: { value: 3 } } });
  const rows = timelineIn(raw);
  assert.deepEqual([rows[0].t_s, rows[rows.length - 1].t_s], [-WARMUP_S, SECONDS]);
});

test('a moment belongs to the second whose end it is nearest to', () => {
  const window = { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - WARMUP_S };
  assert.deepEqual(
    [FROM + 0.9, FROM + 1.4, FROM - 2.2].map((t) => secondOf(t, window)),
    [1, 1, -2],
  );
});

test('every second of a program has a row, for what its store used in it; of its work nothing is known', () => {
  const rows = timelineIn(programRecord());
  assert.deepEqual(
    rows.map(({ t_s }) => t_s),
    Array.from({ length: SECONDS + 1 }, (_, second) => second),
  );
  for (const { t_s, warmup, ...figures } of rows.slice(1)) {
    assert.equal(warmup, false);
    assert.ok(
      Object.values(figures).every((value) => value === null),
      String(t_s),
    );
  }
});
