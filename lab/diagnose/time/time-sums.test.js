import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { FROM } from '../fixtures/story.js';
import { addUp, balancerSums, nodeSums } from './time-sums.js';

test("each second has the nodes' own sums over its good answers, in milliseconds", () => {
  const raw = recordOf({ balanced: true });
  const { window } = factsOf(raw);
  const sums = nodeSums(raw, window);
  // 100 good answers: 10 ms in the handler, of these 2 for the pool and 6 for MongoDB, which itself worked 3 ms.
  assert.deepEqual(sums.get(4), { n: 100, handler: 1000, pool: 200, roundTrips: 600, database: 300 });
});

test('a second in which MongoDB was not read has what it worked in the one before', () => {
  const raw = recordOf({ balanced: true });
  const { window } = factsOf(raw);
  raw.database = raw.database.filter(({ t }) => t !== FROM + 4);
  assert.equal(nodeSums(raw, window).get(4)?.database, 300);
});

test('the times of good answers add up by the second in which they ended; a proxy that tells none has none', () => {
  const { window, front } = factsOf(recordOf({ balanced: true }));
  const [seen] = front?.sightings ?? [];
  const took_ms = { whole: 20, behind: 14, connect: 3 };
  const ended = [0.4, 0.5, 1.2].map((second) => ({ ...seen, ended: FROM + second, took_ms }));
  const others = [
    { ...ended[0], status: 502 },
    { ...ended[0], took_ms: undefined },
  ];
  const sums = balancerSums([...ended, ...others], window);
  assert.deepEqual(
    [1, 2].map((second) => sums.get(second)),
    [
      { n: 2, request: 40, upstream: 28, connect: 6 },
      { n: 1, request: 20, upstream: 14, connect: 3 },
    ],
  );
});

test('sums of some seconds leave out those that have none', () => {
  assert.deepEqual(addUp([{ n: 1, ms: 5 }, undefined, { n: 2, ms: 7 }]), { n: 3, ms: 12 });
  assert.equal(addUp([undefined]), null);
});
