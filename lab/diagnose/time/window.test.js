import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExpect } from '../../options/expect.js';
import { judgeExpectations } from '../expectations.js';
import { recordOf } from '../fixtures/record.js';
import { programRecord } from '../fixtures/scenario-records.js';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.js';
import { resultOf } from '../result.js';
import { loadEndOf, windowOf } from './window.js';

/** As k6 1.1.0 wrote them into its log. */
const CROSSED = "thresholds on metrics 'mine' were crossed; at least one has abortOnFail enabled, stopping test prematurely";
const ABORTED = 'test aborted: enough seen at default (file:///try/b.js:3:96(17))';
const ITERATIONS = 1000;

/**
 * The hand-made load of ten seconds and 100 requests a second, as a script's that may take a minute.
 * @param {object} [given]
 * @param {import('../../../k6/lib/shapes.js').Ends} [given.ends]
 * @param {number | null} [given.at]  second of the load at which all users had ended; null of an earlier record
 * @param {string[]} [given.said]  by k6
 */
function scriptRecord({ ends, at = SECONDS, said = [] } = {}) {
  const raw = recordOf();
  const { metrics } = raw.summary;
  raw.manifest.scenario = 'script';
  raw.manifest.warmup_began_s = FROM;
  raw.manifest.think_time_s = 0.01;
  // The lab knows of no document that a script makes.
  raw.database = [];
  const stages = [{ duration_s: 60, target: 3 }];
  raw.manifest.shape = { title: 'load.js', model: 'closed', unit: 'users', warmup_s: 0, settle_s: 0, stages, ...(ends ? { ends } : {}) };
  raw.snapshots = raw.snapshots.filter(({ t }) => t > FROM);
  // k6's own time has two seconds of setup and three of teardown in it.
  raw.summary.state.testRunDurationMs = (2 + SECONDS + 3) * 1000;
  metrics['iteration_duration{scenario:buy}'] = { values: { count: ITERATIONS, avg: 30 } };
  raw.ending = { at_s: at === null ? null : FROM + at, last_s: at === null ? null : FROM + at, said };
  return raw;
}

/** @param {ReturnType<typeof scriptRecord>} raw */
const textOf = (raw) => {
  const window = windowOf(raw);
  assert.ok(window);
  return loadEndOf(raw, window)?.text;
};

const buys = { iterations: { buy: ITERATIONS }, timed_s: 0, aborting: [] };

test('the rates of a script that ends early are over the time that it took, wherever they stand', () => {
  const result = resultOf(scriptRecord({ ends: buys }));
  const { metrics, stages, duration_s: duration } = result;
  assert.deepEqual([metrics.requests, metrics.throughput_rps, metrics.goodput_rps, duration], [1000, 100, 100, 10]);
  assert.deepEqual(
    stages.map(({ from_s, to_s, throughput_rps: rate }) => [from_s, to_s, rate]),
    [[0, 10, 100]],
  );
  assert.match(result.headline, /^All 1,000 requests were answered well, 100 a second\./);
  assert.equal(judgeExpectations(readExpect('throughput_rps>90'), result)[0].verdict, 'met');
});

test('what its CPU did is read over the time that it took', () => {
  const busy = (/** @type {number} */ planned) => {
    const raw = scriptRecord({ ends: buys });
    raw.manifest.shape.stages[0].duration_s = planned;
    return resultOf(raw).stages[0].cpu_ms_per_request;
  };
  assert.deepEqual(busy(600), busy(10));
});

test('a script that ended early says after how long and why: its iterations, a threshold, itself, or that it is not on record', () => {
  const early = 'The load ended after 10 s of at most 60 s: ';
  const raw = scriptRecord({ said: [CROSSED] });
  raw.summary.metrics.mine = { values: { count: 20 }, thresholds: { 'count<10': { ok: false }, 'count>1': { ok: true } } };
  assert.equal(textOf(raw), `${early}k6 aborted it, because a threshold of the script was crossed (mine: count<10).`);
  assert.equal(textOf(scriptRecord({ said: [ABORTED] })), `${early}the script aborted it, and said: enough seen.`);
  assert.equal(textOf(scriptRecord({ ends: buys })), `${early}all its iterations were done.`);
  assert.equal(textOf(scriptRecord()), `${early}why is not on record.`);
  const killed = scriptRecord({ ends: { ...buys, iterations: { buy: ITERATIONS + 1 } } });
  killed.manifest.generator_exit_code = 105;
  assert.equal(textOf(killed), `${early}why is not on record; k6 ended with exit code 105.`);
});

test('iterations that are done are no reason while another scenario had time left', () => {
  assert.match(textOf(scriptRecord({ ends: { ...buys, timed_s: 10 } })) ?? '', /all its iterations were done/);
  assert.match(textOf(scriptRecord({ ends: { ...buys, timed_s: 40 } })) ?? '', /why is not on record/);
});

test('a load that lasted for all of its time, or for longer, has no such sentence and is divided by the time until its last answer', () => {
  const raw = scriptRecord({ at: 12 });
  raw.manifest.shape.stages[0].duration_s = 8;
  raw.ending.last_s = FROM + SECONDS;
  const result = resultOf(raw);
  // From its last answer on users only slept.
  assert.deepEqual([result.load_end, result.metrics.throughput_rps], [null, 100]);
});

test('an earlier record of a script has k6’s own time, but no more than there was', () => {
  const raw = scriptRecord({ at: null });
  assert.equal(windowOf(raw)?.to, FROM + 15);
  raw.manifest.load_ended_s = FROM + 13.5;
  assert.equal(windowOf(raw)?.to, FROM + 13.5);
});

test('a load that was cut short, or whose generator was lost, is divided by the time that it took as well', () => {
  for (const interrupted of [true, false]) {
    const raw = recordOf();
    Object.assign(raw, { summary: null, snapshots: raw.snapshots.slice(0, -6) });
    Object.assign(raw.manifest, { interrupted, generator_exit_code: interrupted ? 0 : 137 });
    const { metrics, load_end: end, validity } = resultOf(raw);
    assert.deepEqual([metrics.throughput_rps, validity.verdict], [100, 'INVALID']);
    const why = interrupted ? 'the run was interrupted' : 'why is not on record; k6 left no summary; k6 ended with exit code 137';
    assert.equal(end?.text, `The load ended after 4 s of 10 s: ${why}.`);
  }
});

test('what k6 cut off when it aborted a load is no request that went missing', () => {
  const differ = (/** @type {string[]} */ said) => resultOf(scriptRecord({ said })).ledger.checks.map(({ may_differ: may }) => may ?? 0);
  const [before, aborted] = [differ([]), differ([CROSSED])];
  // Each of its three users may have had one under way.
  assert.ok(aborted.some((may, index) => may === before[index] + 3));
  assert.ok(aborted.every((may, index) => may === before[index] || may === before[index] + 3));
});

test('that a script ended early is no doubt about its run', () => {
  const { validity, notes } = resultOf(scriptRecord({ said: [CROSSED] }));
  assert.doesNotMatch([...validity.reasons, ...notes].join(), /ended|abort/);
});

const window = { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - WARMUP_S };

test("the load's window ends with k6's own time", () => {
  const raw = recordOf();
  raw.summary.state.testRunDurationMs += 1500;
  assert.deepEqual(windowOf(raw), { ...window, to: FROM + SECONDS + 1.5 });
});

test('a killed k6 leaves the last second in which a request was finished', () => {
  const raw = recordOf();
  raw.summary = null;
  raw.snapshots = raw.snapshots.slice(0, WARMUP_S + 6);
  assert.equal(windowOf(raw)?.to, FROM + 6);
});

test('a load that never began, or that finished nothing, has no window', () => {
  const unbegun = recordOf();
  delete unbegun.manifest.load_began_s;
  assert.equal(windowOf(unbegun), null);
  const unfinished = recordOf();
  unfinished.summary = null;
  unfinished.snapshots = unfinished.snapshots.slice(0, WARMUP_S);
  assert.equal(windowOf(unfinished), null);
});

test("a program's window is the one that it tells, whatever the manifest has", () => {
  const raw = programRecord();
  Object.assign(raw.program, { began_s: FROM + 0.5, ended_s: FROM + 9.25 });
  assert.deepEqual(windowOf(raw), { from: FROM + 0.5, to: FROM + 9.25, warmupFrom: FROM + 0.5 });
});
