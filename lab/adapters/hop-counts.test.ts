import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedFigures } from '../diagnose/waiting/template.ts';
import { mechanisms } from '../record/causes.ts';
import { CODES } from './codes.ts';
import type { Message, RequestRecord } from './contract.ts';
import { countsOf, messagesOf, phrases, seenIn, serviceAt } from './hop-counts.ts';
import { stampedLines } from './log-lines.ts';
import { logWords } from './log-words.ts';
import { decoders } from './registry.ts';

const { codeCause, codeMeaning, messagesIn, phraseIn, statesIn } = logWords;

const requestRecord = (more: object): RequestRecord => ({
	service: 'edge',
	id: '1-1',
	received: 10,
	ended: 11,
	outcome: 'answered',
	status: 200,
	error: '',
	place: '',
	asked: [],
	own: [],
	...more,
});

const message: (t: number) => Message = (t) => ({ signal: 'ejected', t, text: `at ${t}` });

const window = { from: 10, to: 20 };

test('a sighting counts for the load when a part of it lies in it', () => {
	const all = [
		{ received: 8, ended: 9.9 },
		{ received: 9, ended: 10.1 },
		{ received: 19.9, ended: 25 },
		{ received: 12, ended: null },
		{ received: 20, ended: 21 },
	].map(requestRecord);
	assert.deepEqual(
		seenIn(all, window).map(({ received }) => received),
		[9, 19.9, 12],
	);
});

test('requests are counted by outcome, and one that is still open has none', () => {
	const all = [{}, { status: 302 }, { status: 503 }, { outcome: 'broken', status: null }, { outcome: 'open', ended: null }].map(
		requestRecord,
	);
	assert.deepEqual(countsOf(all), { received: 5, answered_ok: 2, answered_error: 1, aborted: 1 });
});

test('messages of requests and of the service stand in the order of time, those outside the load left out', () => {
	const asked = [{ to: 'app', status: null, connected: false, message: message(12) }];
	const seen = [requestRecord({ asked, own: [message(15)] })];
	assert.deepEqual(
		messagesOf(seen, [message(3), message(13), message(21)], window).map(({ t }) => t),
		[12, 13, 15],
	);
});

test('an address is taken without its scheme and port, in each of its spellings', () => {
	assert.deepEqual(
		['10.0.0.2:3000', 'tcp://10.0.0.2:3000', '[::1]:3000', '::1', 'app-1:3000', 'app-1'].map((address) => serviceAt(address, new Map())),
		['10.0.0.2', '10.0.0.2', '::1', '::1', 'app-1', 'app-1'],
	);
});

test('a service is named by its address, and an address that no service has stands for itself', () => {
	const names = new Map([['10.0.0.2', 'app-1']]);
	assert.deepEqual(
		['10.0.0.2:3000', '10.0.0.9:3000'].map((address) => serviceAt(address, names)),
		['app-1', '10.0.0.9'],
	);
});

test('the codes are those of protocols that are read', () => {
	const read = decoders.map(({ protocol }) => protocol);
	assert.deepEqual(
		Object.keys(CODES).filter((protocol) => !read.includes(protocol)),
		[],
	);
});

test('a code means what its own protocol means by it', () => {
	assert.equal(codeMeaning('postgres', '53300'), 'too many connections: max_connections, or a limit of the role');
	assert.equal(codeMeaning('mysql', '1040'), 'too many connections: max_connections');
	assert.equal(codeMeaning('amqp', '1040'), null);
	assert.equal(codeMeaning('http', '404'), null);
});

test('some codes say by themselves why they came about', () => {
	assert.equal(codeCause('postgres', '40P01'), 'deadlock');
	assert.equal(codeCause('mysql', '1213'), 'deadlock');
	assert.equal(codeCause('mongodb', '112'), 'conflict');
	assert.equal(codeCause('redis', 'OOM'), 'memory-short');
	assert.equal(codeCause('postgres', '23505'), null);
});

test('a line is read with the moment at which the engine took it', () => {
	const [line] = stampedLines('2026-11-21T20:00:01.250000000Z hello there\n');
	assert.equal(line.text, 'hello there');
	assert.ok(Math.abs(line.t - (Date.parse('2026-11-21T20:00:01Z') / 1000 + 0.25)) < 1e-6);
});

test('an empty line is kept, and one without a time is left out', () => {
	assert.deepEqual(
		stampedLines('2026-11-21T20:00:01Z \nno time\n').map(({ text }) => text),
		[''],
	);
});

test('lines are read one by one, of the seconds that are asked for, and no longer than they may be', () => {
	const log =
		'2026-11-21T20:00:00.900Z early\n2026-11-21T20:00:01.250000000Z hello there\nno time\n2026-11-21T20:00:01.5Z \n2026-11-21T20:00:02Z last';
	const from = Date.parse('2026-11-21T20:00:01Z') / 1000;
	assert.deepEqual(
		[...messagesIn(log, (t) => t >= from)],
		[
			{ t: from + 0.25, text: 'hello there' },
			{ t: from + 1, text: 'last' },
		],
	);
	const long = `2026-11-21T20:00:01Z {"msg":"all of it","more":"${'x'.repeat(16_000)}`;
	assert.equal([...messagesIn(`${long}"}`, () => true)][0].text, 'all of it');
	const [{ text: cut }] = messagesIn(`${long}${'x'.repeat(400)}"}`, () => true);
	assert.deepEqual([cut.length, cut.startsWith('{"msg":"all of it"')], [2000, true]);
});

const saidIn = (text: string) => {
	const log = text
		.split('\n')
		.map((line) => `2026-11-27T03:20:11.5Z ${line}\n`)
		.join('');
	return [...messagesIn(log, () => true)].map((message) => message.text);
};

test('a stack is its first line and what caused it', () => {
	assert.deepEqual(
		saidIn(
			'java.lang.RuntimeException: order failed\n\tat shop.Order.put(Order.java:12)\nCaused by: java.sql.SQLException: no connection\n\t... 12 more\n',
		),
		['java.lang.RuntimeException: order failed', 'Caused by: java.sql.SQLException: no connection'],
	);
	assert.deepEqual(
		saidIn('Traceback (most recent call last):\n  File "app.py", line 3, in get\n    rows = ask()\n    ^^^^^\nValueError: no rows\n'),
		['ValueError: no rows'],
	);
	assert.deepEqual(saidIn('TypeError: x is undefined\n    at get (/srv/app.js:3:1)\n'), ['TypeError: x is undefined']);
});

test('a level that stands above its message is put before it', () => {
	assert.deepEqual(saidIn('fail: Shop.Orders[0]\n      Order was not taken\n      at Shop.Put()\ninfo: Shop.Orders[0]\n      Listening'), [
		'fail: Order was not taken',
		'info: Listening',
	]);
});

test('its own time, colours and what a client sent are left out', () => {
	assert.deepEqual(
		saidIn(
			[
				'2026-11-27 03:20:11.123 UTC [31] FATAL:  the end',
				'[2026-11-27 03:20:11 +0000] [1] [CRITICAL] late',
				'\u001b[32m2026/11/27 03:20:11\u001b[0m [error] 31#31: *1 no way, client: 172.18.0.9, server: , request: "GET /anna HTTP/1.1"',
				'[Wed Nov 16 07:29:52.251435 2022] [mpm:error] full',
				'Fri Nov 27 03:20:11 2026 - *** slow ***',
				'2026-11-27  3:20:11 54 [Warning] gone',
			].join('\n'),
		),
		['[31] FATAL:  the end', '[1] [CRITICAL] late', '[error] 31#31: *1 no way', '[mpm:error] full', '*** slow ***', '54 [Warning] gone'],
	);
});

test('of JSON and logfmt the level, the message and the error are read', () => {
	assert.deepEqual(
		saidIn(
			[
				'{"level":"error","ts":1.5,"user":"anna","msg":"order failed","error":"no connection"}',
				'{"level":50,"err":{"type":"Error","message":"late"},"msg":"late"}',
				'{"method":"GET","uri":"/","status":200}',
				'{"level":"error","msg":',
				'time="2026-11-27T03:20:11Z" level=warning msg="no \\"way\\"" user=anna',
			].join('\n'),
		),
		['error order failed: no connection', 'late: Error: late', '{"level":"error","msg":', 'warning no "way"'],
	);
});

test('a line for each request is no message, and an error that quotes one is', () => {
	assert.deepEqual(
		saidIn(
			[
				'172.18.0.9 - - [27/Nov/2026:03:20:11 +0000] "GET / HTTP/1.1" 500 5 "-" "k6"',
				'INFO:     172.18.0.3:53412 - "GET /items HTTP/1.1" 200 OK',
				'172.18.0.9:5 [27/Nov/2026:03:20:11.1] in web/web1 0/0/0/5/5 503 90 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"',
				'GET /items 500 12.3 ms - 5',
				'[GIN] 2026/11/27 - 03:20:11 | 500 |  1.2ms | 172.18.0.1 | GET "/path"',
				'[pid: 12|app: 0|req: 1/2] 1.1.1.1 () {32 vars in 400 bytes} GET / => generated 5 bytes in 3 msecs (HTTP/1.1 200)',
				'doubletake1 {"t":1795291211.5,"status":500}',
				'[error] late while reading, request: "GET / HTTP/1.1"',
			].join('\n'),
		),
		['[error] late while reading, request: "GET / HTTP/1.1"'],
	);
});

/**
 * What is found in a service's log.
 * @param text one line and more
 */
const foundIn = (text: string) => {
	const log = text
		.split('\n')
		.map((line) => `2026-11-27T03:20:11.000000000Z ${line}\n`)
		.join('');
	return [...messagesIn(log, () => true)].map((message) => phraseIn(maskedFigures(message.text))).filter((phrase) => phrase !== null);
};

for (const phrase of phrases)
	test(`${phrase.product} is known by "${phrase.line.slice(0, 60)}"`, () => {
		assert.deepEqual(foundIn(phrase.line), [phrase]);
		assert.deepEqual(foundIn(`\u001b[31m${phrase.line}\u001b[0m`), [phrase], 'in colour');
		assert.ok(phrase.cause in mechanisms);
		assert.match(phrase.source, /^[\w.-]+\/[\w.-]+ \S/);
	});

for (const phrase of phrases.filter(({ lasts }) => lasts))
	test(`${phrase.product}: what is said once holds`, () => {
		const log = `2026-11-27T03:20:11.500000000Z ${phrase.line}\n2026-11-27T03:20:12.000000000Z all is well\n`;
		const [state, ...others] = statesIn(log + log);
		assert.deepEqual([state.phrase, others], [phrase, []]);
		assert.deepEqual([state.from, state.to], [Date.parse('2026-11-27T03:20:11.500Z') / 1000, Number.POSITIVE_INFINITY]);
	});

test('until it is said that it is over, and from the next time on again', () => {
	const alarm = (second: number, what: string) =>
		`2026-11-27T03:20:1${second}.000000000Z [warning] <0.375.0> memory resource limit alarm ${what} on node rabbit@queue.\n`;
	const start = Date.parse('2026-11-27T03:20:10Z') / 1000;
	const states = statesIn(alarm(1, 'set') + alarm(3, 'cleared') + alarm(5, 'set'));
	assert.deepEqual(
		states.map(({ from, to }) => [from - start, to - start]),
		[
			[1, 3],
			[5, Number.POSITIVE_INFINITY],
		],
	);
	assert.deepEqual(statesIn('2026-11-27T03:20:11.500000000Z alarm clock set\n'), []);
});

test('a rule that is drawn between messages says nothing', () => {
	const lines = ['----------------------------------------', '=== 12 ===', 'лимит исчерпан'];
	const log = lines.map((line) => `2026-11-27T03:20:11.000000000Z ${line}\n`).join('');
	assert.deepEqual(
		[...messagesIn(log, () => true)].map(({ text }) => text),
		['лимит исчерпан'],
	);
});

test('other forms of a phrase are known too', () => {
	const forms: [string, string][] = [
		[
			'[mpm_event:error] [pid 9] AH00484: server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
			'workers-taken',
		],
		['java.lang.OutOfMemoryError: GC overhead limit exceeded', 'heap-full'],
		['FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory', 'heap-full'],
		['org.postgresql.util.PSQLException: FATAL: sorry, too many clients already', 'callee-full'],
		["MySQLdb._exceptions.OperationalError: (1040, 'Too many connections')", 'callee-full'],
		[
			'com.mysql.jdbc.exceptions.jdbc4.MySQLNonTransientConnectionException: Data source rejected establishment of connection,  message from server: "Too many connections"',
			'callee-full',
		],
		[
			'{"level":50,"time":1795291211000,"pid":1,"err":{"type":"Error","message":"timeout exceeded when trying to connect","stack":"Error: x\\n    at y"},"msg":"request errored"}',
			'pool-full',
		],
		[
			'{"level":"debug","error":"dial tcp 172.18.0.4:80: connect: connection refused","time":"2026-11-27T03:20:11Z","message":"502 Bad Gateway"}',
			'callee-refused',
		],
		['disk resource limit alarm set on node rabbit@queue.', 'publishers-blocked'],
		['2026/11/27 03:20:11 [crit] 31#31: accept4() failed (24: Too many open files)', 'out-of-descriptors'],
		['*** HARAKIRI ON WORKER 2 (pid: 14, try: 1, graceful: yes) ***', 'worker-timeout'],
		[
			'fail: Microsoft.AspNetCore.Server.Kestrel[13]\n      Connection id "0HN", Request id "0HN:1": An unhandled exception was thrown by the application.\n      System.InvalidOperationException: Timeout expired.  The timeout period elapsed prior to obtaining a connection from the pool.\n         at Shop.Get()',
			'pool-full',
		],
		[
			'[error] #PID<0.512.0> running Shop.Endpoint terminated\n** (exit) an exception was raised:\n    ** (DBConnection.ConnectionError) connection not available and request was dropped from queue after 1548ms.',
			'pool-full',
		],
	];
	for (const [text, cause] of forms)
		assert.deepEqual(
			foundIn(text).map((phrase) => phrase.cause),
			[cause],
			text,
		);
});

test('what is near a phrase is none', () => {
	for (const text of [
		'HikariPool-1 - Connection is available, request took 3 ms',
		'Connection is not available, request timed out after a while',
		'172.18.0.9 - - [27/Nov/2026:03:20:11 +0000] "GET /HikariPool-1 - Connection is not available, request timed out after 30000ms HTTP/1.1" 404 5',
		'GET /docs/sorry,%20too%20many%20clients%20already 200 3.1 ms - 12',
		'no route for "GET /x sorry, too many clients already HTTP/1.1"',
		'opened https://example.org/search?q=QueuePool+limit+of+size+5+overflow+10+reached',
		'2026/11/27 03:20:11 [error] 31#31: *17 open() "/usr/share/nginx/html/x" failed (2: No such file or directory), client: 172.18.0.9, server: , request: "GET /no live upstreams while connecting to upstream HTTP/1.1", host: "web"',
		'QueuePool limit of size 5 overflow 10 is set',
		'worker timeout is 30 s',
		'server reached pm.max_children setting documentation',
		'HARAKIRI is enabled: 30 s',
		'listen tcp 10.0.0.1:80: bind: cannot assign requested address',
		'the job OutOfMemoryErrorReporter was registered',
		'Too many connections between us to count',
		'max open files raised to 65536',
		'memory resource limit alarm cleared on node rabbit@queue',
		'backend web has 3 servers available',
		'Server web/web1 is UP, reason: Layer7 check passed, code: 200',
		'lookup table loaded, no such hostess',
		'Error: connect ECONNRESET 172.18.0.3:6379',
	])
		assert.deepEqual(foundIn(text), [], text);
});
