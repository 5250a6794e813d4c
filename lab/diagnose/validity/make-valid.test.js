import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../fixtures/record.js';
import { readStoredRun } from '../fixtures/stored-run.js';
import { resultOf } from '../result.js';

/** @param {(raw: import('../fixtures/story.js').Raw) => void} change of a healthy run */
function nextIn(change) {
  const raw = recordOf({ balanced: true });
  change(raw);
  const { validity, try_next: next } = resultOf(raw);
  return { verdict: validity.verdict, next: next.map(({ command, why }) => `${command}: ${why}`) };
}

test('a run that was cut short is to be let run to its end, and recommends nothing else', () => {
  const { verdict, next } = nextIn((raw) => {
    raw.manifest.interrupted = true;
  });
  assert.deepEqual(
    [verdict, next],
    ['INVALID', ['make run-a: again, for this run says nothing of the system; first let the load run to its end']],
  );
});

test('a script whose arrivals found no user is to be given more of them', () => {
  const { next } = nextIn((raw) => {
    Object.assign(raw.manifest.shape, { model: 'open', arriving: ['default'] });
    raw.summary.metrics['iteration_duration{scenario:default}'] = { values: { count: 1000, avg: 20 } };
    raw.summary.metrics['dropped_iterations{scenario:default}'] = { values: { count: 500 } };
  });
  assert.match(next.join(), /first give the script more users for its arrivals \(maxVUs\)/);
});

test('a real run on a busy machine names what to do first, each step once, and no relief though requests were lost', async () => {
  const { validity, metrics, try_next: next } = resultOf(await readStoredRun());
  assert.ok(validity.verdict === 'INVALID' && metrics.failures > 0);
  assert.equal(next.length, 1);
  assert.doesNotMatch(next[0].command, /slots|keepalive|pool500/);
  assert.equal(next[0].why.match(/stop the other programs/g)?.length, 1);
});

test('what makes a run SUSPECT alone asks for nothing first', () => {
  const { verdict, next } = nextIn((raw) => {
    raw.manifest.machine.busy_share_before = 0.5;
  });
  assert.deepEqual([verdict, next], ['SUSPECT', []]);
});
