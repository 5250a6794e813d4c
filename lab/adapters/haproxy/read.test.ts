import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RequestRecord } from '../contract.ts';
import { readerOf, reported, seen, T } from '../fixtures/proxy-record.ts';
import { DROPPED_LINES } from '../log-lines.ts';
import { read } from './read.ts';
import { readStats } from './stats.ts';

const readLog = readerOf(read);

/**
 * What HAProxy says of itself and of its servers.
 * @param lines seconds after the log's beginning, and the text
 */
const messagesOf = (lines: [number, string][]) =>
	readLog(lines.map(([second, text]) => `${new Date((T + second) * 1000).toISOString()} ${text}\n`).join('')).messages;

/** each line two seconds after the one before */
const readAll: (...texts: string[]) => { signal: string; to?: string }[] = (...texts) =>
	messagesOf(texts.map((text, index) => [index * 2, text])).map(({ signal, to }) => (to === undefined ? { signal } : { signal, to }));

const DOWN =
	'Server app/s1 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 1 active and 0 backup servers left. 0 sessions active, 0 requeued, 0 remaining in queue.';

for (const [text, expected] of [
	[DOWN, { signal: 'ejected', to: 's1' }],
	[`<133>${DOWN}`, { signal: 'ejected', to: 's1' }],
	[`[WARNING]  (8) : ${DOWN}`, { signal: 'ejected', to: 's1' }],
	[`[WARNING] 221/013536 (213) : ${DOWN}`, { signal: 'ejected', to: 's1' }],
	['Server app/s1 is going DOWN for maintenance. 1 active and 0 backup servers left.', { signal: 'ejected', to: 's1' }],
	['Server app/s1 is UP, reason: Layer4 check passed, check duration: 0ms.', { signal: 'reinstated', to: 's1' }],
	['Backup Server app/s2 is UP/READY (leaving forced maintenance).', { signal: 'reinstated', to: 's2' }],
	['backend app has no server available!', { signal: 'destination_unavailable' }],
	["[ALERT]    (8) : backend 'app' has no server available!", { signal: 'destination_unavailable' }],
	["Proxy web reached the configured maximum connection limit. Please check the global 'maxconn' value.", { signal: 'table-full-new' }],
	["Proxy web reached process FD limit (maxsock=1031). Please check 'ulimit-n' and restart.", { signal: 'proxy_internal_error' }],
	['Proxy web reached system FD limit (maxsock=1031). Please check system tunables.', { signal: 'proxy_internal_error' }],
	['Proxy web reached system memory limit (maxsock=1031). Please check system tunables.', { signal: 'proxy_internal_error' }],
	['Connect() failed for backend app: no free ports.', { signal: 'proxy_internal_error' }],
	['Connect() failed for backend app: local address already in use.', { signal: 'proxy_internal_error' }],
	['[ALERT]    (1) : Current worker (8) exited with code 139 (Segmentation fault)', { signal: 'worker-died' }],
] as [string, { signal: string; to?: string }][])
	test(`"${text.slice(0, 70)}" means ${expected.signal}`, () => assert.deepEqual(readAll(text), [expected]));

test('a message that is written to the log and to the error output is one', () => {
	const messages = messagesOf([
		[1, `[WARNING]  (8) : ${DOWN}`],
		[1.001, DOWN],
		[1.002, "[ALERT]    (8) : backend 'app' has no server available!"],
		[1.003, 'backend app has no server available!'],
		[8, DOWN],
	]);
	assert.deepEqual(
		messages.map(({ t, signal }) => [Number((t - T).toFixed(3)), signal]),
		[
			[1, 'ejected'],
			[1.002, 'destination_unavailable'],
			[8, 'ejected'],
		],
	);
});

test('other lines say nothing: a start, a worker that was told to end, and what a client writes', () => {
	const texts = [
		'[NOTICE]   (1) : New worker (8) forked',
		'[ALERT]    (1) : Current worker (8) exited with code 143 (Terminated)',
		`10.0.0.9:3 "GET /Server app/s1 is DOWN"`,
		`x ${DOWN}`,
		'',
	];
	assert.deepEqual(readAll(...texts), []);
});

/** State, server, status; signal, whether it is of the attempt, outcome, place. */
const CASES: [string, string | null, number | null, string | null, boolean, string, string][] = [
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
	['DH--', 's1', 502, 'ejected', false, 'answered', 'waiting for the answer'],
	['DD--', 's1', 200, 'ejected', false, 'broken', 'sending the answer'],
	['UD--', 's1', 200, 'reinstated', false, 'broken', 'sending the answer'],
	['KD--', 's1', 200, 'shut-down', false, 'broken', 'sending the answer'],
];

/** A request of which the log has this end. */
function ended(state: string, server: string | null, status: number | null): RequestRecord {
	const at = `${new Date((T + 1) * 1000).toISOString()} 172.18.0.9:41000 [21/Nov/2026:20:00:00.990]`;
	return seen(
		readLog(`${at} web app/${server ?? '<NOSRV>'} 0/0/1/5/10 ${status ?? -1} 431 - - ${state} 1/1/1/1/0 0/0 {1-1} "GET / HTTP/1.1"\n`),
		'1-1',
	);
}

for (const [state, server, status, signal, ofAttempt, outcome, place] of CASES) {
	test(`${state} at ${server ?? 'no server'} with ${status ?? 'no status'} means ${signal ?? 'a normal end'}, ${outcome}`, () => {
		const request = ended(state, server, status);
		assert.deepEqual(
			request.asked.flatMap(({ message }) => message?.signal ?? []),
			ofAttempt ? [signal] : [],
		);
		assert.deepEqual(
			request.own.map((message) => message.signal),
			signal === null || ofAttempt ? [] : [signal],
		);
		assert.deepEqual([request.outcome, request.place], [outcome, place]);
	});
}

test('of an attempt that reached no server nothing is said but of the request', () => {
	const { asked, own } = ended('sC--', null, 503);
	assert.deepEqual([asked, own.map(({ signal }) => signal)], [[], ['connection_timeout']]);
});

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

const recorded = readLog(fixture('httplog.log'));

test('requests of the load are counted by outcome, those before and after left out', () => {
	const { source, received, answered_ok, answered_error, aborted, requestRecords } = recorded;
	assert.deepEqual(
		{ source, received, answered_ok, answered_error, aborted },
		{ source: 'HTTP log', received: 6, answered_ok: 3, answered_error: 2, aborted: 1 },
	);
	assert.deepEqual(
		requestRecords.map(({ id }) => id),
		['1-1', '2-1', '3-1', '4-1', '5-1', '6-1'],
	);
});

test('a good request has its times and the server that answered it', () => {
	const { received, ended, asked, own, error, place } = seen(recorded, '1-1');
	assert.ok(Math.abs(received - (T + 1)) < 1e-6 && Math.abs((ended ?? 0) - (T + 1.124)) < 1e-6);
	assert.deepEqual([reported(asked), own, error, place], [[['app-1', 200, true, null]], [], '', '']);
});

test('repeated attempts at one server stand before the last, which says why it failed', () => {
	const { asked, error, place } = seen(recorded, '3-1');
	assert.deepEqual(reported(asked), [
		['app-2', null, false, null],
		['app-2', null, false, null],
		['app-2', null, false, null],
		['app-2', null, false, 'connection_refused'],
	]);
	assert.deepEqual([error, place, asked[3].message?.to], ['SC', 'connecting to the server', 'app-2']);
});

test('after a redispatch the repeated attempts belong to the backend, and the answer to the server that is named', () => {
	assert.deepEqual(reported(seen(recorded, '4-1').asked), [
		['app', null, false, null],
		['app', null, false, null],
		['app', null, false, null],
		['app-1', 200, true, null],
	]);
});

test('without a server to ask, the request itself is told so', () => {
	const { asked, own } = seen(recorded, '5-1');
	assert.deepEqual([asked, own.map(({ signal }) => signal)], [[], ['destination_unavailable']]);
});

test('a client that left is told of the request, and the server that it waited for has no answer', () => {
	const { outcome, status, asked, own, place } = seen(recorded, '6-1');
	assert.deepEqual([outcome, status, place], ['broken', null, 'waiting for the answer']);
	assert.deepEqual([reported(asked), own.map(({ signal }) => signal)], [[['app-1', null, true, null]], ['client-gone']]);
});

test('what was said of requests and of servers stands in the order of time, each once', () => {
	assert.deepEqual(
		recorded.messages.map(({ signal, to }) => [signal, to ?? null]),
		[
			['ejected', 'app-2'],
			['connection_refused', 'app-2'],
			['destination_unavailable', null],
			['destination_unavailable', null],
			['client-gone', 'app-1'],
			['reinstated', 'app-2'],
		],
	);
});

test('a log with ids covers the requests, and says what it does not', () => {
	assert.deepEqual(recorded.coverage, { requests: 'full', reasons: 'partial', limits: 'none' });
	assert.equal(recorded.uncovered.length, 3);
	assert.match(recorded.uncovered[0], /repeated attempts/);
	assert.match(recorded.uncovered[1], /watch: 2/);
	assert.match(recorded.uncovered[2], /waits in the kernel/);
	assert.equal(recorded.silent_close, true);
});

test('a log without ids covers requests in part, and the sentence says what to add', () => {
	const { coverage, uncovered, requestRecords } = readLog(fixture('httplog.log').replace(/ \{[^}]*\}/g, ''));
	assert.deepEqual([coverage.requests, requestRecords.every(({ id }) => id === '')], ['partial', true]);
	assert.match(uncovered[0], /^HAProxy’s log has no request id: .*capture request header X-Request-Id len 64.*watch: 2/);
});

test('no HTTP log at all is said to be none, and counts nothing', () => {
	const record = readLog('2026-11-21T20:00:01.000000000Z [NOTICE]   (1) : New worker (8) forked\n');
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
	assert.deepEqual([record.received, record.answered_ok, record.answered_error, record.aborted], [null, null, null, null]);
	assert.match(record.uncovered[0], /no line of its default HTTP log/);
});

test('in the lab’s format servers are known by their address, in messages about them too', () => {
	const record = readLog(fixture('lab-format.log'));
	assert.deepEqual(reported(seen(record, '1-1').asked), [['app-1', 200, true, null]]);
	assert.deepEqual(reported(seen(record, '2-1').asked), [['app-2', null, true, 'connection_terminated']]);
	assert.deepEqual(
		seen(record, '3-1').own.map(({ signal }) => signal),
		['queue-timeout'],
	);
	assert.deepEqual(
		record.messages.filter(({ signal }) => signal === 'ejected').map(({ to }) => to),
		['app-2'],
	);
	assert.deepEqual([record.coverage.requests, record.uncovered[0]], ['partial', '1 of HAProxy’s 4 lines have no request id.']);
});

test('samples give limits, and lines that HAProxy dropped are missing requests', () => {
	const answer = fixture('show-stat.txt');
	const samples = [answer, answer.replace('DroppedLogs: 0', 'DroppedLogs: 3')].map((text, index) => ({ t: T + index, ...readStats(text) }));
	const { coverage, limits, counters, uncovered } = readLog(fixture('httplog.log'), samples);
	assert.deepEqual(coverage, { requests: 'partial', reasons: 'partial', limits: 'full' });
	assert.deepEqual([limits[0].resource, counters[DROPPED_LINES].map(({ value }) => value)], ['connections of the process', [0, 3]]);
	assert.match(uncovered[0], /could not write all of its log lines/);
});

test('an empty record is no error', () => {
	assert.deepEqual([readLog('').requestRecords, readLog('').messages], [[], []]);
});

test('how long it had a request, and a server behind it, is what its timers say', () => {
	// 205 ms in the queue, 1 ms for the connection, 101 ms until the answer, 309 ms in all.
	assert.deepEqual(seen(recorded, '2-1').took_ms, { whole: 309, behind: 104, connect: 1 });
	assert.equal(seen(recorded, '3-1').took_ms, undefined);
});

test('what it says twice counts once, whichever of its outputs comes first in the record', () => {
	const lines = fixture('httplog.log').split('\n');
	const isEngines = (line: string) => /Z \[(?:NOTICE|WARNING|ALERT)\]/.test(line);
	const apart = [...lines.filter(isEngines), ...lines.filter((line) => !isEngines(line))].join('\n');
	assert.deepEqual(
		readLog(apart).messages.map(({ signal }) => signal),
		recorded.messages.map(({ signal }) => signal),
	);
});
