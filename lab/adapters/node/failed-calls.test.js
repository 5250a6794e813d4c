import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutOf, FROM } from '../fixtures/hop-files.js';
import { failedCalls } from './failed-calls.js';

const ABOUT = aboutOf({
  names: new Map([
    ['172.18.0.5', 'store'],
    ['queue', 'queue'],
  ]),
});

/** @param {number} second @param {Record<string, number>} failed */
const row = (second, failed) => ({ t: FROM + second, outgoing: { pending: 0, failed } });

test('each failure that a second added is a message, with the service that it was about', () => {
  const rows = [
    row(0, { 'ECONNREFUSED 172.18.0.5:5432': 1 }),
    row(1, { 'ECONNREFUSED 172.18.0.5:5432': 3 }),
    row(2, {
      'ECONNREFUSED 172.18.0.5:5432': 3,
      'ENOTFOUND queue': 1,
      'ECONNRESET ::ffff:172.18.0.5:5432': 1,
      'UND_ERR_HEADERS_TIMEOUT api.example.com': 1,
    }),
  ];
  assert.deepEqual(
    failedCalls(rows, ABOUT).map(({ signal, t, to }) => [signal, t - FROM, to]),
    [
      ['connection_refused', 1, 'store'],
      ['connection_refused', 1, 'store'],
      ['dns_error', 2, 'queue'],
      ['connection_terminated', 2, 'store'],
      ['http_response_timeout', 2, undefined],
    ],
  );
});

test('what nobody knows a word for is no message', () => {
  assert.deepEqual(failedCalls([row(1, { 'ERR_TLS_CERT_ALTNAME_INVALID db:5432': 2, other: 4 })], ABOUT), []);
});
