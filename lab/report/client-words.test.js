import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientText } from './client-words.js';

const CLIENT = {
  timeout_ms: 3000,
  retries: 4,
  backoff_ms: 0,
  budget_percent: /** @type {number | null} */ (null),
  retry_after: false,
  requests: 1000,
  gave_up: 50,
  attempts: 2600,
  amplification: 2.6,
  latency_ms_ok: { p50: 12, p95: 900, p99: 2000, max: 3100 },
};

/** @param {Partial<NonNullable<import('../record/result.js').Result['client']>>} [given] */
const told = (given = {}) => clientText({ client: { ...CLIENT, ...given } })?.replaceAll('\u00a0', ' ');

test('what users do and what they got is one text', () => {
  assert.equal(
    told(),
    'Users wait for 3 s and try again up to 4 times, at once. Of their 1,000 requests 95 % were answered well, at 2.6 attempts each; p95 900 ms, all attempts together.',
  );
  assert.match(
    String(told({ timeout_ms: null, backoff_ms: 100, budget_percent: 10, retry_after: true })),
    /^Users try again up to 4 times, after 100 ms and twice as long each time, of which they wait a random part, as long as Retry-After says, 10 % of their requests at most\. /,
  );
});

test('one attempt each is one', () => assert.match(String(told({ amplification: 1 })), /at 1 attempt each/));

test('users as published are not told of', () => assert.deepEqual([clientText({}), clientText({ client: null })], [null, null]));
