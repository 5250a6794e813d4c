import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aggregateOf, countOf, K6Record, withTotals } from './k6-record.js';

/** Cut from a real run of 2,000 users through a balancer with 1,024 connections. */
const text = readFileSync(new URL('fixtures/k6-record.ndjson', import.meta.url), 'utf8');

function readAll() {
  const record = new K6Record();
  record.feed(text);
  return record;
}

test('every snapshot becomes one second, in order', () => {
  const { snapshots, stopped } = readAll();
  assert.equal(snapshots.length, 11);
  assert.ok(snapshots.every(({ t }, index) => index === 0 || t > snapshots[index - 1].t));
  assert.equal(snapshots[0].t, 1795222376.19);
  assert.equal(stopped, true);
});

test('values keep their metrics when metrics are announced later on', () => {
  const { snapshots } = readAll();
  const latest = snapshots[10];
  assert.equal(countOf(latest, 'lab_finished'), 1805);
  assert.equal(countOf(latest, 'lab_failed'), 1237);
  assert.equal(countOf(latest, 'lab_failed_code_1000'), 965);
  assert.equal(aggregateOf(latest, 'lab_latency_all', 'p(95)'), 874.14);
  assert.equal(aggregateOf(latest, 'lab_latency_all', 'max'), 944.94);
});

test('what finished and what was answered well follows from all requests of a second and those that failed', () => {
  const events = [
    { event: 'param', data: { aggregates: { counter: ['count'], gauge: ['value'], trend: ['avg'] } } },
    { event: 'metric', data: { http_reqs: { type: 'counter' }, time: { type: 'gauge' } } },
    { event: 'snapshot', data: [[100], [1000]] },
    { event: 'metric', data: { lab_failed: { type: 'counter' }, lab_latency_all: { type: 'trend' } } },
    // In the order of their names: http_reqs, lab_failed, lab_latency_all, time.
    { event: 'snapshot', data: [[90], [30], [12.5], [2000]] },
  ];
  const record = new K6Record();
  record.feed(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const [warmup, load] = record.snapshots;
  assert.deepEqual([countOf(warmup, 'http_reqs'), countOf(warmup, 'lab_finished')], [100, 0]);
  assert.deepEqual([countOf(load, 'lab_finished'), countOf(load, 'lab_ok')], [90, 60]);
});

test('the summary’s totals are the numbers of its times', () => {
  const trend = (/** @type {number} */ count) => ({ values: { count } });
  /** @type {(metrics: Record<string, any>) => Record<string, any>} */
  const totals = (metrics) => withTotals({ metrics }).metrics;
  const both = totals({ lab_latency_all: trend(90), lab_latency_ok: trend(60) });
  assert.deepEqual([both.lab_finished.values.count, both.lab_ok.values.count], [90, 60]);
  assert.equal(totals({ lab_latency_all: trend(90) }).lab_ok.values.count, 0);
  assert.deepEqual(totals({}), {});
});

test('a counter that was not there yet, or did not move, counts nothing', () => {
  const { snapshots } = readAll();
  assert.equal(countOf(snapshots[1], 'lab_finished'), 0);
  assert.equal(countOf(snapshots[4], 'http_reqs'), 0);
});

test('an aggregate that is not there is null, and a zero is a zero', () => {
  const { snapshots } = readAll();
  assert.equal(aggregateOf(snapshots[0], 'vus', 'value'), null);
  assert.equal(aggregateOf(snapshots[1], 'vus', 'value'), 0);
  // k6 leaves a gauge out of a second in which nothing set it.
  assert.equal(aggregateOf(snapshots[10], 'vus', 'value'), null);
  assert.equal(aggregateOf(snapshots[10], 'lab_latency_all', 'p(50)'), null);
});

test('a record that arrives in pieces reads as the whole one', () => {
  const record = new K6Record();
  const found = [];
  const pieceLength = 97;
  for (let at = 0; at < text.length; at += pieceLength) found.push(...record.feed(text.slice(at, at + pieceLength)));
  assert.deepEqual(found, readAll().snapshots);
  assert.deepEqual(record.snapshots, found);
});

test('a record without its end has not stopped, and its last broken line is waited for', () => {
  const record = new K6Record();
  record.feed(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 10));
  assert.equal(record.stopped, false);
  assert.equal(record.snapshots.length, 11);
});
