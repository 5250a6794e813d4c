import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readerOf, reported, seen, T } from '../fixtures/proxy-record.ts';
import { readAdmin } from './admin.ts';
import { FLAGS } from './flags.ts';
import { read } from './read.ts';

const before = (details: string) => `upstream_reset_before_response_started{${details}}`;
const after = (details: string) => `upstream_reset_after_response_started{${details}}`;

const readLog = readerOf(read);

/** A request of which the lab's own log has these fields beside those that each has. */
function logged(fields: Record<string, unknown>) {
	const about = { log: 'doubletake1', start_time: new Date((T + 1) * 1000).toISOString(), duration: 1000, request_id: '1-1' };
	const asked = { upstream_host: '172.18.0.4:3000', upstream_cluster: 'app', upstream_request_attempt_count: 1 };
	const text = JSON.stringify({ ...about, ...asked, response_code: 503, response_flags: '', ...fields });
	return seen(readLog(`${new Date((T + 2) * 1000).toISOString()} ${text}\n`), '1-1');
}

/** Flags, details, status; signals with whether each is of the attempt, outcome. */
const CASES: [string, string | null, number | null, [string, boolean][], string][] = [
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
		const request = logged({ response_flags: flags, response_code_details: details, response_code: status ?? 0 });
		const signalsOf = (wanted: boolean) => signals.filter(([, ofAttempt]) => ofAttempt === wanted).map(([signal]) => signal);
		assert.deepEqual(
			request.asked.flatMap(({ message }) => message?.signal ?? []),
			signalsOf(true),
		);
		assert.deepEqual(
			request.own.map(({ signal }) => signal),
			signalsOf(false),
		);
		assert.equal(request.outcome, outcome);
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
	const isUpstreams = (fields: Record<string, unknown>) => logged(fields).asked.map(({ status }) => status === 503);
	assert.deepEqual(isUpstreams({ response_code_details: 'via_upstream' }), [true]);
	assert.deepEqual(isUpstreams({ response_code_details: 'no_healthy_upstream' }), [false]);
	assert.deepEqual(isUpstreams({ upstream_service_time: '5' }), [true]);
	assert.deepEqual(isUpstreams({ upstream_service_time: null }), [false]);
	assert.deepEqual(isUpstreams({ response_flags: 'URX' }), [true]);
	assert.deepEqual(isUpstreams({ response_flags: 'UH' }), [false]);
});

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

const plain = readLog(fixture('default-format.log'));
const own = readLog(fixture('lab-format.log'));

test('requests are counted by outcome from the default format', () => {
	const { source, received, answered_ok, answered_error, aborted } = plain;
	assert.deepEqual(
		{ source, received, answered_ok, answered_error, aborted },
		{ source: 'access log', received: 6, answered_ok: 1, answered_error: 3, aborted: 2 },
	);
});

test('the times are those of the line, and not of when Envoy wrote it', () => {
	const { received, ended } = seen(plain, '1-1');
	assert.ok(Math.abs(received - (T + 1)) < 1e-6 && Math.abs((ended ?? 0) - (T + 1.025)) < 1e-6);
});

test('an upstream’s own error is its answer, and one of Envoy’s is none of it', () => {
	assert.deepEqual(reported(seen(plain, '5-1').asked), [['app-1', 500, true, null]]);
	assert.deepEqual(reported(seen(plain, '2-1').asked), [['app-2', null, false, 'connection_refused']]);
	assert.deepEqual([seen(plain, '2-1').error, seen(plain, '5-1').error], ['UF', '']);
});

test('without a host the request itself is told so', () => {
	const { asked, own: said } = seen(plain, '3-1');
	assert.deepEqual([asked, said.map(({ signal }) => signal)], [[], ['destination_unavailable']]);
});

test('the default format covers requests and says what it cannot tell apart', () => {
	assert.deepEqual(plain.coverage, { requests: 'full', reasons: 'partial', limits: 'none' });
	assert.equal(plain.uncovered.length, 2);
	assert.match(plain.uncovered[0], /does not tell a refused connection/);
	assert.match(plain.uncovered[1], /watch: 2/);
});

test('an id that Envoy made cannot be joined, and the sentence says what to set', () => {
	const made = fixture('default-format.log').replace('"2-1"', '"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2"');
	const { coverage, uncovered } = readLog(made);
	assert.equal(coverage.requests, 'partial');
	assert.match(uncovered[0], /^Envoy gave 1 of 6 requests an id of its own: .*preserve_external_request_id/);
});

test('beside the lab’s own log the service’s does not count again', () => {
	assert.deepEqual([own.received, own.answered_ok, own.answered_error, own.aborted], [6, 1, 3, 2]);
});

test('repeated attempts stand before the last, which says why it failed', () => {
	const { asked, error } = seen(own, '2-1');
	assert.deepEqual(reported(asked), [
		['app', null, false, null],
		['app', null, false, null],
		['app-2', null, false, 'connection_refused'],
	]);
	assert.equal(error, 'UF,URX');
});

test('what a circuit breaker turned away was sent to nobody', () => {
	const { asked, own: said } = seen(own, '3-1');
	assert.deepEqual([asked, said.map(({ signal }) => signal)], [[], ['connection_limit_reached']]);
});

test('a connection that was not made in time is told apart by the details', () => {
	assert.deepEqual(reported(seen(own, '4-1').asked), [['app-2', null, false, 'connection_timeout']]);
});

test('a client that left, and an answer that broke off, are broken, and say where', () => {
	const left = seen(own, '5-1');
	assert.deepEqual([left.outcome, left.status, left.place], ['broken', null, 'downstream_remote_disconnect']);
	assert.deepEqual(reported(left.asked), [['app-1', null, true, null]]);
	const cut = seen(own, '6-1');
	assert.deepEqual([cut.outcome, reported(cut.asked)], ['broken', [['app-1', 200, true, 'http_response_incomplete']]]);
});

test('the lab’s log covers the reasons but for those of repeated attempts', () => {
	assert.deepEqual(own.coverage, { requests: 'full', reasons: 'partial', limits: 'none' });
	assert.match(own.uncovered[0], /repeated attempts/);
});

test('samples give limits, and tell which host was left out', () => {
	const [stats, clusters] = [fixture('stats.json'), fixture('clusters.txt')];
	const out = clusters.replace('172.18.0.5:3000::health_flags::healthy', '172.18.0.5:3000::health_flags::/failed_active_hc');
	const samples = [clusters, out].map((text, index) => ({ t: T + 1 + index, ...readAdmin(stats, text) }));
	const { limits, coverage, messages } = readLog(fixture('default-format.log'), samples);
	assert.deepEqual([limits.length, coverage.limits], [3, 'full']);
	assert.deepEqual(
		messages.filter(({ signal }) => signal === 'ejected').map(({ to }) => to),
		['app-2'],
	);
});

test('a flag that the lab does not know is named', () => {
	const { coverage, uncovered } = readLog(fixture('default-format.log').replace(' 503 UF ', ' 503 QQ '));
	assert.equal(coverage.reasons, 'partial');
	assert.match(uncovered[0], /QQ/);
});

test('no access log is said to be none, and an empty record is no error', () => {
	const record = readLog('');
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
	assert.deepEqual([record.received, record.requestRecords, record.messages], [null, [], []]);
	assert.match(record.uncovered[0], /no access log that Doubletake can read/);
});

test('how long it had a request, and the upstream behind it, is told where the log says when it was sent on', () => {
	const [line] = fixture('lab-format.log')
		.split('\n')
		.filter((one) => one.includes('"request_id":"1-1"'));
	const timed = line.replace('"upstream_service_time"', '"request_tx_duration":"10","upstream_service_time"');
	assert.deepEqual(seen(readLog(`${timed}\n`), '1-1').took_ms, { whole: 25, behind: 15, connect: 0 });
	assert.equal(seen(own, '1-1').took_ms, undefined);
});
