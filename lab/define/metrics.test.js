import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedMetrics, familyOf, metricOf, metrics } from './metrics.js';
import { scenarios } from './scenarios.js';

const own = Object.values(scenarios).flatMap(({ figures }) => figures);
const ids = metrics.map(({ id }) => id);

/** @param {Record<string, number | null>} [figures] */
const resultWith = (figures) => /** @type {any} */ ({ figures });

test('every metric has a name of its own', () => {
  assert.equal(new Set(ids).size, ids.length);
});

test("the scenarios' figures join the metrics of every run at the end, in their order", () => {
  assert.deepEqual(
    ids.slice(-own.length),
    own.map(({ id }) => id),
  );
  assert.deepEqual(ids.slice(0, 2), ['goodput_rps', 'failure_rate']);
});

test("a scenario's figure has its label, unit and direction, is compared as a ratio and gates nothing", () => {
  const { label, unit, better, of_successes, scale, gate } = metricOf('latency_ms_p95_create');
  assert.deepEqual(
    { label, unit, better, of_successes, scale, gate },
    { label: 'p95 of creates', unit: 'ms', better: 'lower', of_successes: true, scale: 'ratio', gate: false },
  );
  assert.equal(metricOf('journal_mb_per_s').unit, 'mb_per_s');
});

test("a scenario's figure is read from the result's own, and is not known of other scenarios' runs or of older results", () => {
  const { read } = metricOf('database_spread');
  assert.equal(read(resultWith({ database_spread: 0.034, journal_mb_per_s: 2 })), 0.034);
  assert.equal(read(resultWith({ database_spread: null })), null);
  assert.equal(read(resultWith({})), null);
  assert.equal(read(resultWith()), null);
});

test('runs are compared by every metric that has a better, and by no other', () => {
  assert.deepEqual(
    comparedMetrics.map(({ id }) => id),
    ids.filter((id) => metricOf(id).better !== null),
  );
  const left = ids.filter((id) => !comparedMetrics.some((metric) => metric.id === id));
  assert.deepEqual(
    left,
    own.filter(({ better }) => better === null).map(({ id }) => id),
  );
  assert.ok(left.includes('batch_size_mean') && !left.includes('latency_ms_p95_read'));
});

test('the gates, the other metrics of every run and those of the scenarios are a family each', () => {
  const familiesOf = (/** @type {string[]} */ some) => [...new Set(some.map((id) => familyOf(metricOf(id))))];
  assert.deepEqual(familiesOf(['goodput_rps', 'failure_rate']), ['gates']);
  assert.deepEqual(familiesOf(ids.slice(2, -own.length)), ['others']);
  assert.deepEqual(familiesOf(ids.slice(-own.length)), ['own']);
});

test('a metric that there is not cannot be asked for', () => {
  assert.throws(() => metricOf('goodput'), /^RangeError: no metric goodput$/);
});
