import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAccessLine } from './access-line.js';

const T = Date.parse('2026-11-21T20:00:00Z') / 1000;

/** The manual's example. */
const TEXT =
  '[2016-04-15T20:17:00.310Z] "POST /api/v1/locations HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "locations" "tcp://10.0.2.1:80"';

/** @param {string} text */
function readLine(text) {
  const line = readAccessLine({ t: T, text });
  assert.ok(line, text);
  return line;
}

test('the manual’s example of the default format is read', () => {
  const { received, ended, ...line } = readLine(TEXT);
  assert.ok(Math.abs(received - Date.parse('2016-04-15T20:17:00.310Z') / 1000) < 1e-6);
  assert.ok(Math.abs(ended - received - 0.226) < 1e-6);
  assert.deepEqual(line, {
    id: 'cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2',
    timed: true,
    status: 204,
    flags: [],
    details: null,
    failure: '',
    host: 'tcp://10.0.2.1:80',
    cluster: '',
    attempts: null,
    durationMs: 226,
    sentMs: null,
    upstreamAnswered: true,
    own: false,
    text: TEXT,
  });
});

test('flags and, where they stand after them, the response code’s details are read', () => {
  const line = readLine(
    '[2024-07-20T07:09:48.470Z] "GET /x HTTP/1.1" 503 UF,URX upstream_reset_before_response_started{connection_failure,delayed_connect_error:_111} 0 145 0 - "-" "curl/8.4.0" "7-1" "localhost:8000" "172.28.0.2:801"',
  );
  assert.deepEqual(line.flags, ['UF', 'URX']);
  assert.deepEqual(
    [line.details, line.upstreamAnswered],
    ['upstream_reset_before_response_started{connection_failure,delayed_connect_error:_111}', false],
  );
});

test('no answer, no id and no host are none', () => {
  const { status, id, host } = readLine('[2026-11-21T20:00:04.000Z] "GET / HTTP/1.1" 0 DC 0 0 2000 - "-" "-" "-" "envoy" "-"');
  assert.deepEqual({ status, id, host }, { status: null, id: '', host: '' });
});

test('JSON is read with typed values and with texts, whatever its fields are spelt like', () => {
  const typed = readLine(
    '{"start_time":"2026-11-21T20:00:01.500Z","duration":25,"response_code":200,"response_flags":"-","x-request-id":"7-2"}',
  );
  const texts = readLine('{"Start-Time":"2026-11-21T20:00:01.500Z","Duration":"25","Response_Code":"200","X-Request-ID":"7-2"}');
  for (const line of [typed, texts]) {
    assert.ok(Math.abs(line.received - (T + 1.5)) < 1e-6 && Math.abs(line.ended - (T + 1.525)) < 1e-6);
    assert.deepEqual([line.id, line.status, line.flags, line.timed, line.own], ['7-2', 200, [], true, false]);
  }
});

test('JSON without a start takes the engine’s time for its end, and says so', () => {
  const { received, ended, timed } = readLine('{"duration":500,"response_code":200}');
  assert.deepEqual([received, ended, timed], [T - 0.5, T, false]);
});

test('the lab’s own line is known by its mark, and has attempts, cluster and failure', () => {
  const line = readLine(
    '{"log":"doubletake1","start_time":"2026-11-21T20:00:02.000Z","duration":1,"response_code":503,"response_flags":"UF","response_code_details":"x","upstream_transport_failure_reason":"TLS_error","upstream_cluster":"app","upstream_request_attempt_count":3,"upstream_service_time":null}',
  );
  assert.deepEqual([line.own, line.attempts, line.cluster, line.failure, line.upstreamAnswered], [true, 3, 'app', 'TLS_error', false]);
});

test('half a line, another program’s line and other JSON are no requests', () => {
  const others = [
    '',
    TEXT.slice(0, -1),
    TEXT.slice(0, 60),
    '{"start_time":"2026-11-21T20:00:01.500Z","dur',
    '{"msg":"hello"}',
    '[]',
    '{',
    '[2026-11-21 20:00:15.000][1][warning][main] [source/server/server.cc:895] caught ENVOY_SIGTERM',
    `app said ${TEXT}`,
  ];
  for (const text of others) assert.equal(readAccessLine({ t: T, text }), null, text);
});

test('what a client writes into its user agent changes neither the status nor the id', () => {
  const line = readLine(TEXT.replace('"nsq2http"', '"x" 503 UF 0 0 0 - "-" "y" "9-9" "z" "10.0.0.1:1" "'));
  assert.deepEqual([line.status, line.id, line.host], [204, 'cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2', 'tcp://10.0.2.1:80']);
});
