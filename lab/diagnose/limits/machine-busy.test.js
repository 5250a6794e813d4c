import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { FROM } from '../fixtures/story.js';
import { machineBusy, machineBusyIn } from './machine-busy.js';

test('the machine is as busy as its cores were in that time', () => {
  const raw = recordOf();
  let more = 0;
  for (const row of raw.host) {
    // Four cores, all of them from second 5 on.
    if (row.t > FROM + 4) more += 4;
    Object.assign(row, { cpu_busy_s: row.t - FROM + 5 + more, cpu_total_s: 5 * (row.t - FROM + 5) });
  }
  const facts = factsOf(raw);
  assert.deepEqual([machineBusyIn(facts, 0, 4), machineBusyIn(facts, 4, 10)], [0.2, 1]);
  assert.equal(machineBusy(facts).toFixed(3), '0.733');
});

test('a machine that was not watched is not called busy', () => {
  const raw = recordOf();
  raw.host = raw.host.slice(0, 1);
  assert.equal(machineBusy(factsOf(raw)), 0);
});
