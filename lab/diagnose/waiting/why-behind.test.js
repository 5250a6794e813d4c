/**
 * Calls that stand in one line behind another, as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.js';

const REDIS = /** @type {const} */ ({ protocol: 'redis', status: null, template: '' });

/**
 * A program with one connection to its store, on which it also waits for messages, for three seconds each time.
 * @param {{ isStoreSlow?: boolean, isOwnLine?: boolean }} [given]  isStoreSlow: the store answers nobody meanwhile; isOwnLine: it waits for messages
 *   on a connection apart
 */
function oneLine({ isStoreSlow = false, isOwnLine = false } = {}) {
  const stack = new MadeStack();
  const blocks = [6, 15, 24];
  const endOf = (/** @type {number} */ at) => blocks.find((from) => at > from && at < from + 3);
  each(-8, 29, 0.05, (at, index) => {
    const from = endOf(at);
    const isHeld = from !== undefined && (!isOwnLine || isStoreSlow);
    const over = isHeld ? from + 3.002 : at + 0.003;
    stack.call('k6 api', at, isHeld ? Math.min(over + 0.002, at + 1.2) : at + 0.006, isHeld && from + 3 > at + 1.2 ? { status: 503 } : {});
    stack.call('api store', at + 0.001, over, { ...REDIS, verb: 'HGETALL', on: 'one' });
    if (index % 3 === 0)
      stack.call('badge store', at + 0.01, isStoreSlow && from !== undefined ? from + 3.002 : at + 0.011, {
        ...REDIS,
        verb: 'HGETALL',
        on: 'badge',
      });
  });
  for (const from of blocks) {
    stack.call('k6 api', from, from + 3.002, { template: '/inbox' });
    stack.call('api store', from + 0.0005, from + 3, { ...REDIS, verb: 'BLPOP', on: isOwnLine ? 'own' : 'one' });
  }
  // Calls as they began, as the record has them.
  stack.wire.calls.sort((one, other) => one.began_at - other.began_at);
  return stack;
}

test('who sends calls behind one that waits on purpose, on the same connection, keeps them waiting itself', () => {
  const [finding] = oneLine().follow().findings;
  assert.deepEqual([said(finding), finding.basis, finding.place.edge], ['api: held-by-one', 'counted', { from: 'api', to: 'store' }]);
  assert.equal(
    finding.title,
    'sent calls to store on a connection on which the command BLPOP was not answered yet: store answers one after the other there',
  );
});

test('a store that answers nobody meanwhile is the place, though one waits for messages there on a connection apart', () => {
  const [finding] = oneLine({ isStoreSlow: true, isOwnLine: true }).follow().findings;
  assert.match(said(finding), /^store: /);
});
