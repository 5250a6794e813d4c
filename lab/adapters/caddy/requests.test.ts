import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { About } from '../contract.ts';
import { reported } from '../fixtures/proxy-record.ts';
import { serviceAt } from '../hop-counts.ts';
import { abortReasonOf } from './go-errors.ts';
import type { Entry } from './log-entry.ts';
import { readEntry } from './log-entry.ts';
import { requestRecordOf, requestsIn } from './requests.ts';

/** Error; signal, whether it is of an attempt, where it went, whether there was no connection yet. */
const CASES: [string, string, boolean, string, boolean][] = [
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

const ABOUT: About = { service: 'edge', tier: 'load-balancer', level: 2, names: new Map(), window: { from: 0, to: 100 } };

type Line = { id?: string; port?: number; [more: string]: any };

function entry(t: number, logger: string, msg: string, { id, port = 1, ...more }: Line = {}) {
	const headers = id === undefined ? {} : { 'X-Request-Id': [id] };
	const request = { remote_ip: '10.0.0.9', remote_port: String(port), method: 'GET', headers };
	const text = JSON.stringify({ ts: t, doubletake: logger, msg, request, ...more });
	return readEntry({ t, text }) as Entry;
}
const access = (t: number, line: Line) => entry(t, 'http.log.access', 'handled request', { duration: 1, ...line });
const attempt = (t: number, line: Line) => entry(t, 'http.handlers.reverse_proxy', 'upstream roundtrip', line);
const failure = (t: number, msg: string, line: Line) => entry(t, 'http.log.error', msg, line);
const abort = (t: number, line: Line) => entry(t, 'http.handlers.reverse_proxy', 'aborting with incomplete response', line);

const seen = (entries: Entry[]) => requestsIn(entries).requests.map((request) => requestRecordOf(request, ABOUT));

/** A request whose one attempt failed so, by the line of the attempt and by that of the error alone. */
const failedSo = (error: string) => {
	const failed = failure(1, error, { id: '1-1', status: 502 });
	return [seen([attempt(1, { id: '1-1', upstream: 'app-1:3000', error }), failed]), seen([failed])].map(([request]) => request);
};

for (const [error, signal, ofAttempt, address, dialing] of CASES) {
	test(`"${error}" means ${signal}`, () => {
		const [attempted, alone] = failedSo(error);
		const to = serviceAt(address, new Map());
		assert.deepEqual(reported(attempted.asked), [[to || 'app-1', null, !dialing, ofAttempt ? signal : null]]);
		assert.deepEqual(reported(alone.asked), ofAttempt ? [[to, null, !dialing, signal]] : []);
		for (const { own } of [attempted, alone])
			assert.deepEqual(
				own.map((message) => message.signal),
				ofAttempt ? [] : [signal],
			);
	});
}

test('an error that is not of the way to the services behind means nothing here', () => {
	for (const error of ['{id=abc} fileserver.(*FileServer).notFound: HTTP 404', 'template: no such template']) {
		const [attempted, alone] = failedSo(error);
		assert.deepEqual([attempted.asked.map(({ message }) => message), attempted.own], [[null], []], error);
		assert.deepEqual([alone.asked, alone.own], [[], []], error);
	}
});

test('lines of several requests that run at once are matched to requests by id', () => {
	const requestRecords = seen([
		attempt(1, { id: '1-1', upstream: 'app-1:3000', status: 200 }),
		attempt(2, { id: '2-1', upstream: 'app-2:3000', error: 'EOF' }),
		failure(3, 'EOF', { id: '2-1', status: 502, duration: 1 }),
		access(4, { id: '1-1', status: 200 }),
		access(5, { id: '2-1', status: 502 }),
	]);
	assert.deepEqual(
		requestRecords.map(({ id, status, asked }) => [id, status, asked.map(({ to, message }) => [to, message?.signal ?? null])]),
		[
			['1-1', 200, [['app-1', null]]],
			['2-1', 502, [['app-2', 'connection_terminated']]],
		],
	);
});

test('without ids they are joined by the client’s connection, on which one request follows another', () => {
	const requestRecords = seen([
		attempt(1, { port: 7, upstream: 'app-1:3000', status: 200 }),
		attempt(1.5, { port: 8, upstream: 'app-2:3000', status: 200 }),
		access(2, { port: 7, status: 200 }),
		access(2.5, { port: 8, status: 200 }),
		attempt(3, { port: 7, upstream: 'app-3:3000', status: 500 }),
		access(4, { port: 7, status: 500 }),
	]);
	assert.deepEqual(
		requestRecords.map(({ asked }) => asked.map(({ to }) => to)),
		[['app-1'], ['app-2'], ['app-3']],
	);
});

test('without an access log each error ends its own request', () => {
	const [one, other] = seen([
		failure(3, 'dial tcp 10.0.0.5:3000: connect: connection refused', { id: '1-1', status: 502, duration: 0.5 }),
		failure(4, 'no upstreams available', { id: '2-1', status: 503, duration: 0 }),
	]);
	assert.deepEqual([one.received, one.ended, one.status, one.outcome], [2.5, 3, 502, 'answered']);
	assert.deepEqual(
		one.asked.map(({ to, connected, message }) => [to, connected, message?.signal]),
		[['10.0.0.5', false, 'connection_refused']],
	);
	assert.deepEqual([other.asked, other.own.map(({ signal }) => signal)], [[], ['destination_unavailable']]);
});

test('an error of a site without an access log stands beside the requests of one that has it', () => {
	const requestRecords = seen([failure(1, 'EOF', { id: '1-1', status: 502, duration: 0 }), access(2, { id: '2-1', status: 200 })]);
	assert.deepEqual(requestRecords.map(({ id, status }) => [id, status]).sort(), [
		['1-1', 502],
		['2-1', 200],
	]);
});

test('what Caddy ran out of is told of the request, and of no service behind', () => {
	const [{ asked, own }] = seen([
		attempt(1, { id: '1-1', upstream: 'app-1:3000', error: 'dial tcp 10.0.0.4:3000: socket: too many open files' }),
		failure(1, 'dial tcp 10.0.0.4:3000: socket: too many open files', { id: '1-1', status: 502 }),
		access(1, { id: '1-1', status: 502 }),
	]);
	assert.deepEqual(
		[asked.map(({ connected, message }) => [connected, message]), own.map(({ signal }) => signal)],
		[[[false, null]], ['proxy_internal_error']],
	);
});

test('a client that left while Caddy connected has the status 499, which was never sent', () => {
	const error = 'dial tcp 10.0.0.4:3000: operation was canceled';
	const [{ outcome, status, own }] = seen([
		attempt(1, { id: '1-1', upstream: 'app-1:3000', error }),
		failure(1, error, { id: '1-1', status: 499 }),
		access(1, { id: '1-1', status: 499 }),
	]);
	assert.deepEqual([outcome, status, own.map(({ signal }) => signal)], ['broken', null, ['client-gone']]);
});

test('an answer shorter than its length is broken, one to HEAD or without a body is not', () => {
	const headers = { 'Content-Length': ['412'] };
	const outcome = (line: Line) => seen([access(1, { id: '1-1', status: 200, size: 100, resp_headers: headers, ...line })])[0].outcome;
	assert.equal(outcome({}), 'broken');
	assert.equal(outcome({ status: 304, size: 0 }), 'answered');
	assert.equal(outcome({ size: 412 }), 'answered');
	const head = entry(1, 'http.log.access', 'handled request', {
		request: { method: 'HEAD', remote_ip: 'x', remote_port: '1' },
		status: 200,
		size: 0,
		resp_headers: headers,
	});
	assert.equal(seen([head])[0].outcome, 'answered');
});

test('an answer that broke off without a request’s name belongs to the next that ends short, and else to none', () => {
	const nameless = { request: undefined, error: 'unexpected EOF' };
	const short = { id: '1-1', status: 200, size: 100, resp_headers: { 'Content-Length': ['412'] } };
	const found = requestsIn([abort(1, nameless), access(1.001, { id: '2-1', status: 200 }), access(1.002, short)]);
	assert.deepEqual(
		[found.unjoined.length, found.requests.map(({ end, abort: own }) => [end.id, own?.error ?? null])],
		[
			0,
			[
				['2-1', null],
				['1-1', 'unexpected EOF'],
			],
		],
	);
	const none = requestsIn([abort(1, nameless), access(1.5, short)]);
	assert.deepEqual([none.unjoined.length, none.requests[0].abort], [1, null]);
});

test('an answer that broke off because its client left is told of the request', () => {
	const [{ outcome, asked, own }] = seen([
		attempt(1, { id: '1-1', upstream: 'app-1:3000', status: 200 }),
		abort(2, { id: '1-1', error: 'writing: write tcp 10.0.0.3:80->10.0.0.9:4: write: broken pipe' }),
		access(2, { id: '1-1', status: 200 }),
	]);
	assert.deepEqual([outcome, asked[0].message, own.map(({ signal }) => signal)], ['broken', null, ['client-gone']]);
});

test('lines without an end leave no request behind', () => {
	assert.deepEqual(seen([attempt(1, { id: '1-1', upstream: 'app-1:3000', status: 200 }), access(2, { id: '2-1', status: 200 })]).length, 1);
});
