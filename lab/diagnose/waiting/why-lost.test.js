/**
 * Packets that are lost, as small records; beside each what looks the same and is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL, said, told, ZERO } from './fixtures/made-stack.js';

const FROM = 10;

/**
 * Two workers, each with a connection to the store, on which they wait for what was sent again: no call is seen meanwhile.
 * @param {{ isSlow?: (at: number, index: number) => boolean, again?: number }} [about]
 */
function stalled({ isSlow = (at) => at >= FROM, again = 40 } = {}) {
  const stack = new MadeStack();
  each(-5, 28, 0.05, (at, index) => {
    const isBad = isSlow(at, index);
    stack.call('k6 lb', at, at + (isBad ? 1.001 : 0.02), { status: isBad ? 504 : 200 });
    stack.call('lb web', at + 0.0005, at + (isBad ? 1 : 0.019), isBad ? { end: 'given-up', by: 'client', status: null } : {});
    if (!isBad || index % 20 === 0) stack.call('web store', at + 0.001, at + 0.018, { ...SQL, on: `${index % 2}` });
  });
  for (const { connection } of stack.wire.calls.map((call) => ({ connection: stack.wire.connections[call.connection] })))
    if (connection.client === 'web') Object.assign(connection, { calls: 9, again, again_at: again > 0 ? ZERO + 28 : null });
  return stack;
}

/** @param {MadeStack} stack @param {(second: number) => number} timeouts  in each second */
const counts = (stack, timeouts) => stack.reads('web', (second) => ({ timeouts: timeouts(second) }));

test('packets that are lost on the way to a callee explain what stands before it, though no call is seen meanwhile', () => {
  const stack = stalled();
  counts(stack, (second) => (second >= FROM ? 2 : 0));
  const [finding] = stack.follow().findings;
  assert.deepEqual([said(finding), finding.why_basis, finding.place.edge], ['store: packets-lost', 'timed', { from: 'web', to: 'store' }]);
  assert.ok(finding.evidence.some((text) => text.includes('80 in all')));
  assert.ok(finding.evidence.some((text) => /(1\.9|2\.0) times a second while requests failed, in calm seconds 0\.[01] times/.test(text)));
});

test('packets that are lost as often in calm seconds, seldom, or on other connections explain nothing', () => {
  const [asEver, seldom, elsewhere] = [stalled(), stalled(), stalled({ again: 0 })];
  counts(asEver, () => 2);
  counts(seldom, (second) => (second >= FROM && second % 4 === 0 ? 1 : 0));
  counts(elsewhere, (second) => (second >= FROM ? 2 : 0));
  for (const stack of [asEver, seldom]) assert.deepEqual(told(stack), ['web: stands'], 'it may wait for what was lost');
  assert.deepEqual(told(elsewhere), ['web: hung']);
});

test('packets that are lost explain no request that sleeps while others of its kind are quick', () => {
  const stack = stalled({ isSlow: (at, index) => at >= FROM && index % 20 === 0 });
  counts(stack, (second) => (second >= FROM ? 2 : 0));
  assert.deepEqual(told(stack), ['web: stands']);
});

test('packets that are lost on the way to it explain calls that are given up', () => {
  const stack = new MadeStack();
  each(-5, 28, 0.1, (at) => {
    const isBad = at >= FROM;
    stack.call('k6 web', at, at + (isBad ? 2 : 0.02), {
      on: `${Math.round(at * 10) % 40}`,
      ...(isBad ? { end: 'given-up', by: 'client', status: null } : {}),
    });
  });
  for (const connection of stack.wire.connections) Object.assign(connection, { calls: 5, again: 3, again_at: ZERO + 28 });
  counts(stack, (second) => (second >= FROM ? 10 : 0));
  assert.deepEqual(told(stack), ['web: packets-lost']);
});
