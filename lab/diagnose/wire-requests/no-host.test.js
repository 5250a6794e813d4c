import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from '../joins/fixtures/made.js';
import { joinedOf } from '../joins/joined.js';
import { treesOf } from './trees.js';
import { waterfallsOf } from './waterfalls.js';

const WINDOW = { from: 0, to: 1000, warmupFrom: 0 };
const BAD = { status: 502, bad: true };

/** lb looks for web from 1 to 3 s, and nobody has its address. @param {(made: Made) => void} fill */
function waterfallsIn(fill) {
  const made = new Made();
  fill(made);
  made.record.networks.push({
    ...{ network: 'run', unseen: '', ended_early: '', dropped: 0, cpu_s: 0, counters: null },
    hosts: [{ source: 'lb', target: 'web', asked: 3, answered: 0, first_at: 1, last_at: 3, in_vain: [[1, 3]] }],
  });
  const trees = treesOf(joinedOf(made.record), WINDOW, null);
  return waterfallsOf(trees, WINDOW).map(({ rows }) =>
    rows.map(({ from, to, end, took_ms: took, ambiguous }) => [from, to, end, took, ambiguous]),
  );
}

test('a service that is dead is asked for by ARP alone: what failed meanwhile has that as a bad call, which ends with it', () => {
  const [lost] = waterfallsIn((made) => made.call('k6 lb', 0.999, 4.01, BAD));
  assert.deepEqual(lost, [
    ['k6', 'lb', 'answered', 3011, false],
    ['lb', 'web', 'no-host', 3010, true],
  ]);
});

test('what was good, began afterwards, ended long after or failed for another call has none', () => {
  const rows = waterfallsIn((made) => {
    made.call('k6 lb', 0.9, 2);
    made.call('k6 lb', 5, 5.1, BAD);
    made.call('k6 lb', 0.8, 20, BAD);
    made.call('k6 lb', 1.5, 2.5, { ...BAD, id: 'u' });
    made.call('lb db', 1.6, 2.4, { id: 'u', status: 500, bad: true });
    made.call('k6 lb', 1.5, 2.5, { status: null, end: 'given-up', by: 'client' });
  });
  assert.ok(rows.flat().every(([, , end]) => end !== 'no-host'));
});
