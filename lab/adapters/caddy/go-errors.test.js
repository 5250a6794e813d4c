import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNALS } from '../contract.js';
import { abortReasonOf, addressIn, isDialing, reasonOf } from './go-errors.js';

/** Error; signal, whether it is of an attempt, where it went, whether there was no connection yet. @type {[string, string, boolean, string, boolean][]} */
const CASES = [
  ['dial tcp 172.18.0.5:3000: connect: connection refused', 'connection_refused', true, '172.18.0.5:3000', true],
  ['dial tcp [::1]:8050: connect: connection refused', 'connection_refused', true, '[::1]:8050', true],
  ['dial tcp 172.18.0.5:3000: i/o timeout', 'connection_timeout', true, '172.18.0.5:3000', true],
  ['dial tcp 172.18.0.5:3000: connect: connection timed out', 'connection_timeout', true, '172.18.0.5:3000', true],
  ['dial tcp 172.18.0.5:3000: connect: no route to host', 'destination_ip_unroutable', true, '172.18.0.5:3000', true],
  ['dial tcp 172.18.0.5:3000: connect: network is unreachable', 'destination_ip_unroutable', true, '172.18.0.5:3000', true],
  ['dial tcp 172.18.0.5:3000: connect: cannot assign requested address', 'proxy_internal_error', false, '172.18.0.5:3000', true],
  ['dial tcp 172.18.0.5:3000: socket: too many open files', 'proxy_internal_error', false, '172.18.0.5:3000', true],
  ['dial tcp: lookup app-2 on 127.0.0.11:53: no such host', 'dns_error', true, '', true],
  ['dial tcp: lookup app-2 on 127.0.0.11:53: server misbehaving', 'dns_error', true, '', true],
  ['dial tcp: lookup app-2: i/o timeout', 'dns_error', true, '', true],
  ['EOF', 'connection_terminated', true, '', false],
  ['read tcp 172.18.0.3:40112->172.18.0.5:3000: read: connection reset by peer', 'connection_terminated', true, '172.18.0.5:3000', false],
  ['write tcp 172.18.0.3:40112->172.18.0.5:3000: write: broken pipe', 'connection_terminated', true, '172.18.0.5:3000', false],
  ['http: server closed idle connection', 'connection_terminated', true, '', false],
  ['net/http: HTTP/1.x transport connection broken: unexpected EOF', 'connection_terminated', true, '', false],
  ['net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"', 'http_protocol_error', true, '', false],
  ['tls: first record does not look like a TLS handshake', 'http_protocol_error', true, '', false],
  ['http: server gave HTTP response to HTTPS client', 'http_protocol_error', true, '', false],
  ['net/http: timeout awaiting response headers', 'http_response_timeout', true, '', false],
  ['read tcp 172.18.0.3:40112->172.18.0.5:3000: i/o timeout', 'http_response_timeout', true, '172.18.0.5:3000', false],
  ['no upstreams available', 'destination_unavailable', false, '', false],
  ['context canceled', 'client-gone', false, '', false],
  ['dial tcp 172.18.0.5:3000: operation was canceled', 'client-gone', false, '172.18.0.5:3000', true],
];

for (const [error, signal, ofAttempt, address, dialing] of CASES) {
  test(`"${error}" means ${signal}`, () => {
    assert.deepEqual(reasonOf(error), { signal, ofAttempt });
    assert.deepEqual([addressIn(error), isDialing(error)], [address, dialing]);
    assert.ok(signal in SIGNALS);
  });
}

test('an error that is not of the way to the services behind means nothing here', () => {
  for (const error of ['', '{id=abc} fileserver.(*FileServer).notFound: HTTP 404', 'template: no such template'])
    assert.equal(reasonOf(error), null, error);
});

test('an answer breaks off at the service behind, or because its client left', () => {
  for (const error of ['unexpected EOF', 'reading: unexpected EOF', 'read tcp 10.0.0.3:4->10.0.0.5:3000: read: connection reset by peer'])
    assert.deepEqual(abortReasonOf(error), { signal: 'http_response_incomplete', ofAttempt: true }, error);
  for (const error of [
    'context canceled',
    'writing: write tcp 10.0.0.3:80->10.0.0.9:4: write: broken pipe',
    'short write',
    'write tcp 10.0.0.3:80->10.0.0.9:4: write: connection reset by peer',
  ])
    assert.deepEqual(abortReasonOf(error), { signal: 'client-gone', ofAttempt: false }, error);
});
