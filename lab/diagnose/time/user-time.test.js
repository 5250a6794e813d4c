import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputOf } from '../fixtures/judged.js';
import { recordOf, setIteration } from '../fixtures/record.js';
import { programRecord } from '../fixtures/scenario-records.js';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.js';

/** @typedef {import('../fixtures/story.js').Raw} Raw */

const METRIC = {
  all: 'lab_latency_all',
  good: 'http_req_duration{scenario:load,expected_response:true}',
  blocked: 'http_req_blocked{scenario:load}',
  iterations: 'iteration_duration{scenario:load}',
};
/** @param {Raw} raw */
const loadSnapshots = (raw) => raw.snapshots.slice(WARMUP_S);

/** @param {(raw: Raw) => void} [change] @param {import('../fixtures/story.js').Story} [story] */
function userTime(change, story) {
  const raw = recordOf(story);
  change?.(raw);
  return inputOf(raw).userTime;
}

/** @param {ReturnType<typeof userTime>} found */
function secondsOf(found) {
  assert.ok(found);
  return Object.fromEntries(found.parts.map(({ id, seconds }) => [id, seconds]));
}

/** Users who need longer for a connection: 5 ms, and the iteration is as much longer. @param {Raw} raw */
function connectFor5Ms(raw) {
  raw.summary.metrics[METRIC.blocked].values.avg = 5;
  raw.summary.metrics.lab_latency_ok.values.avg = 25;
  setIteration(raw, 35);
  raw.summary.metrics.lab_latency_all.values.avg = 25;
  for (const { metrics } of loadSnapshots(raw))
    Object.assign(metrics, { http_req_blocked: { avg: 5 }, lab_latency_ok: { avg: 25 }, lab_latency_all: { avg: 25 } });
}

test('of users who wait 20 ms and think for 10 all the time is accounted for, and nothing is the generator’s', () => {
  const found = userTime();
  assert.equal(found?.total_s, 30);
  assert.deepEqual(secondsOf(found), { answered: 20, failed: 0, connecting: 0, thinking: 10, generator: 0 });
  assert.equal(found?.parts[0].share, 0.6667);
});

test('the parts sum to users x seconds, whatever the users did', () => {
  const found = userTime(connectFor5Ms, { kinds: { eof: { 3: 40, 5: 17 } } });
  const sum = Object.values(secondsOf(found)).reduce((total, seconds) => total + seconds, 0);
  assert.ok(Math.abs(sum - Number(found?.total_s)) < 0.02, `${sum} against ${found?.total_s}`);
});

test('what failed requests took is told apart from what good answers took', () => {
  const failing = { kinds: { eof: { 3: 100, 7: 100 } } };
  assert.deepEqual(secondsOf(userTime(undefined, failing)), { answered: 20, failed: 4, connecting: 0, thinking: 12, generator: 0 });
});

test('connecting is its own part, and no part of the waiting', () => {
  const found = userTime(connectFor5Ms);
  assert.deepEqual(secondsOf(found), { answered: 20, failed: 0, connecting: 5, thinking: 10, generator: 0 });
  assert.deepEqual(found?.stages[1].parts, { answered: 0.5714, failed: 0, connecting: 0.1429, thinking: 0.2857, generator: 0 });
});

test('what a failed request took is all of failing, connecting included, as the user waited it', () => {
  const found = userTime(
    (raw) => {
      // Good answers came on connections that were there; each failed request dialled for 60 ms and was given up.
      raw.summary.metrics[METRIC.blocked].values.avg = 30;
      raw.summary.metrics.lab_latency_all.values.avg = 40;
      for (const { metrics } of loadSnapshots(raw)) Object.assign(metrics, { http_req_blocked: { avg: 30 }, lab_latency_all: { avg: 40 } });
      setIteration(raw, 50);
    },
    { kinds: { eof: Object.fromEntries(Array.from({ length: SECONDS }, (_, index) => [index + 1, 100])) } },
  );
  assert.deepEqual(secondsOf(found), { answered: 20, failed: 60, connecting: 0, thinking: 20, generator: 0 });
  assert.deepEqual(found?.stages[1].parts, { answered: 0.2, failed: 0.6, connecting: 0, thinking: 0.2, generator: 0 });
});

test('where users do not think the same each time, what they thought is what k6 counted', () => {
  const found = userTime((raw) => {
    raw.summary.metrics.lab_think_s = { values: { count: 8 } };
    for (const { metrics } of loadSnapshots(raw)) metrics.lab_think_s = { count: 0.8 };
  });
  assert.deepEqual([secondsOf(found).thinking, secondsOf(found).generator, found?.stages[1].parts.thinking], [8, 2, 0.2667]);
});

test('users who are more and more, and think for long, are no overhead of the generator', () => {
  const found = userTime((raw) => {
    raw.summary.metrics.lab_think_s = { values: { count: 40 } };
    // 100 requests end in a second, and 40 iterations: the others still think.
    for (const { metrics } of loadSnapshots(raw))
      Object.assign(metrics, { iterations: { count: 40 }, iteration_duration: { avg: 2050 }, lab_think_s: { count: 80 } });
  });
  assert.deepEqual(found?.stages[0].parts, { answered: 0.0244, failed: 0, connecting: 0, thinking: 0.9756, generator: 0 });
});

test('iterations that take longer than waiting and thinking are the overhead of the generator', () => {
  const found = userTime((raw) => setIteration(raw, 40));
  assert.deepEqual([found?.total_s, secondsOf(found).generator, found?.stages[0].parts.generator], [40, 10, 0.25]);
});

test('users that were there and did nothing are overhead too, though no iteration tells of it', () => {
  const found = userTime((raw) => {
    raw.manifest.shape.stages[0].held = true;
    for (const { metrics } of loadSnapshots(raw)) metrics.vus = { value: 4 };
  });
  // 3 users before the first reading, 4 from then on.
  assert.deepEqual([found?.total_s, secondsOf(found).generator], [39.5, 9.5]);
});

test('users are counted along a straight line between readings, and a second without a reading is none without users', () => {
  const users = (/** @type {(raw: Raw) => void} */ change) => {
    const found = userTime((raw) => {
      raw.manifest.shape.stages[0].held = true;
      for (const { t, metrics } of loadSnapshots(raw)) metrics.vus = { value: 3 + (t - FROM) };
      change(raw);
    });
    return found?.total_s;
  };
  assert.equal(
    users(() => {}),
    80,
  );
  assert.equal(
    users((raw) => {
      loadSnapshots(raw)[4].metrics.vus = { value: 0 };
    }),
    80,
  );
  assert.equal(
    users((raw) => {
      raw.snapshots = raw.snapshots.filter(({ t }) => t !== FROM + 5 && t !== FROM + 6);
    }),
    80,
  );
});

test('a think time that the load sets goes before that of the scenario', () => {
  const found = userTime((raw) => {
    raw.manifest.think_time_s = 0.1;
    setIteration(raw, 120);
  });
  assert.deepEqual(secondsOf(found), { answered: 20, failed: 0, connecting: 0, thinking: 100, generator: 0 });
});

test('in an open load users wait for work, so the total is the time of the iterations', () => {
  const found = userTime((raw) => {
    raw.manifest.shape.model = 'open';
    for (const { metrics } of loadSnapshots(raw)) metrics.vus = { value: 200 };
  });
  assert.deepEqual([found?.total_s, secondsOf(found).generator], [30, 0]);
});

test('without one of its figures the time is not known', () => {
  for (const metric of Object.values(METRIC)) {
    const found = userTime((raw) => {
      delete raw.summary.metrics[metric];
    });
    assert.equal(found, null, metric);
  }
  const killed = userTime((raw) => {
    raw.summary = null;
  });
  assert.equal(killed, null);
});

test('a stage of whose seconds one lacks a figure has no shares', () => {
  const found = userTime((raw) => {
    delete loadSnapshots(raw)[5].metrics.iteration_duration;
  });
  assert.deepEqual(found?.stages[1].parts, { answered: null, failed: null, connecting: null, thinking: null, generator: null });
  assert.equal(found?.stages[0].parts.answered, 0.6667);
});

test('a program has no users', () => {
  assert.equal(inputOf(programRecord()).userTime, null);
});

test('iterations that k6 cut off at the end of the load are counted by what their users wrote', () => {
  const cut = (/** @type {boolean} */ isWritten) =>
    userTime((raw) => {
      raw.manifest.shape.model = 'open';
      if (isWritten) raw.written = { written: 1000, counted: 1000 };
      raw.summary.metrics[METRIC.iterations].values.count = 500;
    });
  assert.deepEqual([cut(true)?.total_s, cut(false)?.total_s], [30, 15]);
});
