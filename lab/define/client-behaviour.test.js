import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientEnvironment, readClientBehaviour } from './client-behaviour.js';

test('without variables users wait for 60 s and try nothing again', () => {
  assert.equal(readClientBehaviour({ TIMEOUT: '', RETRIES: '0' }), null);
  assert.deepEqual(clientEnvironment(null), { TIMEOUT: '', RETRIES: '', BACKOFF: '', RETRY_BUDGET: '', RETRY_AFTER: '' });
});

test('what is given is read, and handed on as it was given', () => {
  const env = { TIMEOUT: '3000', RETRIES: '4', BACKOFF: '100', RETRY_BUDGET: '10', RETRY_AFTER: '1' };
  const client = readClientBehaviour(env);
  assert.deepEqual(client, { timeout_ms: 3000, retries: 4, backoff_ms: 100, budget_percent: 10, retry_after: true });
  assert.deepEqual(clientEnvironment(client), env);
});

test('what is wrong or changes nothing is refused', () => {
  assert.throws(() => readClientBehaviour({ BACKOFF: '100' }), /BACKOFF: expected RETRIES with it; found none/);
  assert.throws(() => readClientBehaviour({ RETRIES: 'many' }), /RETRIES: expected a whole number from 0 to 100; found "many"/);
  assert.throws(() => readClientBehaviour({ TIMEOUT: '0' }), /TIMEOUT: expected a whole number from 1 to 60000/);
});
