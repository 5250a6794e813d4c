import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from './fixtures/record.js';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.js';
import { generatorCounts } from './generator.js';

const story = { kinds: { eof: { 3: 40, 4: 2 }, reset: { 4: 5 } }, answers: [{ status: 500, count: 6 }] };

test('the counts of the load are those of the summary, kinds that never came left out', () => {
  const { finished, ok, failed, status, kind } = generatorCounts(recordOf({ ...story, kinds: { ...story.kinds, refused: {} } }));
  assert.deepEqual({ finished, ok, failed }, { finished: 1053, ok: 1000, failed: 53 });
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
});

test('what was still open when the load ended, and what an open load could not begin, are counted', () => {
  const none = generatorCounts(recordOf(story));
  assert.deepEqual([none.unanswered, none.droppedArrivals], [0, 0]);
  const raw = recordOf(story);
  Object.assign(raw.summary.metrics, { lab_unanswered: { values: { count: 5 } }, dropped_iterations: { values: { count: 12 } } });
  const { unanswered, droppedArrivals, failed } = generatorCounts(raw);
  // They failed, so they are among the failures already.
  assert.deepEqual([unanswered, droppedArrivals, failed], [5, 12, 53]);
});

test("k6's own durations stand beside what users waited, and are not known of a k6 that was killed", () => {
  const raw = recordOf(story);
  raw.summary.metrics['http_req_duration{scenario:load}'].values['p(95)'] = 33;
  raw.summary.metrics['http_req_duration{scenario:load,expected_response:true}'].values['p(95)'] = 22;
  const { durationMs, latencyMs } = generatorCounts(raw);
  assert.deepEqual([durationMs?.all.p95, durationMs?.ok.p95, latencyMs.all.p95], [33, 22, 40]);
  raw.summary = null;
  assert.equal(generatorCounts(raw).durationMs, null);
});

/** @param {import('./fixtures/story.js').Raw} raw */
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

test('a program has finished all that its writers were told to do, and timed none of it', () => {
  const { latencyMs, ...counts } = generatorCounts(programRecord());
  const none = { status: {}, code: {}, kind: {}, durationMs: null };
  assert.deepEqual(counts, {
    ...none,
    name: 'tchmttest',
    finished: 4000,
    ok: 4000,
    failed: 0,
    unanswered: 0,
    droppedArrivals: 0,
    created: 4000,
    deleted: 0,
  });
  const unknown = { p50: null, p95: null, p99: null, max: null };
  assert.deepEqual(latencyMs, { all: unknown, ok: unknown });
});

test('of a writer that ended badly no insert is good, whatever its file holds', () => {
  const { finished, ok, failed, created } = generatorCounts(programRecord([{}, { exit_code: 1, inserts: 500, stored: 400 }]));
  assert.deepEqual({ finished, ok, failed, created }, { finished: 2500, ok: 2000, failed: 500, created: 2000 });
});
