import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNALS } from '../contract.js';
import { outcomeOf, placeOf, reasonOf } from './termination.js';

/**
 * State, server, status; signal, whether it is of the attempt, outcome, place.
 * @type {[string, string | null, number | null, string | null, boolean, string, string][]}
 */
const CASES = [
  ['----', 's1', 200, null, false, 'answered', ''],
  ['--VN', 's1', 200, null, false, 'answered', ''],
  ['LR--', null, 301, null, false, 'answered', ''],
  ['SC--', null, 503, 'destination_unavailable', false, 'answered', 'connecting to the server'],
  ['SC--', 's1', 503, 'connection_refused', true, 'answered', 'connecting to the server'],
  ['sC--', 's1', 503, 'connection_timeout', true, 'answered', 'connecting to the server'],
  ['SH--', 's1', 502, 'connection_terminated', true, 'answered', 'waiting for the answer'],
  ['SHNN', 's1', 502, 'connection_terminated', true, 'answered', 'waiting for the answer'],
  ['sH--', 's1', 504, 'http_response_timeout', true, 'answered', 'waiting for the answer'],
  ['SD--', 's1', 200, 'http_response_incomplete', true, 'broken', 'sending the answer'],
  ['sD--', 's1', 200, 'http_response_incomplete', true, 'broken', 'sending the answer'],
  ['SL--', 's1', 200, 'http_response_incomplete', true, 'broken', 'sending the last of the answer'],
  ['sQ--', null, 503, 'queue-timeout', false, 'answered', 'queue'],
  ['sQ--', 's1', 503, 'queue-timeout', false, 'answered', 'queue'],
  ['SQ--', 's1', 503, 'connection_limit_reached', false, 'answered', 'queue'],
  ['PR--', null, 403, 'http_request_denied', false, 'answered', 'reading the request'],
  ['PR--', null, 400, 'http_request_denied', false, 'answered', 'reading the request'],
  ['PR--', null, 429, 'http_request_denied', false, 'answered', 'reading the request'],
  ['PR--', null, 500, 'proxy_internal_error', false, 'answered', 'reading the request'],
  ['PT--', null, 500, 'http_request_denied', false, 'answered', 'tarpit'],
  ['PC--', 's1', 503, 'proxy_internal_error', false, 'answered', 'connecting to the server'],
  ['RC--', 's1', 503, 'proxy_internal_error', false, 'answered', 'connecting to the server'],
  ['RH--', 's1', 500, 'proxy_internal_error', false, 'answered', 'waiting for the answer'],
  ['IC--', 's1', 500, 'proxy_internal_error', false, 'answered', 'connecting to the server'],
  ['PH--', 's1', 502, 'http_protocol_error', true, 'answered', 'waiting for the answer'],
  ['PH--', 's1', 500, 'proxy_internal_error', false, 'answered', 'waiting for the answer'],
  ['PH--', 's1', 400, 'http_request_denied', false, 'answered', 'waiting for the answer'],
  ['PD--', 's1', 200, 'http_protocol_error', true, 'broken', 'sending the answer'],
  ['CC--', 's1', null, 'client-gone', false, 'broken', 'connecting to the server'],
  ['CH--', 's1', null, 'client-gone', false, 'broken', 'waiting for the answer'],
  ['CD--', 's1', 200, 'client-gone', false, 'broken', 'sending the answer'],
  ['CR--', null, 400, 'client-gone', false, 'broken', 'reading the request'],
  ['CQ--', 's1', null, 'client-gone', false, 'broken', 'queue'],
  ['CT--', null, 500, 'client-gone', false, 'broken', 'tarpit'],
  ['CL--', 's1', 200, 'client-gone', false, 'broken', 'sending the last of the answer'],
  ['cD--', 's1', 200, 'client-gone', false, 'broken', 'sending the answer'],
  ['cH--', 's1', 504, 'client-gone', false, 'broken', 'waiting for the answer'],
  ['cR--', null, 408, 'client-gone', false, 'answered', 'reading the request'],
  ['DH--', 's1', 502, 'benched', false, 'answered', 'waiting for the answer'],
  ['DD--', 's1', 200, 'benched', false, 'broken', 'sending the answer'],
  ['UD--', 's1', 200, 'restored', false, 'broken', 'sending the answer'],
  ['KD--', 's1', 200, 'shut-down', false, 'broken', 'sending the answer'],
];

for (const [state, server, status, signal, ofAttempt, outcome, place] of CASES) {
  test(`${state} at ${server ?? 'no server'} with ${status ?? 'no status'} means ${signal ?? 'a normal end'}, ${outcome}`, () => {
    const ending = { state, server, status };
    assert.deepEqual(reasonOf(ending), signal === null ? null : { signal, ofAttempt });
    assert.deepEqual([outcomeOf(ending), placeOf(ending)], [outcome, place]);
    if (signal !== null) assert.ok(signal in SIGNALS);
  });
}

test('of an attempt that reached no server nothing is said but of the request', () => {
  assert.deepEqual(reasonOf({ state: 'sC--', server: null, status: 503 }), { signal: 'connection_timeout', ofAttempt: false });
});
