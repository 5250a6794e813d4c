import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bottleneckFrom, bottleneckIn } from './fixtures/diagnose.js';
import { endService, recordOf } from './fixtures/record.js';
import { setRamp, setRate } from './fixtures/record-rates.js';
import { setCpu } from './fixtures/record-tiers.js';
import { programRecord } from './fixtures/scenario-records.js';
import { FROM } from './fixtures/story.js';

test('a run in which nothing was saturated has no bottleneck, and says why', () => {
  const { bottleneck, reason } = bottleneckIn(() => {});
  assert.deepEqual({ bottleneck, reason }, { bottleneck: null, reason: 'no tier reached a limit that is watched' });
});

test('the last stage that a tier binds stands for a run that lost nothing, and the others are told', () => {
  const { bottleneck, reason } = bottleneckIn((raw) => {
    setRamp(raw);
    setCpu(raw, 'app-1', 1, 1, 3);
    setCpu(raw, 'nginx', 1, 4);
  });
  assert.equal(bottleneck?.tier, 'load-balancer');
  assert.deepEqual(bottleneck?.evidence, [
    'nginx: its CPU quota was used up in 3 of 3 s',
    'behind it no limit was reached (app, pool, database)',
    'in other stages it is another: the app in the stage to 10 users',
  ]);
  assert.equal(reason, 'it binds in the stage to 100 users');
});

test('where requests were lost, the stage that lost most of them stands for the run', () => {
  const { bottleneck, reason } = bottleneckIn((raw) => {
    setRamp(raw);
    setCpu(raw, 'mongo', 1, 4, 7);
    setCpu(raw, 'app-1', 1, 8);
    setRate(raw, 4, 7, { ok: 80, failed: 30 });
    setRate(raw, 8, 10, { ok: 80, failed: 10 });
  });
  assert.deepEqual([bottleneck?.tier, reason], ['database', '80.0 % of the failures fell into the stage to 50 users']);
});

test('a few lost requests do not say which stage counts', () => {
  const { bottleneck } = bottleneckIn((raw) => {
    setRamp(raw);
    setCpu(raw, 'mongo', 1, 4, 7);
    setCpu(raw, 'app-1', 1, 8);
    setRate(raw, 4, 4, { ok: 91, failed: 9 });
  });
  assert.equal(bottleneck?.tier, 'app');
});

test('where most requests were lost and no tier binds, none is named for the run', () => {
  const { bottleneck, reason } = bottleneckIn((raw) => {
    setRamp(raw);
    for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.97, 1, 3);
    setRate(raw, 8, 10, { ok: 30, failed: 30 });
  });
  assert.deepEqual(
    { bottleneck, reason },
    { bottleneck: null, reason: '100.0 % of the failures fell into the stage to 100 users: no watched limit explains this' },
  );
});

test('a rate that nothing watched explains is said of the whole run too', () => {
  const { bottleneck, reason } = bottleneckIn((raw) => {
    setRamp(raw);
    for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.9, 1, 7);
    setRate(raw, 8, 10, { ok: 30 });
  });
  assert.deepEqual({ bottleneck, reason }, { bottleneck: null, reason: 'no watched limit explains the rate in the stage to 100 users' });
});

test('a limit that was reached for three seconds in a row, in no stage for most of it, is named with that', () => {
  const found = (/** @type {number} */ to) => bottleneckIn((raw) => setCpu(raw, 'app-1', 1, 3, to));
  const { bottleneck, reason } = found(5);
  assert.deepEqual(bottleneck, { tier: 'app', evidence: ['app-1: its CPU quota was used up for 3 s'] });
  assert.equal(reason, 'it was at a limit, though in no stage for most of the time');
  assert.equal(found(4).bottleneck, null, 'two seconds are noise');
  assert.equal(bottleneckIn((raw) => setCpu(raw, 'app-1', 1, -4, 0)).bottleneck, null, 'and so is the warm-up');
});

test('a tier that ended or stood still was at its limit from then on', () => {
  const ended = bottleneckIn((raw) => endService(raw, 'mongo', 5)).bottleneck;
  assert.deepEqual(ended, { tier: 'database', evidence: ['mongo: it had ended in 5 of 8 s'] });
  const still = bottleneckIn((raw) => {
    raw.nodes['app-2'] = raw.nodes['app-2'].filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
  }).bottleneck;
  assert.deepEqual([still?.tier, still?.evidence[0]], ['app', 'app-2: it stood still in 5 of 8 s']);
});

test('without quotas the tiers that together use up the machine are said, and none is named', () => {
  const { bottleneck, reason } = bottleneckIn((raw) => {
    for (const row of raw.host) row.cpu_busy_s = row.cpu_total_s * 0.97;
  });
  assert.deepEqual(
    [bottleneck, reason],
    [null, "no tier reached a limit that is watched; together they used 97.0 % of the machine's cores"],
  );
});

test('a program has no stages: what binds for most of its time is its bottleneck', () => {
  const raw = programRecord();
  for (const row of raw.containers) row.cpu_s = 0.5 * (row.t - raw.program.began_s + 5);
  const { bottleneck, byStage } = bottleneckFrom(raw);
  assert.deepEqual([bottleneck, byStage], [{ tier: 'database', evidence: ['tokyo: its CPU quota was used up in 10 of 10 s'] }, []]);
  assert.equal(bottleneckFrom(programRecord()).bottleneck, null);
});

test('there is a row for each stage that the load reached', () => {
  const raw = recordOf();
  raw.snapshots = raw.snapshots.filter(({ t }) => t <= FROM + 2);
  assert.deepEqual(
    bottleneckFrom(raw).byStage.map(({ target, from_s, to_s }) => [target, from_s, to_s]),
    [[3, 0, 2]],
  );
});
