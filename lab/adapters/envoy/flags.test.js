import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNALS } from '../contract.js';
import { FLAGS, isUpstreamsAnswer, outcomeOf, reasonsOf } from './flags.js';

const before = (/** @type {string} */ details) => `upstream_reset_before_response_started{${details}}`;
const after = (/** @type {string} */ details) => `upstream_reset_after_response_started{${details}}`;

/** @param {Partial<import('./access-line.js').AccessLine>} more @returns {import('./access-line.js').AccessLine} */
const line = (more) => ({
  id: '1-1',
  received: 0,
  ended: 1,
  timed: true,
  status: 503,
  flags: [],
  details: 'some_reason',
  failure: '',
  host: '10.0.0.1:3000',
  cluster: 'app',
  attempts: 1,
  durationMs: 1000,
  sentMs: null,
  upstreamAnswered: false,
  own: true,
  text: '',
  ...more,
});

/**
 * Flags, details, status; signals with whether each is of the attempt, outcome.
 * @type {[string, string | null, number | null, [string, boolean][], string][]}
 */
const CASES = [
  ['', 'via_upstream', 500, [], 'answered'],
  ['UH', 'no_healthy_upstream', 503, [['destination_unavailable', false]], 'answered'],
  ['UF', before('connection_failure,delayed_connect_error:_111'), 503, [['connection_refused', true]], 'answered'],
  ['UF', before('remote_connection_failure|delayed_connect_error:_Connection_refused'), 503, [['connection_refused', true]], 'answered'],
  ['UF', before('connection_timeout'), 503, [['connection_timeout', true]], 'answered'],
  ['UF', before('connection_timeout|connect_timeout'), 503, [['connection_timeout', true]], 'answered'],
  [
    'UF',
    before('remote_connection_failure|immediate_connect_error:_Network_is_unreachable'),
    503,
    [['destination_ip_unroutable', true]],
    'answered',
  ],
  ['UF', before('connection_failure,delayed_connect_error:_113'), 503, [['destination_ip_unroutable', true]], 'answered'],
  ['UF', before('local_connection_failure|immediate_connect_error:_Cannot_assign'), 503, [['proxy_internal_error', true]], 'answered'],
  ['UF', before('connection_failure,TLS_error:_268435703:SSL_routines'), 503, [['http_protocol_error', true]], 'answered'],
  ['UF', null, 503, [['connection_refused', true]], 'answered'],
  ['UF,URX', null, 503, [['connection_refused', true]], 'answered'],
  ['UO', before('overflow'), 503, [['connection_limit_reached', false]], 'answered'],
  ['NR', 'route_not_found', 404, [['http_request_denied', false]], 'answered'],
  ['NC', 'cluster_not_found', 503, [['destination_unavailable', false]], 'answered'],
  ['URX', 'via_upstream', 500, [], 'answered'],
  ['UC', before('connection_termination'), 503, [['connection_terminated', true]], 'answered'],
  ['UC', after('connection_termination'), 200, [['http_response_incomplete', true]], 'broken'],
  ['UR', before('remote_reset'), 503, [['connection_terminated', true]], 'answered'],
  ['UR', null, 200, [['http_response_incomplete', true]], 'broken'],
  ['UT', 'upstream_response_timeout', 504, [['http_response_timeout', true]], 'answered'],
  ['UT', 'response_timeout', 504, [['http_response_timeout', true]], 'answered'],
  ['UPE', before('protocol_error'), 502, [['http_protocol_error', true]], 'answered'],
  ['UPE', after('protocol_error'), 200, [['http_response_incomplete', true]], 'broken'],
  ['UMSDR', 'upstream_max_stream_duration_reached', 504, [['http_response_timeout', true]], 'answered'],
  ['LR', before('local_reset'), 503, [['connection_timeout', true]], 'answered'],
  ['LH', null, 503, [['destination_unavailable', false]], 'answered'],
  ['SI', 'stream_idle_timeout', 408, [['http_response_timeout', false]], 'answered'],
  ['DT', 'duration_timeout', 408, [['http_response_timeout', false]], 'answered'],
  ['DF', 'dns_resolution_failure', 503, [['dns_error', false]], 'answered'],
  ['OM', 'overload', 503, [['proxy_internal_error', false]], 'answered'],
  ['NFCF', null, 500, [['proxy_internal_error', false]], 'answered'],
  ['RL', 'request_rate_limited', 429, [['http_request_denied', false]], 'answered'],
  ['RLSE', null, 500, [['http_request_denied', false]], 'answered'],
  ['UAEX', 'ext_authz_denied', 403, [['http_request_denied', false]], 'answered'],
  ['FI', 'fault_filter_abort', 503, [['http_request_denied', false]], 'answered'],
  ['DI', 'via_upstream', 200, [], 'answered'],
  ['IH', 'request_headers_failed_strict_check', 400, [['http_request_denied', false]], 'answered'],
  ['DPE', 'http1.codec_error', 400, [['http_request_denied', false]], 'answered'],
  ['DO', null, 503, [['http_request_denied', false]], 'answered'],
  ['UDO', null, 503, [['http_request_denied', false]], 'answered'],
  ['RFCF', null, 200, [], 'answered'],
  ['DC', 'downstream_remote_disconnect', null, [['client-gone', false]], 'broken'],
  ['DC', null, null, [['client-gone', false]], 'broken'],
  ['DC', 'downstream_remote_disconnect', 200, [['client-gone', false]], 'broken'],
  ['', 'downstream_remote_disconnect', 200, [['client-gone', false]], 'broken'],
  ['DR', 'http2.remote_reset', null, [['client-gone', false]], 'broken'],
  ['XX', null, 503, [], 'answered'],
];

for (const [flags, details, status, signals, outcome] of CASES) {
  test(`${flags || 'no flag'} with ${details ?? 'no details'} and status ${status ?? 'none'} means ${signals.map(([signal]) => signal).join(', ') || 'nothing'}`, () => {
    const one = line({ flags: flags.split(',').filter((flag) => flag !== ''), details, status });
    assert.deepEqual(
      reasonsOf(one).map(({ signal, ofAttempt }) => [signal, ofAttempt]),
      signals,
    );
    assert.equal(outcomeOf(one), outcome);
    for (const [signal] of signals) assert.ok(signal in SIGNALS);
  });
}

test('every flag that is known is tried above', () => {
  const tried = new Set(CASES.flatMap(([flags]) => flags.split(',')));
  assert.deepEqual(
    Object.keys(FLAGS).filter((flag) => !tried.has(flag)),
    [],
  );
});

test('a status is the upstream’s own by the details, else by the upstream’s time, else where no flag says otherwise', () => {
  assert.equal(isUpstreamsAnswer(line({ details: 'via_upstream', status: 503 })), true);
  assert.equal(isUpstreamsAnswer(line({ details: 'no_healthy_upstream' })), false);
  assert.equal(isUpstreamsAnswer(line({ details: null, upstreamAnswered: true })), true);
  assert.equal(isUpstreamsAnswer(line({ details: null, upstreamAnswered: false })), false);
  assert.equal(isUpstreamsAnswer(line({ details: null, upstreamAnswered: null, flags: ['URX'] })), true);
  assert.equal(isUpstreamsAnswer(line({ details: null, upstreamAnswered: null, flags: ['UH'] })), false);
});
