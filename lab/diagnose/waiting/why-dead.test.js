import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL, said, told, ZERO } from './fixtures/made-stack.js';

/**
 * A program with four connections to its store, which is started again at second 5 and closes them.
 * @param {{ opensAgain?: boolean, bugFrom?: number | null }} [given]  bugFrom: an error of its own from then on, whatever the store does
 */
function storeStartedAgain({ opensAgain = false, bugFrom = null } = {}) {
  const stack = new MadeStack();
  each(-8, 30, 0.1, (at, index) => {
    const isDead = at >= 5 && !opensAgain;
    const isBug = bugFrom !== null && at >= bugFrom && index % 2 === 0;
    stack.call('k6 api', at, at + (isDead || isBug ? 0.002 : 0.01), { status: isDead || isBug ? 500 : 200 });
    if (!isDead && !isBug) stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on: `${at >= 5 ? 'new' : 'old'} ${index % 4}` });
  });
  for (const connection of stack.wire.connections) {
    const isOld =
      connection.server === 'db' && stack.wire.calls.some((call) => call.connection === connection.id && call.began_at < ZERO + 5);
    if (isOld) Object.assign(connection, { ended_at: ZERO + 5, outcome: 'closed', by: 'server' });
  }
  return stack;
}

test('who opens no connections in place of those that a store had closed goes on with dead ones', () => {
  const [finding] = storeStartedAgain().follow().findings;
  assert.deepEqual([said(finding), finding.why_basis], ['api: dead-connections', 'counted']);
  assert.equal(finding.title, 'answered 500 without asking db, which had closed 4 of its connections; none was opened in their place');
});

test('but an error of its own beside connections that it opened again is its own, and one that was there before', () => {
  assert.deepEqual(told(storeStartedAgain({ opensAgain: true, bugFrom: 8 })), ['api: own-error']);
  assert.deepEqual(told(storeStartedAgain({ opensAgain: true, bugFrom: 2 })), ['api: own-error']);
});
