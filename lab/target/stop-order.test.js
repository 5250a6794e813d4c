import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopOrder } from './stop-order.js';

test('who asks stops before who is asked, and what no request passes stops last', () => {
  const edges = /** @type {[string, string][]} */ ([
    ['proxy', 'web'],
    ['web', 'cache'],
    ['web', 'pool'],
    ['pool', 'db'],
    ['web', 'db'],
  ]);
  assert.deepEqual(stopOrder(['proxy'], edges, ['db', 'pool', 'web', 'cache', 'proxy', 'mail']), [
    ['proxy'],
    ['web'],
    ['cache', 'pool'],
    ['db'],
    ['mail'],
  ]);
});

test('a database that something off the way asks too is stopped with the way', () => {
  const edges = /** @type {[string, string][]} */ ([
    ['web', 'db'],
    ['cron', 'db'],
  ]);
  assert.deepEqual(stopOrder(['web'], edges, ['cron', 'db', 'web']), [['web'], ['db'], ['cron']]);
});

test('services that ask each other in a circle are all stopped, from the entry on', () => {
  const edges = /** @type {[string, string][]} */ ([
    ['web', 'auth'],
    ['auth', 'users'],
    ['users', 'auth'],
    ['users', 'web'],
  ]);
  assert.deepEqual(stopOrder(['web'], edges, ['auth', 'users', 'web']), [['web'], ['auth'], ['users']]);
});

test('an entry that asks nobody is stopped alone', () => {
  assert.deepEqual(stopOrder(['web'], [], ['web']), [['web']]);
  assert.deepEqual(stopOrder(['web'], [['web', 'web']], ['web']), [['web']]);
});
