import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL, said, told, ZERO } from './fixtures/made-stack.js';

test('an error of its own is said only where what it asked is on record', () => {
  const make = (/** @type {Partial<import('../../wire/connection-record.js').ConnectionRecord>} */ rest) => {
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

test('checks of one that fail and come back are not why a balancer turns requests away while it goes on asking another', () => {
  const stack = new MadeStack();
  for (const web of ['web-1', 'web-2'])
    each(-8, 30, 1, (at, index) =>
      stack.call(`lb ${web}`, at + 0.013, at + 0.015, { template: '/health', status: web === 'web-1' && index % 6 > 3 ? 503 : 200 }),
    );
  each(-5, 29, 0.02, (at, index) => {
    const isFull = at >= 5 && index % 4 === 0;
    stack.call('k6 lb', at, at + (isFull ? 0.0005 : 0.011), { status: isFull ? 503 : 200 });
    if (!isFull) stack.call(`lb ${Math.floor(at + 8) % 6 > 3 || index % 2 ? 'web-2' : 'web-1'}`, at + 0.001, at + 0.0105);
  });
  assert.deepEqual(told(stack), ['lb: turned-away']);
});

test('checks of those whom such requests go to explain it, while others go on to another service', () => {
  const stack = new MadeStack();
  each(-8, 30, 2, (at) => stack.call('lb web', at + 0.033, at + 0.034, { template: '/health', status: at >= 8 ? 503 : 200 }));
  each(-5, 30, 0.05, (at, index) => {
    const [template, to] = index % 2 ? ['/api', 'api'] : ['/', 'web'];
    const isOut = to === 'web' && at >= 10.1;
    stack.call('k6 lb', at, at + (isOut ? 0.0005 : 0.02), { template, status: isOut ? 503 : 200 });
    if (!isOut) stack.call(`lb ${to}`, at + 0.001, at + 0.019, { template });
  });
  assert.deepEqual(told(stack), ['lb: checks-failed']);
});
