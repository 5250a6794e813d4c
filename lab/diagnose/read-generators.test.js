import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { readGenerators } from './read-generators.js';

/**
 * Every 56th line that users of a real run wrote, an open load of 35 requests a second whose database lost its CPU for 10 s: time-outs,
 * retries, and arrivals that were late by k6's own clock.
 */
const STORED = gunzipSync(readFileSync(fileURLToPath(new URL('fixtures/k6-retries.log.gz', import.meta.url))))
  .toString()
  .trim()
  .split('\n');
const [TOLD, LINES] = [true, false].map((isTold) => STORED.filter((line) => line.includes('event') === isTold));
const manifest = { scenario: 'documents', load_began_s: 1_795_409_588.294, load_ended_s: 1_795_409_691.976 };
const logged = (/** @type {object} */ line) => JSON.stringify({ level: 'error', msg: JSON.stringify(line) });

/** @param {Record<string, string>} files  by their paths in `raw/` */
const reading = (files) => async (/** @type {string} */ name) => files[name] ?? '';

/** @param {number} counted  requests, by k6's own count */
const summaryOf = (counted) =>
  JSON.stringify({ state: { testRunDurationMs: 100_000 }, metrics: { lab_finished: { type: 'counter', values: { count: counted } } } });

/** The same load as if several generators had made it: each has every so-many-th line. @param {number} parts @param {number} counted */
function inParts(parts, counted) {
  const names = Array.from({ length: parts }, (_, index) => `k6-${index + 1}`);
  const files = names.flatMap((name, index) => [
    [`${name}/k6.log`, [...TOLD, ...LINES.filter((_, at) => at % parts === index)].join('\n')],
    [`${name}/k6-summary.json`, summaryOf(index === 0 ? counted : 0)],
  ]);
  return { manifest: { ...manifest, generators: names.map((name) => ({ name })) }, text: reading(Object.fromEntries(files)) };
}

const whole = await readGenerators(manifest, reading({ 'k6.log': STORED.join('\n'), 'k6-summary.json': summaryOf(0) }));
const counted = Number(whole.written?.written);

/** The same values added up in another order may differ in the last digit of a mean. @param {Awaited<ReturnType<typeof readGenerators>>} read */
const figuresOf = ({ snapshots, summary, failures }) =>
  JSON.parse(
    JSON.stringify({ snapshots, metrics: summary.metrics, failed: failures.map(({ id }) => id).sort() }, (_, value) =>
      typeof value === 'number' ? Number(value.toPrecision(12)) : value,
    ),
  );

for (const parts of [2, 3])
  test(`${parts} parts of a load give the counts and percentiles of the whole, in each second and in all`, async () => {
    const { manifest: several, text } = inParts(parts, counted);
    const together = await readGenerators(several, text);
    assert.ok(whole.failures.length > 50 && counted > 200);
    assert.deepEqual(figuresOf(together), figuresOf(whole));
    assert.deepEqual(together.written, { written: counted, counted });
  });

test('each request of the load is in one stage, and the percentile of all good answers lies between those of the stages', async () => {
  const shape = { stages: [2, 38, 40, 20].map((duration_s) => ({ duration_s, target: 35 })) };
  const { byStage, summary } = await readGenerators(
    { ...manifest, shape },
    reading({ 'k6.log': STORED.join('\n'), 'k6-summary.json': summaryOf(0) }),
  );
  assert.ok(byStage);
  const sumOf = (/** @type {'requests' | 'failures'} */ key) => byStage.reduce((sum, stage) => sum + stage[key], 0);
  assert.deepEqual([sumOf('requests'), sumOf('failures')], [counted, summary.metrics.lab_failed.values.count]);
  for (const rank of /** @type {const} */ (['p50', 'p95', 'p99'])) {
    const all = byStage.flatMap(({ latency_ms_ok: ok }) => ok[rank] ?? []);
    const whole = summary.metrics.lab_latency_ok.values[rank === 'p50' ? 'med' : `p(${rank.slice(1)})`];
    assert.ok(Math.min(...all) <= whole && whole <= Math.max(...all), `${rank}: ${whole} of ${all}`);
  }
});

test('the moment at which a script’s users had ended, and what k6 itself said, are read from its log', async () => {
  const said = 'test aborted: enough seen at default (file:///load.js:3:96(17))';
  const lines = [
    JSON.stringify({ level: 'error', msg: '{"event":"end","t":1795725304.52}', source: 'console' }),
    JSON.stringify({ level: 'error', msg: 'test aborted: by the script’s own console', source: 'console' }),
    JSON.stringify({ level: 'error', msg: said, time: '2026-11-26T20:35:04Z' }),
  ];
  const { ending } = await readGenerators(manifest, reading({ 'k6.log': lines.join('\n'), 'k6-summary.json': summaryOf(0) }));
  assert.deepEqual(ending, { at_s: 1_795_725_304.52, last_s: null, said: [said] });
  assert.ok(Number(whole.ending.last_s) > manifest.load_began_s);
});

test('where one left no summary nobody knows what k6 counted, and what it wrote counts all the same', async () => {
  const { manifest: several, text } = inParts(2, counted);
  const read = await readGenerators(several, async (name) => (name === 'k6-2/k6-summary.json' ? '' : text(name)));
  assert.deepEqual(read.written, { written: counted, counted: null });
});

test('each one’s arrivals are late by its own clock, and its test is shorter by what it waited for the others', async () => {
  const origin = manifest.load_began_s * 1000 + 1000;
  const summary = JSON.stringify({ state: { testRunDurationMs: 16_500 }, metrics: {} });
  const late = (/** @type {number} */ ms) =>
    [
      logged({ event: 'waited', ms: 6500 }),
      logged({ event: 'first-arrival', late_ms: ms }),
      logged({ requests: [origin, 0, 0, -ms * 10, 200 + ms * 10, 0, 0] }),
    ].join('\n');
  const files = { 'k6-1/k6.log': late(40), 'k6-2/k6.log': late(90), 'k6-1/k6-summary.json': summary, 'k6-2/k6-summary.json': summary };
  const read = await readGenerators({ ...manifest, generators: [{ name: 'k6-1' }, { name: 'k6-2' }] }, reading(files));
  const { min, max, count } = read.summary.metrics.lab_latency_all.values;
  assert.deepEqual([count, min, max], [2, 20, 20]);
  assert.equal(read.summary.state.testRunDurationMs, 10_000);
});
