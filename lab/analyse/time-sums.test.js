import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from './fixtures/record.js';
import { FROM } from './fixtures/story.js';
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

test('of several attempts that Nginx made for one answer the times add up', () => {
  const raw = recordOf({ balanced: true });
  const { window, balancer } = factsOf(raw);
  const [line] = balancer?.lines ?? [];
  const twice = [{ ...line, t: FROM + 0.5, upstream_s: '0.004, 0.010', connect_s: '0.001, 0.002', request_s: 0.02 }];
  assert.deepEqual(balancerSums(twice, window).get(1), { n: 1, request: 20, upstream: 14, connect: 3 });
});

test('sums of some seconds leave out those that have none', () => {
  assert.deepEqual(addUp([{ n: 1, ms: 5 }, undefined, { n: 2, ms: 7 }]), { n: 3, ms: 12 });
  assert.equal(addUp([undefined]), null);
});
