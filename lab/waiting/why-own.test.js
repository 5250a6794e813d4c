import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said, ZERO } from './fixtures/made-stack.js';

test('an error of its own is said only where what it asked is on record', () => {
  const make = (/** @type {Partial<import('../wire/connection-record.js').ConnectionRecord>} */ rest) => {
    const stack = new MadeStack();
    each(-5, 30, 0.1, (at, index) => stack.call('k6 api', at, at + 0.02, { status: at > 5 && index % 5 === 0 ? 500 : 200 }));
    stack.connect('api partner', -8, { ...rest, last_at: ZERO + 29 });
    return stack.follow().findings.map(said);
  };
  assert.deepEqual(make({ hidden_bytes: 0 }), ['api: own-error']);
  assert.deepEqual(make({ hidden_bytes: 9000 }), ['api: stands']);
  assert.deepEqual(make({ hidden_bytes: 9000, ended_at: ZERO - 6, outcome: 'closed', by: 'client' }), ['api: own-error']);
});
