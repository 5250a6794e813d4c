import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from './fixtures/record.js';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.js';
import { FROM, SECONDS } from './fixtures/story.js';
import { failuresByTime, generatorCounts } from './generator.js';

const story = { kinds: { eof: { 3: 40, 4: 2 }, reset: { 4: 5 } }, answers: [{ status: 500, count: 6 }] };

test('the counts of the load are those of the summary, kinds that never came left out', () => {
  const { started, finished, ok, failed, unfinished, status, kind } = generatorCounts(
    recordOf({ ...story, kinds: { ...story.kinds, refused: {} } }),
  );
  assert.deepEqual({ started, finished, ok, failed, unfinished }, { started: 1053, finished: 1053, ok: 1000, failed: 53, unfinished: 0 });
  assert.deepEqual(status, { 500: 6 });
  assert.deepEqual(kind, { eof: 42, reset: 5 });
});

test('a k6 that was killed is counted second by second, with percentiles that are not known', () => {
  const raw = recordOf(story);
  const { finished, failed, kind, status } = generatorCounts(raw);
  raw.summary = null;
  const counts = generatorCounts(raw);
  assert.deepEqual(
    { finished: counts.finished, failed: counts.failed, kind: counts.kind, status: counts.status },
    { finished, failed, kind, status },
  );
  assert.deepEqual(counts.latencyMs.ok, { p50: null, p95: null, p99: null, max: null });
  assert.equal(counts.okMeanMs, null);
});

test('a request that was started and not finished is cut off, and there cannot be less than none', () => {
  const raw = recordOf();
  raw.summary.metrics.lab_started.values.count += 7;
  assert.equal(generatorCounts(raw).unfinished, 7);
  raw.summary.metrics.lab_started.values.count -= 20;
  assert.equal(generatorCounts(raw).unfinished, 0);
});

test('answers are told by the node that gave them', () => {
  const raw = recordOf();
  raw.summary.metrics.lab_node_app_1 = { values: { count: 998 } };
  assert.deepEqual(generatorCounts(raw).node, { app_1: 998 });
});

test('failures of a kind fall into the seconds that the record has them in', () => {
  const { snapshots } = recordOf(story);
  assert.deepEqual(failuresByTime(snapshots, 'eof', 42), [
    { from: FROM + 2, to: FROM + 3, count: 40 },
    { from: FROM + 3, to: FROM + 4, count: 2 },
  ]);
  assert.deepEqual(failuresByTime(snapshots, 'refused', 0), []);
});

test("what the summary has more fell after the record's last line", () => {
  const { snapshots } = recordOf(story);
  assert.deepEqual(failuresByTime(snapshots, 'reset', 9), [
    { from: FROM + 3, to: FROM + 4, count: 5 },
    { from: FROM + SECONDS, to: FROM + SECONDS + 1, count: 4 },
  ]);
});

test('a late line stands for all the time since the line before it', () => {
  const snapshots = [1, 4.5].map((second) => ({ t: FROM + second, metrics: { lab_failed_kind_eof: { count: second === 1 ? 0 : 8 } } }));
  assert.deepEqual(failuresByTime(snapshots, 'eof', 8), [{ from: FROM + 1, to: FROM + 4.5, count: 8 }]);
});

/** @param {import('./read-raw.js').Raw} raw */
const writtenIn = (raw) => {
  const { created, deleted } = generatorCounts(raw);
  return { created, deleted };
};

test('which answers left a document behind is what the scenario says of them', () => {
  assert.deepEqual(writtenIn(recordOf(story)), { created: 1000, deleted: 0 });
  assert.deepEqual(writtenIn(crudRecord()), { created: 450, deleted: 150 });
  assert.deepEqual(writtenIn(poolsRecord()), { created: 0, deleted: 0 });
});

test('documents that were made and taken away are known of a k6 that was killed', () => {
  const raw = crudRecord();
  raw.summary = null;
  assert.deepEqual(writtenIn(raw), { created: 450, deleted: 150 });
});

test('a program has started and finished all that its writers were told to do, and timed none of it', () => {
  const { latencyMs, okMeanMs, ...counts } = generatorCounts(programRecord());
  const none = { status: {}, code: {}, kind: {}, node: {} };
  assert.deepEqual(counts, {
    ...none,
    name: 'tchmttest',
    started: 4000,
    finished: 4000,
    ok: 4000,
    failed: 0,
    unfinished: 0,
    created: 4000,
    deleted: 0,
  });
  const unknown = { p50: null, p95: null, p99: null, max: null };
  assert.deepEqual([latencyMs, okMeanMs], [{ all: unknown, ok: unknown }, null]);
});

test('of a writer that ended badly no insert is good, whatever its file holds', () => {
  const { finished, ok, failed, created } = generatorCounts(programRecord([{}, { exit_code: 1, inserts: 500, stored: 400 }]));
  assert.deepEqual({ finished, ok, failed, created }, { finished: 2500, ok: 2000, failed: 500, created: 2000 });
});
