import assert from 'node:assert/strict';
import { test } from 'node:test';
import { published } from '../catalog/published.js';
import { planOf, runsOf } from '../diagnose/fixtures/experiment-runs.js';
import { medianBreakdowns, publishedTableOf } from './experiment.js';

/** @type {(...values: (number | null)[]) => { breakdowns: import('../record/types.js').Breakdown[] }} */
const result = (...values) => ({
  breakdowns: [
    {
      title: 'By operation',
      caption: 'what to see',
      rows_label: 'operation',
      columns: [{ id: 'p95', label: 'p95', unit: 'ms' }],
      rows: values.map((value, index) => ({ name: `row ${index}`, values: [value] })),
    },
  ],
});

test('each figure is the median over the runs that have it', () => {
  const [table] = medianBreakdowns([result(10, 1), result(30, null), result(20, 3)]);
  assert.deepEqual(
    table.rows.map(({ name, values }) => [name, ...values]),
    [
      ['row 0', 20],
      ['row 1', 2],
    ],
  );
  assert.equal(table.title, 'By operation');
});

test('runs without tables, or no runs at all, have none', () => {
  assert.deepEqual(medianBreakdowns([{}, {}]), []);
  assert.deepEqual(medianBreakdowns([]), []);
});

const arms = ['async-unpooled', 'async-pooled', 'hash-pooled'].map((id) => ({ id, architecture: 'pools', variables: { VARIANT: id } }));
const definition = {
  section: 'pools',
  runs: { 'async-unpooled': 'async-unpooled', 'async-pooled': 'async-pooled' },
  figures: { goodput_rps: 'throughput_rps', latency_ms_p50_ok: 'latency_ms.p50', latency_ms_p99_ok: 'latency_ms.nothing' },
  within: 0.05,
  reasons: { 'async-pooled': 'threads start slowly here', 'async-unpooled': 'never said, because it is near' },
};
const runs = runsOf(planOf({ arms }), { 'async-unpooled': { goodput: 97 }, 'async-pooled': { goodput: 40 }, 'hash-pooled': {} });
const tableOf = (/** @type {Partial<Parameters<typeof publishedTableOf>[0]>} */ given) =>
  publishedTableOf({ definition, arms, runs, isAlike: true, ...given });

test('an experiment whose source gives no figures by arm has no table', () => {
  assert.equal(tableOf({ definition: undefined }), null);
});

test('arms and figures that the source has stand beside what was measured, and others are left out', () => {
  const table = tableOf({});
  assert.equal(table?.source, published.pools.source);
  assert.deepEqual(
    table?.arms.map(({ arm, figures }) => [arm, figures.map(({ metric }) => metric)]),
    [
      ['async-unpooled', ['goodput_rps', 'latency_ms_p50_ok']],
      ['async-pooled', ['goodput_rps', 'latency_ms_p50_ok']],
    ],
  );
  const [{ published: figure, measured, ratio }] = table?.arms[0].figures ?? [];
  assert.equal(figure, 97.8);
  assert.ok(measured.median !== null && Math.abs(measured.median - 97) < 2);
  assert.ok(ratio !== null && Math.abs(ratio - 97 / 97.8) < 0.02);
});

test('a rate is expected to be near, and one that is not says why; of latencies nothing is expected', () => {
  const marks = tableOf({})?.arms.map(({ figures }) => figures.map(({ near, reason }) => [near, reason]));
  assert.deepEqual(marks, [
    [
      [true, null],
      [null, null],
    ],
    [
      [false, 'threads start slowly here'],
      [null, null],
    ],
  ]);
});

test('of another load or budget nothing is expected', () => {
  const table = tableOf({ isAlike: false });
  assert.equal(table?.within, null);
  assert.ok(table?.arms.every(({ figures }) => figures.every(({ near }) => near === null)));
});
