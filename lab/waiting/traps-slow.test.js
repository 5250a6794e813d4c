/**
 * A callee that asks nobody and takes long, as small records: a lock, one kind of call, one statement.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL, said, told } from './fixtures/made-stack.js';

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
    findings[0].evidence.some((text) => text.startsWith('The command KEYS was first')),
    findings[0].evidence.join('\n'),
  );
  // A server of one thread goes on with what nobody waits for any more.
  assert.ok(findings[0].doubts.some((text) => text.startsWith('where callers give up, the first in a jam may be')));
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

test('users of one URL who keep a program busy are not why those of another wait for a lock', () => {
  const stack = new MadeStack();
  const isHeld = (/** @type {number} */ at) => at >= 0 && at % 6 < 3;
  each(-5, 28, 0.05, (at) => stack.call('k6 api', at, at + (isHeld(at) ? 0.6 : 0.03), { verb: 'GET', template: '/pages' }));
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
  stack.reads('api', (second) => ({ cores: isHeld(second) ? 0.99 : 0.3 }));
  stack.reads('db', () => ({ cores: 0.1 }));
  assert.deepEqual(told(stack), ['db: lock']);
});
