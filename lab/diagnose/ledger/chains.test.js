import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { bench, SAID } from '../fixtures/tell.js';
import { chainOf } from './chains.js';
import { placed } from './place.js';

/** @type {(count: number) => any[]} */
const requests = (count) => Array.from({ length: count }, () => ({}));
const refused = { tier: /** @type {const} */ ('app'), service: 'app-1, app-2', cause: 'upstream-refused' };

test('what the balancer made of a trigger is told with how long and how often it left nodes out', () => {
  const raw = recordOf({ balanced: true });
  for (const second of [2, 3]) bench(raw, second, 'app-1', SAID.refused);
  const amplifier = { tier: /** @type {const} */ ('load-balancer'), service: 'nginx', cause: 'no-live-upstream' };
  assert.equal(
    chainOf({ placement: placed(refused, 'proved', 'timed', amplifier), traces: requests(38_268) }, factsOf(raw)),
    'app-1 and app-2: it refused connections. nginx then left nodes out for 10 s at a time (2 times), and turned 38,268 requests away while none was left.',
  );
});

test('what a pool made of a trigger is told by the node that it is in', () => {
  const amplifier = { tier: /** @type {const} */ ('pool'), service: 'app-1', cause: 'pool-cleared' };
  const trigger = { tier: /** @type {const} */ ('database'), service: 'mongo', cause: 'database-down' };
  assert.equal(
    chainOf({ placement: placed(trigger, 'proved', 'timed', amplifier), traces: requests(1) }, factsOf(recordOf())),
    'mongo: it was down. In app-1 1 request failed of it: the driver had cleared the pool.',
  );
});

test('what a queue made of a trigger behind the nodes is told by the proxy that it is in', () => {
  const amplifier = { tier: /** @type {const} */ ('load-balancer'), service: 'edge', cause: 'queue-full' };
  const trigger = { tier: /** @type {const} */ ('database'), service: 'store', cause: 'database-slow' };
  assert.equal(
    chainOf({ placement: placed(trigger, 'timed', 'timed', amplifier), traces: requests(27) }, factsOf(recordOf())),
    'store: it did not answer in time. In edge 27 requests failed of it: its queue to the nodes was full, or the request waited in it for too long.',
  );
});

test('a failure that nothing made more of has no chain', () => {
  assert.equal(chainOf({ placement: placed(refused, 'proved', 'proved'), traces: requests(3) }, factsOf(recordOf())), null);
});
