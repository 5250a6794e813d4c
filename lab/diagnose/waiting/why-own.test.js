import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL, said, ZERO } from './fixtures/made-stack.js';

test('an error of its own is said only where what it asked is on record', () => {
  const make = (/** @type {Partial<import('../../wire/connection.js').ConnectionRecord>} */ rest) => {
    const stack = new MadeStack();
    each(-5, 30, 0.1, (at, index) => stack.call('k6 api', at, at + 0.02, { status: at > 5 && index % 5 === 0 ? 500 : 200 }));
    stack.connect('api partner', -8, { ...rest, last_at: ZERO + 29 });
    return stack.follow().findings.map(said);
  };
  assert.deepEqual(make({ hidden_bytes: 0 }), ['api: own-error']);
  assert.deepEqual(make({ hidden_bytes: 9000 }), ['api: stands']);
  assert.deepEqual(make({ hidden_bytes: 9000, ended_at: ZERO - 6, outcome: 'closed', by: 'client' }), ['api: own-error']);
});

test('what could not be read hides why of the requests alone that it was asked for', () => {
  const make = (/** @type {number} */ deadFrom) => {
    const stack = new MadeStack();
    each(-5, 30, 0.05, (at, index) => {
      const isBug = index % 20 === 0;
      stack.call('k6 web', at, at + (isBug ? 0.002 : 0.01), { status: isBug ? 500 : 200 });
      if (!isBug) stack.call('web store', at + 0.003, at + 0.009, { ...SQL, on: `${index % 4}` });
      // A cache, of whose protocol nothing can be read, is asked on a connection of its own each time until it dies.
      if (at < deadFrom)
        stack.connect('web cache', at + 0.001, {
          ...{ asked_at: ZERO + at + 0.001, unknown_bytes: 12 },
          ...{ ended_at: ZERO + at + 0.0015, outcome: /** @type {const} */ ('closed'), by: /** @type {const} */ ('client') },
        });
    });
    stack.event('cache', 'die', deadFrom, 137);
    return stack.follow().findings.map(said);
  };
  assert.deepEqual(make(5), ['web: own-error']);
  assert.deepEqual(make(25), ['web: stands']);
});
