/**
 * Each recipe's kind and each trap, as a small record: a trouble that fails requests, often beside one that harms nobody.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said, ZERO } from './fixtures/made-stack.js';

const SQL = { protocol: 'postgresql', verb: 'SELECT', template: 'SELECT items' };

/** @param {MadeStack} stack @returns {string[]} */
const told = (stack) => stack.follow().findings.map(said);

test('a bug beside duplicate keys that the program handles is the program', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isBug = index % 20 === 0;
    stack.call('k6 web', at, at + (isBug ? 0.004 : 0.008), { status: isBug ? 500 : 200 });
    stack.call('web store', at + 0.001, at + 0.003, { ...SQL, verb: 'INSERT', code: '23505', on: 'a' });
    if (!isBug) stack.call('web store', at + 0.0035, at + 0.007, { ...SQL, on: 'a' });
  });
  const { findings, failed } = stack.follow();
  assert.deepEqual(findings.map(said), ['web: own-error']);
  assert.equal(findings[0].count, failed);
});

test('an exporter that is turned away is another client, and no cause', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isBug = index % 20 === 0;
    stack.call('k6 web', at, at + (isBug ? 0.002 : 0.008), { status: isBug ? 500 : 200 });
    if (!isBug) stack.call('web store', at + 0.001, at + 0.007, { ...SQL, on: 'a' });
    stack.call('exporter store', at, at + 0.003, { protocol: 'postgresql', role: 'connect', bad: true, code: '53300' });
  });
  assert.deepEqual(told(stack), ['web: own-error']);
});

test('a dead cache that nobody needs is acquitted, though every failed request was refused by it', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isBug = index % 20 === 0;
    const isDead = at >= 5;
    stack.call('k6 web', at, at + (isBug ? 0.003 : 0.008), { status: isBug ? 500 : 200 });
    if (isDead) stack.refused('web cache', at + 0.001);
    else stack.call('web cache', at + 0.001, at + 0.002, { protocol: 'redis', verb: 'GET', template: '' });
    if (!isBug) stack.call('web store', at + 0.0025, at + 0.007, { ...SQL, on: 'a' });
  });
  stack.event('cache', 'die', 5, 137);
  assert.deepEqual(told(stack), ['web: own-error']);
});

test('a program that sleeps beside a slow report stands by itself', () => {
  const stack = new MadeStack(40);
  each(-5, 40, 0.05, (at, index) => {
    const isAsleep = at >= 0 && at % 10 < 2.5;
    if (!isAsleep) {
      stack.call('k6 lb', at, at + 0.009);
      stack.call('lb web', at + 0.001, at + 0.008);
      stack.call('web store', at + 0.002, at + 0.007, { ...SQL, on: `web ${index % 4}` });
      return;
    }
    if (index % 5 !== 0) return;
    stack.call('k6 lb', at, at + 1.0005, { status: 504 });
    stack.call('lb web', at + 0.0002, at + 1.0002, { end: 'given-up', by: 'client' });
  });
  each(0, 40, 10, (at) => stack.call('report store', at, at + 2.2, { ...SQL, template: 'SELECT report' }));
  assert.deepEqual(told(stack), ['web: stands']);
});

test('packets that were lost and sent again convict nobody beside a program that sleeps', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isSleep = index % 25 === 0;
    const lost = index % 10 === 3;
    const id = stack.connect('k6 web', at, { protocol: 'http', asked_at: ZERO + at, ...(lost ? { syns: 2, again: 1 } : {}) });
    assert.ok(id >= 0);
    stack.call('k6 web', at, isSleep ? at + 2 : at + 0.01, isSleep ? { end: 'given-up', by: 'client' } : {});
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['web: stands']);
  assert.ok(findings[0].evidence.some((text) => text.includes('k6 gave up after 2.00 s')));
});

test('a neighbour that takes the CPU is named', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isSlow = at >= 15;
    stack.call('k6 lb', at, at + (isSlow ? 1.001 : 0.02), { status: isSlow && index % 2 ? 504 : 200 });
    if (isSlow && index % 2) stack.call('lb web', at + 0.0001, at + 1, { end: 'given-up', by: 'client' });
    else stack.call('lb web', at + 0.0001, at + (isSlow ? 0.9 : 0.019));
  });
  stack.reads('web', () => ({ cores: 0.4 }));
  stack.reads('lb', () => ({ cores: 0.1 }));
  stack.reads('batch', (second) => ({ cores: second >= 15 ? 1.4 : 0 }));
  stack.machine((second) => (second >= 15 ? 0.99 : 0.5));
  const [finding] = stack.follow().findings;
  assert.deepEqual([said(finding), finding.why_basis], ['batch: cpu-taken', 'timed']);
  stack.host.length = 0;
  stack.machine(() => 0.99);
  const [doubted] = stack.follow().findings;
  assert.deepEqual([said(doubted), doubted.why_basis], ['batch: cpu-taken', 'inferred']);
});

test('a machine that is as full in calm seconds names no neighbour', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at) => {
    const isSlow = at >= 15;
    stack.call('k6 web', at, at + (isSlow ? 1 : 0.02), isSlow ? { end: 'given-up', by: 'client' } : {});
  });
  stack.reads('web', () => ({ cores: 0.4 }));
  stack.reads('other', () => ({ cores: 1.5 }));
  stack.machine(() => 0.99);
  assert.deepEqual(told(stack), ['web: stands']);
});

test('a throttled store behind three full hops is found', () => {
  const stack = new MadeStack();
  each(-10, 5, 0.05, (at) => {
    stack.call('k6 lb', at, at + 0.02);
    stack.call('lb web', at + 0.001, at + 0.019);
    stack.call('web pool', at + 0.002, at + 0.018, { ...SQL, on: `${Math.round(at * 20) % 2}` });
    stack.call('pool store', at + 0.003, at + 0.017, { ...SQL, on: `${Math.round(at * 20) % 2}` });
  });
  // From second 5 on the store answers two at a time, each after a second; the load balancer lets sixteen through and gives up after three.
  each(5, 38, 0.5, (at, index) => {
    stack.call('pool store', at, at + 1, { ...SQL, on: `${index % 2}` });
    stack.call('web pool', at - 0.999, at + 1.0003, { ...SQL, on: `${index % 4}` });
    stack.call('lb web', at - 4.99, at + 1.0005, { on: `${index % 12}` });
    stack.call('k6 lb', at - 5.001, at + 1.0007);
  });
  each(5, 25, 0.2, (at) => stack.call('k6 lb', at, at + 3, { status: 503 }));
  stack.reads('store', (second) => ({ cores: second >= 5 ? 0.02 : 0.2, throttled: second >= 5 ? 1 : 0 }));
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['store: cpu-throttled']);
  assert.deepEqual(
    findings[0].chain.map(({ service }) => service),
    ['lb', 'web', 'pool', 'store'],
  );
});

test('a pool that nested use holds is the pool of its holder, not the database', () => {
  const stack = new MadeStack();
  each(-5, 2, 0.05, (at, index) => {
    stack.call('k6 api', at, at + 0.01);
    stack.call('api db', at + 0.001, at + 0.003, { ...SQL, on: `${index % 10}`, state: 'transaction' });
    stack.call('api db', at + 0.004, at + 0.009, { ...SQL, on: `${index % 10}`, state: 'idle' });
  });
  for (let index = 0; index < 10; index += 1)
    stack.call('api db', 2.1 + index / 1000, 2.105 + index / 1000, { ...SQL, on: `${index}`, state: 'transaction' });
  each(2.1, 22, 0.5, (at) => {
    for (let user = 0; user < 25; user += 1) stack.call('k6 api', at + user / 1000, at + 10 + user / 1000, { status: 500 });
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['api: pool-held']);
  assert.deepEqual(findings[0].place.edge, { from: 'api', to: 'db' });
});

/** @param {MadeStack} stack @param {number} took  of a call of the partner @param {number} calmTook */
function workersOfFive(stack, took, calmTook) {
  each(-10, 0, 0.5, (at) => {
    stack.call('k6 web', at, at + calmTook + 0.004);
    stack.call('web php', at + 0.001, at + calmTook + 0.003);
    stack.call('php partner', at + 0.002, at + calmTook + 0.002);
  });
  for (let worker = 0; worker < 5; worker += 1)
    each(worker / 10, 29, took + 0.002, (at) => {
      stack.call('php partner', at, at + took);
      stack.call('web php', Math.max(0, at - 9), at + took + 0.001);
      stack.call('k6 web', Math.max(0, at - 9), at + took + 0.0015);
    });
  each(1, 18, 0.1, (at) => {
    stack.call('k6 web', at, at + 10.001, { status: 504 });
    stack.call('web php', at + 0.0002, at + 10.0005, { end: 'given-up', by: 'client' });
  });
  stack.reads('php', () => ({ cores: 0.02, queued: 60 }));
}

test('as many at a time as there are workers, each waiting as long as in calm, are too few workers', () => {
  const stack = new MadeStack();
  workersOfFive(stack, 1, 1);
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['php: workers-taken']);
  assert.ok(findings[0].evidence.some((text) => text.includes('5 at a time and never on more')));
});

test('the same, with a callee that takes ten times as long as in calm, is the callee', () => {
  const stack = new MadeStack();
  workersOfFive(stack, 1, 0.1);
  assert.deepEqual(told(stack), ['partner: stands']);
});

test('connections that were accepted and closed unasked are the failures of who closed them', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    if (at >= 5 && index % 2) stack.connect('k6 nginx', at, { outcome: 'closed', by: 'server', ended_at: ZERO + at + 0.001 });
    else stack.call('k6 nginx', at, at + 0.02);
  });
  const { findings, failed } = stack.follow();
  assert.deepEqual(findings.map(said), ['nginx: closed-unasked']);
  assert.equal(findings[0].count, failed);
});

test('a request on a connection that its server closes after a fixed idle time lost a race', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at, index) => {
    const isLost = at >= 0 && index % 10 === 0;
    stack.call('lb app', at - 5, at - 4.98, { on: `${index}` });
    stack.call('k6 lb', at - 5.001, at - 4.979);
    if (!isLost) return;
    stack.call('lb app', at + 0.02, at + 0.0203, { on: `${index}`, end: 'reset', by: 'server', raced: true });
    stack.call('k6 lb', at + 0.0195, at + 0.021, { status: 502 });
  });
  assert.deepEqual(told(stack), ['app: keep-alive-race']);
});

test('tries again are said, and who answered with the error is the place', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at, index) => {
    const isBad = at >= 5 && index % 3 === 0;
    stack.call('k6 lb', at, at + 0.02, { status: isBad ? 500 : 200 });
    for (let time = 0; time < (isBad ? 3 : 1); time += 1)
      stack.call('lb app', at + 0.001 + time * 0.005, at + 0.005 + time * 0.005, { status: isBad ? 500 : 200 });
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['app: own-error']);
  assert.ok(
    findings[0].evidence.some((text) => text.includes('3.0 calls to app for each failed request')),
    findings[0].evidence.join('\n'),
  );
});

test('a callee that died and is asked by ARP alone is the place', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at) => {
    const isDead = at >= 10;
    stack.call('k6 api', at, at + (isDead ? 3 : 0.02), { status: isDead ? 502 : 200 });
    if (!isDead) stack.call('api db', at + 0.001, at + 0.019, { ...SQL, on: 'a' });
  });
  stack.event('db', 'die', 10, 137);
  assert.deepEqual(told(stack), ['db: gone']);
});

test('the death of somebody whom the failed do not ask convicts nobody', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at) => {
    const isBad = at >= 10;
    stack.call('k6 api', at, at + (isBad ? 3 : 0.02), { status: isBad ? 502 : 200 });
  });
  each(-5, 10, 0.1, (at) => stack.call('worker db', at, at + 0.01, { ...SQL, on: 'a' }));
  stack.event('db', 'die', 10, 137);
  assert.deepEqual(told(stack), ['api: stands']);
});

test('an address that is another container’s by now is the fault of who goes on asking it', () => {
  const stack = new MadeStack();
  const tenure = (/** @type {string} */ address, /** @type {string} */ name, from = -20) => ({
    address,
    service: name,
    name,
    container: `${name} ${from}`,
    from: ZERO + from,
    to: null,
  });
  stack.wire.services.push(tenure('9', 'k6'), tenure('1', 'nginx'), tenure('2', 'api'), tenure('2', 'worker', 10), tenure('3', 'api', 12));
  each(-5, 30, 0.1, (at) => {
    const isStale = at >= 11;
    stack.call('9 1', at, at + 0.01, { status: isStale ? 502 : 200 });
    if (isStale) stack.refused('1 2', at + 0.001);
    else stack.call('1 2', at + 0.001, at + 0.009);
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['nginx: stale-address']);
  assert.deepEqual(findings[0].place.edge, { from: 'nginx', to: 'worker' });
});

test('checks that failed before a balancer answers by itself explain it', () => {
  const stack = new MadeStack();
  each(-8, 30, 2, (at) => {
    const isLate = at >= 8;
    stack.call('lb web', at, at + (isLate ? 2 : 0.002), {
      verb: 'GET',
      template: '/healthz',
      ...(isLate ? { end: 'given-up', by: 'client' } : {}),
    });
  });
  each(-1, 30, 0.05, (at) => {
    const isOut = at >= 14;
    stack.call('k6 lb', at, at + (isOut ? 0.0005 : 0.03), { status: isOut ? 503 : 200 });
    if (!isOut) stack.call('lb web', at + 0.001, at + 0.029);
  });
  assert.deepEqual(told(stack), ['lb: checks-failed']);
});

test('a refusal before the question is the callee’s, through two services', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isBad = at >= 5 && index % 2 === 0;
    stack.call('k6 lb', at, at + 0.02, { status: isBad ? 500 : 200 });
    stack.call('lb api', at + 0.001, at + 0.019, { status: isBad ? 500 : 200 });
    if (isBad)
      stack.call('api db', at + 0.002, at + 0.003, { protocol: 'mysql', role: 'connect', verb: '', template: '', bad: true, code: '1040' });
    else stack.call('api db', at + 0.002, at + 0.018, { ...SQL, protocol: 'mysql', on: 'a' });
  });
  assert.deepEqual(told(stack), ['db: turned-away']);
});

test('a status below 500 after which requests fail is a bad call too', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isBad = at >= 5 && index % 2 === 0;
    stack.call('k6 api', at, at + 0.02, { status: isBad ? 500 : 200 });
    stack.call('api partner', at + 0.002, at + 0.019, { status: isBad ? 429 : 200 });
  });
  assert.deepEqual(told(stack), ['partner: turned-away']);
});

test('the last call of a failed request may have gone well: a ROLLBACK after an error', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isBad = at >= 5 && index % 4 === 0;
    stack.call('k6 api', at, at + 0.02, { status: isBad ? 500 : 200 });
    stack.call('api db', at + 0.002, at + 0.008, {
      ...SQL,
      on: `${index % 4}`,
      state: isBad ? 'failed-transaction' : 'transaction',
      ...(isBad ? { code: '40P01', bad: true } : {}),
    });
    stack.call('api db', at + 0.01, at + 0.019, {
      ...SQL,
      verb: isBad ? 'ROLLBACK' : 'COMMIT',
      template: '',
      on: `${index % 4}`,
      state: 'idle',
    });
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['db: own-error']);
  assert.ok(findings[0].chain.at(-1)?.said.includes('40P01'));
});

test('connections that callers keep open and do not use hold the workers', () => {
  const stack = new MadeStack();
  for (let index = 0; index < 4; index += 1) stack.call('partner web', -8 + index / 10, -7.99 + index / 10, { on: `${index}` });
  each(-5, 2, 0.1, (at) => stack.call('k6 web', at, at + 0.02));
  each(2, 20, 0.1, (at) => stack.call('k6 web', at, at + 5, { end: 'given-up', by: 'client' }));
  stack.reads('web', (second) => ({ cores: 0.01, queued: second >= 2 ? 50 : 0 }));
  assert.deepEqual(told(stack), ['web: workers-idle-connections']);
});

test('answers that are not read to their end are held by who asked, and are no slow database', () => {
  const stack = new MadeStack();
  each(-5, 2, 0.05, (at, index) => {
    stack.call('k6 api', at, at + 0.01);
    stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on: `${index % 5}` });
  });
  for (let index = 0; index < 5; index += 1) {
    stack.call('api db', 2.1, null, { ...SQL, on: `${index}`, first_at: ZERO + 2.12 });
    const [connection] = stack.wire.connections.filter(({ client }) => client === 'api').slice(index);
    connection.closed_window = { client: { times: 1, first_at: ZERO + 2.2, last_at: ZERO + 2.2 }, server: null };
  }
  each(2.2, 20, 0.2, (at) => stack.call('k6 api', at, at + 8, { end: 'given-up', by: 'client' }));
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['api: pool-held']);
  assert.ok(findings[0].evidence[0].includes('did not read to its end'));
});

test('requests that never end are failures; what was sent away with the load’s end is not', () => {
  const stack = new MadeStack();
  each(-5, 28.5, 0.1, (at, index) => {
    if (at < 10 || index % 2) stack.call('k6 api', at, at + 0.02);
    else if (index % 10 === 0) stack.call('k6 api', at, null);
  });
  each(29.9, 30, 0.01, (at) => stack.call('k6 api', at, 30, { end: 'given-up', by: 'client' }));
  const { findings, failed } = stack.follow();
  assert.deepEqual(findings.map(said), ['api: stands']);
  assert.equal(failed, 19);
});

test('a lock that another client holds is found, and users of another URL do not matter', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => stack.call('k6 api', at, at + 0.03, { verb: 'GET', template: `/pages/${index % 2 ? ':n' : ''}` }));
  each(-5, 0, 0.1, (at, index) => {
    stack.call('k6 api', at, at + 0.01, { verb: 'POST', template: '/orders' });
    stack.call('api db', at + 0.001, at + 0.009, { ...SQL, verb: 'UPDATE', template: 'UPDATE stock', on: `${index % 8}` });
  });
  each(0, 24, 6, (at) => {
    stack.call('job db', at, at + 0.01, { ...SQL, on: 'job', state: 'transaction' });
    stack.call('job db', at + 3, at + 3.01, { ...SQL, verb: 'COMMIT', template: '', on: 'job', state: 'idle' });
    each(at + 0.1, at + 1, 0.1, (began, index) => {
      stack.call('k6 api', began, began + 2, { verb: 'POST', template: '/orders', end: 'given-up', by: 'client' });
      stack.call('api db', began + 0.001, at + 3.015, { ...SQL, verb: 'UPDATE', template: 'UPDATE stock', on: `${index % 8} ${at}` });
    });
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['db: lock']);
  assert.ok(findings[0].evidence[findings[0].evidence.length - 2].startsWith('job kept a transaction open at db'));
});

test('one kind of call that holds up a server of one thread is named', () => {
  const stack = new MadeStack();
  const redis = { protocol: 'redis', template: '' };
  each(-5, 30, 0.02, (at, index) => {
    const isHeld = at >= 5 && at % 2.5 < 0.6;
    const until = at - (at % 2.5) + 0.6;
    stack.call('k6 api', at, isHeld ? at + 0.3 : at + 0.004, { status: isHeld && at + 0.3 < until ? 500 : 200 });
    if (isHeld && at + 0.3 < until)
      stack.call('api cache', at + 0.001, at + 0.2995, { ...redis, verb: 'GET', end: 'given-up', by: 'client', on: `${index}` });
    else stack.call('api cache', at + 0.001, isHeld ? until + 0.001 : at + 0.003, { ...redis, verb: 'GET', on: `${index}` });
  });
  each(5, 30, 2.5, (at) => stack.call('api cache', at - 0.001, at + 0.6, { ...redis, verb: 'KEYS', on: 'purge' }));
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['cache: held-by-one']);
  assert.ok(
    findings[0].evidence.some((text) => text.startsWith('KEYS was first')),
    findings[0].evidence.join('\n'),
  );
});

test('local ports that are used up are the caller’s', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.01, (at, index) => {
    const isOut = at >= 15;
    stack.call('k6 gateway', at, at + 0.01, { status: isOut && index % 2 ? 502 : 200 });
    if (isOut && index % 2) return;
    const id = stack.connect('gateway catalog', at + 0.001, {
      protocol: 'http',
      asked_at: ZERO + at,
      outcome: 'closed',
      by: 'client',
      ended_at: ZERO + at + 0.009,
    });
    stack.wire.calls.push({
      ...{
        connection: id,
        began_at: ZERO + at + 0.001,
        sent_at: null,
        first_at: null,
        ended_at: ZERO + at + 0.009,
        verb: 'GET',
        template: '/',
      },
      ...{ status: 200, code: null, bad: false, end: 'answered', by: 'server', sent_bytes: 1, answered_bytes: 1 },
    });
  });
  stack.reads('gateway', () => ({}));
  for (const row of stack.kernel) if (row.t > ZERO + 14) row.ports = { range: [1, 2500], by_destination: { 'catalog:80': 2450 } };
  assert.deepEqual(told(stack), ['gateway: no-ports']);
});

test('of fewer than five nothing but the place by ids is more than inferred', () => {
  const make = (/** @type {boolean} */ hasId) => {
    const stack = new MadeStack();
    each(-5, 30, 0.1, (at, index) => {
      const rest = { status: index % 100 === 99 ? 500 : 200, ...(hasId ? { id: `${index}` } : {}) };
      stack.call('k6 lb', at, at + 0.02, rest);
      stack.call('lb api', at + 0.001, at + 0.019, rest);
    });
    return stack.follow().findings.map((finding) => `${said(finding)} ${finding.count} ${finding.basis} ${finding.why_basis}`);
  };
  assert.deepEqual(make(true), ['api: own-error 3 proved counted']);
  assert.deepEqual(make(false), ['api: own-error 3 inferred inferred']);
});

test('a join by an id is proof of the place, one by order is not', () => {
  const make = (/** @type {boolean} */ hasId) => {
    const stack = new MadeStack();
    each(-5, 30, 0.1, (at, index) => {
      const rest = { status: at > 5 && index % 5 === 0 ? 500 : 200, ...(hasId ? { id: `${index}` } : {}) };
      stack.call('k6 lb', at, at + 0.02, rest);
      stack.call('lb api', at + 0.001, at + 0.019, rest);
    });
    return stack.follow().findings.map((finding) => `${said(finding)} ${finding.basis}`);
  };
  assert.deepEqual(make(true), ['api: own-error proved']);
  assert.deepEqual(make(false), ['api: own-error counted']);
});

test('a stack that fails nothing has no finding', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at) => stack.call('k6 api', at, at + 0.01));
  assert.deepEqual(stack.follow(), { failed: 0, followed: 0, findings: [], doubts: [] });
});

test('where no request went well, a bad call is no more than inferred to be the cause', () => {
  const stack = new MadeStack();
  each(0, 30, 0.1, (at) => {
    stack.call('k6 api', at, at + 0.02, { status: 500 });
    stack.refused('api cache', at + 0.002);
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'cache: refused');
  assert.equal(finding.basis, 'inferred');
  assert.equal(finding.doubts.length, 1);
});

test('a worker that was killed for want of memory explains what it broke off', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at) => {
    const isLost = at >= 10 && at < 10.5;
    stack.call('k6 web', at, at + 0.3, isLost ? { end: 'reset', by: 'server' } : {});
  });
  stack.event('web', 'oom', 10.6);
  assert.deepEqual(told(stack), ['web: out-of-memory']);
});

test('failures by several ways to one place are one finding, which tells the ways', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const [web, status] = [`web-${index % 2}`, at >= 5 && index % 5 === 0 ? 500 : 200];
    stack.call('k6 lb', at, at + 0.02, { status });
    stack.call(`lb ${web}`, at + 0.001, at + 0.019, { status });
    stack.call(`${web} partner`, at + 0.002, at + 0.018, { status });
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['partner: own-error']);
  assert.equal(findings[0].evidence.filter((text) => text.includes('of these requests went k6 → lb → web-')).length, 2);
});

test('an error that comes as late as good answers, after the same calls, is the program’s and not the database’s', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    stack.call('k6 api', at, at + 0.2, { status: at >= 5 && index % 5 === 0 ? 500 : 200 });
    stack.call('api db', at + 0.002, at + 0.19, { ...SQL, on: `${index % 8}` });
  });
  assert.deepEqual(told(stack), ['api: own-error']);
});

test('a cache that dies a second before a bug appears is acquitted by the requests that survive it', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const [isBug, isDead] = [at >= 26 && index % 4 === 0, at >= 25];
    stack.call('k6 web', at, at + 0.3, { status: isBug ? 500 : 200 });
    if (!isDead) stack.call('web cache', at + 0.001, at + 0.002, { protocol: 'redis', verb: 'GET', template: '' });
    stack.call('web store', at + 0.0025, at + 0.29, { ...SQL, on: `${index % 9}` });
  });
  stack.event('cache', 'die', 25, 137);
  assert.deepEqual(told(stack), ['web: own-error']);
});

test('a service that was paused, with its callers’ requests in it, was paused', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at) => {
    const isHeld = at >= 10 && at < 15;
    stack.call('k6 lb', at, at + (isHeld ? 3 : 0.02), { status: isHeld ? 504 : 200 });
    stack.call('lb api', at + 0.001, at + (isHeld ? 2.99 : 0.019), isHeld ? { end: 'given-up', by: 'client' } : {});
  });
  stack.event('api', 'pause', 10);
  stack.event('api', 'unpause', 18);
  assert.deepEqual(told(stack), ['api: paused']);
});

test('what could not be read is a doubt about whom a service waited for', () => {
  const stack = new MadeStack();
  const id = stack.connect('api db', -8, { protocol: 'tls', asked_at: ZERO - 8, hidden_bytes: 12_345 });
  assert.equal(id, 0);
  each(-5, 30, 0.1, (at, index) =>
    stack.call('k6 api', at, at + (index % 10 ? 0.02 : 2), index % 10 ? {} : { end: 'given-up', by: 'client' }),
  );
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['api: stands']);
  assert.ok(findings[0].doubts.some((text) => text.startsWith('12,345 bytes between api and db could not be read')));
});

test('a record with nothing in it, and calls of connections that are missing, are borne', () => {
  const stack = new MadeStack();
  assert.deepEqual(stack.follow().findings, []);
  stack.call('k6 api', 1, 2, { status: 500 });
  stack.wire.connections.length = 0;
  assert.deepEqual(stack.follow().findings, []);
});

test('a statement that is slow by itself, while others are as quick as ever, is named', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    stack.call('k6 api', at, at + 0.01, { template: '/items' });
    stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on: `${index % 4}` });
  });
  each(2, 28, 0.2, (at, index) => {
    stack.call('k6 api', at, at + 1, { template: '/report', end: 'given-up', by: 'client' });
    stack.call('api db', at + 0.001, at + 1.5, { ...SQL, template: 'SELECT report', on: `r${index % 10}` });
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'db: slow-kind');
  assert.equal(finding.title, 'took 1.50 s for each SELECT report');
});

test('requests that a proxy resets before it asks anybody are its own, while others wait behind it', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isReset = at >= 5 && index % 3 === 0;
    stack.call('k6 nginx', at, at + (isReset ? 0.2 : 0.6), isReset ? { end: 'reset', by: 'server' } : {});
    if (!isReset) stack.call('nginx app', at + 0.001, at + 0.599);
  });
  assert.deepEqual(told(stack), ['nginx: broken-off']);
});

test('an edge that passes ids on for one URL and not for another is followed for both', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at, index) => {
    const status = at >= 5 && index % 4 === 0 ? 500 : 200;
    stack.call('k6 api', at, at + 0.02, { template: '/a', id: `a${index}` });
    stack.call('api orders', at + 0.001, at + 0.019, { template: '/a', id: `a${index}` });
    stack.call('k6 api', at + 0.05, at + 0.07, { verb: 'POST', template: '/b', id: `b${index}`, status });
    stack.call('api orders', at + 0.051, at + 0.069, { verb: 'POST', template: '/b', status });
  });
  assert.deepEqual(told(stack), ['orders: own-error']);
});

test('errors that lie in the failed requests one to one are found where many requests mix their calls up', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.01, (at, index) => {
    const isBad = at >= 5 && index % 60 === 0;
    stack.call('k6 api', at, at + 0.06, { status: isBad ? 500 : 200 });
    const on = `${index % 9}`;
    stack.call('api db', at + 0.001, at + 0.012, { ...SQL, on, state: 'transaction' });
    stack.call('api db', at + 0.013, at + 0.02, { ...SQL, verb: 'INSERT', on, state: 'transaction', ...(isBad ? { code: '1062' } : {}) });
    stack.call('api db', at + 0.022, at + 0.055, { ...SQL, verb: isBad ? 'ROLLBACK' : 'COMMIT', template: '', on, state: 'idle' });
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['db: own-error']);
  assert.ok(findings[0].chain.at(-1)?.said.includes('1062'));
});

test('rare errors of others that lie in long failed requests by chance are no cause', () => {
  const stack = new MadeStack();
  each(-5, 27, 0.1, (at, index) => {
    const isBad = at >= 5 && index % 10 === 0;
    stack.call('k6 api', at, at + (isBad ? 2 : 0.02), isBad ? { end: 'given-up', by: 'client' } : {});
    if (index % 10 === 5)
      stack.call('api cache', at + 0.001, at + 0.002, { protocol: 'redis', verb: 'SET', template: '', code: 'OOM', bad: true, on: 'a' });
  });
  assert.deepEqual(told(stack), ['api: stands']);
});

test('few errors that come later than the others are of the same kind', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.05, (at, index) => {
    const isBug = index % 5 === 0;
    stack.call('k6 web', at, at + (isBug ? (index % 50 === 0 ? 0.2 : 0.002) : 0.008), { status: isBug ? 500 : 200 });
    if (!isBug) stack.call('web store', at + 0.001, at + 0.007, { ...SQL, on: 'a' });
  });
  assert.deepEqual(told(stack), ['web: own-error']);
});
