import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Message } from '../contract.ts';
import { readerOf, reported, seen, T } from '../fixtures/proxy-record.ts';
import { readEntry } from './log-entry.ts';
import { readMetrics } from './metrics.ts';
import { read } from './read.ts';

const ACCESS =
	'{"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"41342","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/","headers":{"X-Request-Id":["7-1"]}},"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Content-Length":["10900"]}}';

function readLine(text: string) {
	const entry = readEntry({ t: 9, text });
	assert.ok(entry, text);
	return entry;
}

test('a line of the access log is read', () => {
	assert.deepEqual(readLine(ACCESS), {
		kind: 'access',
		t: 1646861401.5241024,
		message: 'handled request',
		id: '7-1',
		client: '127.0.0.1:41342',
		method: 'GET',
		status: 200,
		duration_s: 0.000929675,
		size: 10900,
		promised: 10900,
		upstream: '',
		host: '',
		error: '',
		own: false,
		text: ACCESS,
	});
});

for (const [logger, message, kind] of [
	['http.log.access.log0', 'handled request', 'access'],
	['http.log.error', 'EOF', 'error'],
	['http.log.error.log0', 'no upstreams available', 'error'],
	['http.handlers.reverse_proxy', 'upstream roundtrip', 'attempt'],
	['http.handlers.reverse_proxy', 'aborting with incomplete response', 'abort'],
	['http.handlers.reverse_proxy', 'selected upstream', 'other'],
	['http.handlers.reverse_proxy.health_checker.active', 'host is up', 'health'],
	['http.stdlib', 'http: Accept error', 'other'],
	['http.log.accessories', 'handled request', 'other'],
	['', 'serving initial configuration', 'other'],
]) {
	test(`"${message}" of ${logger || 'no logger'} is of the kind ${kind}`, () => {
		assert.equal(readLine(JSON.stringify({ logger, msg: message })).kind, kind);
		const own = readLine(JSON.stringify({ doubletake: logger, msg: message }));
		assert.deepEqual([own.kind, own.own], [kind, true]);
	});
}

test('an older line has the client in one, and a time that is no number is that of the engine', () => {
	const { client, t, duration_s } = readLine(
		'{"ts":"2026-11-21T20:00:00Z","msg":"x","request":{"remote_addr":"10.0.0.7:4"},"duration":"1.5ms"}',
	);
	assert.deepEqual({ client, t, duration_s }, { client: '10.0.0.7:4', t: 9, duration_s: null });
});

test('a status of 0 is none', () => {
	assert.equal(readLine('{"msg":"handled request","status":0}').status, null);
});

test('half a line, another format and other JSON are none', () => {
	const others = [
		'',
		ACCESS.slice(0, -20),
		'2022/04/28 04:22:21.925\tINFO\thttp.log.access\thandled request\t{}',
		'{"message":"x"}',
		'[]',
		'{"msg":5}',
	];
	for (const text of others) assert.equal(readEntry({ t: 9, text }), null, text);
});

test('what a client sends in its headers is its headers’ alone', () => {
	const hostile = ACCESS.replace('["7-1"]', '["7-1\\"}},\\"status\\":502,\\"x\\":{\\"y\\":{\\"z\\":[\\""]');
	const { status, id } = readLine(hostile);
	assert.deepEqual([status, id.startsWith('7-1"')], [200, true]);
});

const text = readFileSync(new URL('./fixtures/metrics.txt', import.meta.url), 'utf8');

test('file descriptors and the health of upstreams are read', () => {
	assert.deepEqual(readMetrics(text), { openFiles: 211, mostFiles: 1_048_576, healthy: { 'app-1:3000': 1, 'app-2:3000': 1 } });
});

test('an answer without them is none, and one that was cut off keeps what it has', () => {
	for (const other of ['', '404 page not found', 'go_goroutines 5\n']) assert.equal(readMetrics(other), null, other);
	assert.deepEqual(readMetrics(text.slice(0, text.indexOf('process_max'))), {
		openFiles: null,
		mostFiles: null,
		healthy: { 'app-1:3000': 1, 'app-2:3000': 1 },
	});
});

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

const readLog = readerOf(read);

/** A line of a health check, of a service by the address that it has in the run. */
function check(second: number, msg: string, host: string): string {
	const text = JSON.stringify({ ts: T + second, logger: 'http.handlers.reverse_proxy.health_checker.active', msg, host });
	return `${new Date((T + second) * 1000).toISOString()} ${text}\n`;
}

const changesIn = (messages: Message[]) => messages.map(({ t, signal, to }) => [t - T, signal, to]);

test('of checks that fail one after the other the first leaves the service out, and its return is reported once', () => {
	const log = [
		check(1, 'HTTP request failed', '172.18.0.5:3000'),
		check(2, 'HTTP request failed', '172.18.0.5:3000'),
		check(2, 'unexpected status code', '172.18.0.9:3000'),
		check(3, 'host is up', '172.18.0.5:3000'),
		check(3, 'host is up', '172.18.0.5:3000'),
		check(4, 'status code out of tolerances', '172.18.0.5:3000'),
	];
	assert.deepEqual(changesIn(readLog(log.join('')).messages), [
		[1, 'ejected', 'app-2'],
		[2, 'ejected', '172.18.0.9'],
		[3, 'reinstated', 'app-2'],
		[4, 'ejected', 'app-2'],
	]);
});

test('a service that was never out is not taken in again, and other lines say nothing', () => {
	assert.deepEqual(readLog(check(1, 'host is up', '172.18.0.5:3000') + check(2, 'bad network address', '172.18.0.5:3000')).messages, []);
});

test('the gauge tells what changed between two samples', () => {
	const sample = (second: number, healthy: Record<string, number>) => ({
		...{ t: T + second, openFiles: 1, mostFiles: 2, healthy },
	});
	const address = '172.18.0.5:3000';
	const { messages } = readLog('', [
		sample(1, { [address]: 1 }),
		sample(2, { [address]: 0 }),
		sample(3, { [address]: 1, '172.18.0.4:3000': 0 }),
	]);
	assert.deepEqual(messages, [
		{ signal: 'ejected', t: T + 2, text: `caddy_reverse_proxy_upstreams_healthy{upstream="${address}"} 0`, to: 'app-2' },
		{ signal: 'reinstated', t: T + 3, text: `caddy_reverse_proxy_upstreams_healthy{upstream="${address}"} 1`, to: 'app-2' },
	]);
});

test('file descriptors are a limit, and without a size they are none', () => {
	const sample = (second: number) => ({ t: T + second, openFiles: 200 + second, mostFiles: 1024, healthy: {} });
	assert.deepEqual(readLog('', [sample(1), { ...sample(2), openFiles: null }, sample(3)]).limits, [
		{
			resource: 'file descriptors',
			size: 1024,
			used: [
				{ t: T + 1, used: 201 },
				{ t: T + 3, used: 203 },
			],
		},
	]);
	assert.deepEqual([readLog('').limits, readLog('', [{ ...sample(1), mostFiles: null }]).limits], [[], []]);
});

const plain = readLog(fixture('default-log.log'));
const own = readLog(fixture('lab-format.log'));

test('requests are counted by outcome from the access log', () => {
	const { source, received, answered_ok, answered_error, aborted } = plain;
	assert.deepEqual(
		{ source, received, answered_ok, answered_error, aborted },
		{ source: 'access log', received: 5, answered_ok: 1, answered_error: 2, aborted: 2 },
	);
});

test('an error tells which service was asked last, and why it failed', () => {
	const { asked, error } = seen(plain, '2-1');
	assert.deepEqual(
		[reported(asked), error],
		[[['app-2', null, false, 'connection_refused']], 'dial tcp 172.18.0.5:3000: connect: connection refused'],
	);
	assert.deepEqual(
		seen(plain, '3-1').own.map(({ signal }) => signal),
		['destination_unavailable'],
	);
});

test('in the default log a status of 0 is taken for a client that left, and the record says so', () => {
	const { outcome, status, own: said } = seen(plain, '4-1');
	assert.deepEqual([outcome, status, said.map(({ signal }) => signal)], ['broken', null, ['client-gone']]);
	assert.ok(plain.uncovered.some((sentence) => sentence.includes('status 0')));
});

test('an answer that ended short is joined with the line that says why', () => {
	const { outcome, own: said } = seen(plain, '5-1');
	assert.deepEqual([outcome, said.map(({ signal }) => signal)], ['broken', ['http_response_incomplete']]);
});

test('checks are messages, in the order of time', () => {
	assert.deepEqual(
		plain.messages.slice(-2).map(({ signal, to }) => [signal, to ?? null]),
		[
			['ejected', 'app-2'],
			['reinstated', 'app-2'],
		],
	);
});

test('the default log covers requests, and reasons in part', () => {
	assert.deepEqual(plain.coverage, { requests: 'full', reasons: 'partial', limits: 'none' });
	assert.match(plain.uncovered[0], /does not name the service behind/);
	assert.deepEqual(
		[plain.hides_asked, readLog(fixture('lab-format.log')).hides_asked],
		[true, undefined],
		'calls of the wire are held against the log of attempts alone',
	);
});

test('without an access log only errors are on record, and nothing is counted', () => {
	const errors = fixture('default-log.log')
		.split('\n')
		.filter((line) => !line.includes('http.log.access'))
		.join('\n');
	const record = readLog(errors);
	assert.deepEqual(
		record.requestRecords.map(({ id }) => id),
		['2-1', '3-1'],
	);
	assert.deepEqual([record.source, record.received, record.coverage.requests], ['error log', null, 'partial']);
	assert.match(record.uncovered[0], /^Caddy wrote no access log in JSON/);
	assert.ok(record.uncovered.some((sentence) => sentence.startsWith('Caddy did not say of which request an answer broke off, once:')));
});

test('beside the lab’s own log the default one does not count again', () => {
	assert.deepEqual([own.received, own.answered_ok, own.answered_error, own.aborted], [6, 3, 1, 2]);
});

test('each attempt has its service and why it failed', () => {
	assert.deepEqual(reported(seen(own, '2-1').asked), [
		['app-2', null, false, 'connection_refused'],
		['app-1', 200, true, null],
	]);
	assert.deepEqual([reported(seen(own, '3-1').asked), seen(own, '3-1').own], [[['app-1', null, true, 'connection_terminated']], []]);
});

test('at this level a client that left is told from a request that no route took', () => {
	const left = seen(own, '4-1');
	assert.deepEqual(
		[left.outcome, reported(left.asked), left.own.map(({ signal }) => signal)],
		['broken', [['app-1', null, true, null]], ['client-gone']],
	);
	const routeless = seen(own, '5-1');
	assert.deepEqual([routeless.outcome, routeless.status, routeless.own], ['answered', 200, []]);
});

test('an answer that broke off is the fault of the attempt', () => {
	const { outcome, place, asked } = seen(own, '6-1');
	assert.deepEqual([outcome, place, reported(asked)], ['broken', 'sending the answer', [['app-1', 200, true, 'http_response_incomplete']]]);
});

test('the lab’s log covers requests and reasons', () => {
	assert.deepEqual(own.coverage, { requests: 'full', reasons: 'full', limits: 'none' });
	assert.equal(own.uncovered.length, 2);
});

test('samples give the file descriptors, and without checks who was left out', () => {
	const text = fixture('metrics.txt');
	const samples = [text, text.replace('"app-2:3000"} 1', '"app-2:3000"} 0')].map((one, index) => ({
		t: T + 1 + index,
		...readMetrics(one),
	}));
	const { limits, coverage, messages } = readLog(fixture('lab-format.log'), samples);
	assert.deepEqual([limits[0].resource, coverage.limits], ['file descriptors', 'full']);
	assert.deepEqual(
		messages.filter(({ signal }) => signal === 'ejected').map(({ t, to }) => [t, to]),
		[[T + 2, 'app-2']],
	);
});

test('a request that came without an id is said to be so', () => {
	const { coverage, uncovered } = readLog(fixture('lab-format.log').replace(/"X-Request-Id":\["1-1"\],?/g, ''));
	assert.equal(coverage.requests, 'partial');
	assert.match(uncovered[0], /^1 of the 6 requests/);
});

test('an empty record is no error, and covers nothing', () => {
	const record = readLog('');
	assert.deepEqual(
		[record.coverage, record.requestRecords, record.messages],
		[{ requests: 'none', reasons: 'none', limits: 'none' }, [], []],
	);
});
