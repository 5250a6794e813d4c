import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseAsCaptured } from '../../wire/fixtures/converse.ts';
import { cpuTime } from '../../wire/fixtures/cpu.ts';
import { decoder } from './wire.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const GET = `GET /items/17?token=canary HTTP/1.1\r\nHost: shop\r\nX-Request-Id: a-1\r\ntraceparent: 00-${TRACE}-00f067aa0ba902b7-01\r\nCookie: canary\r\n\r\n`;
const POST = 'POST /items HTTP/1.1\r\nContent-Length: 6\r\n\r\ncanary';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nDigest: a\r\n\r\n';

/** Verb, status and end of each. */
const short = (calls: Call[]) => calls.map(({ verb, status, end }) => [verb, status, end]);

test('a request and its answer are one call, with its id and times and nothing of what was said', () => {
	const { calls, unknown } = converse(decoder, [
		['client', GET],
		['server', OK.slice(0, 30)],
		['server', OK.slice(30)],
	]);
	assert.deepEqual(calls, [
		{
			...{ began_at: BEGAN_AT, sent_at: BEGAN_AT, first_at: BEGAN_AT + 1, ended_at: BEGAN_AT + 2 },
			...{ id: 'a-1', trace: TRACE, verb: 'GET', template: '/items/:n', status: 200, code: null, bad: false },
			...{ end: 'answered', by: 'server', sent_bytes: GET.length, answered_bytes: OK.length },
		},
	]);
	assert.deepEqual(unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(calls), /canary/);
});

const LONG: Said[] = [
	['client', GET + POST.slice(0, 20)],
	[
		'client',
		`${POST.slice(20)}HEAD /a HTTP/1.1\r\n\r\nPUT /b HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\nExpect: 100-continue\r\n\r\n`,
	],
	['server', `${OK}${CHUNKED}HTTP/1.1 404 Not Found\r\nContent-Length: 900\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n`],
	['client', '3\r\nabc\r\n0\r\n\r\nDELETE /b HTTP/1.1\r\n\r\nGET /c HTTP/1.0\r\n\r\n'],
	['server', 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.0 200 OK\r\n\r\nuntil the end'],
];

test('pipelined requests, bodies, interim answers and an answer up to the close are told apart, wherever packets are cut', () => {
	const whole = converse(decoder, LONG, { by: 'server' });
	assert.deepEqual(short(whole.calls), [
		['GET', 200, 'answered'],
		['POST', 200, 'answered'],
		['HEAD', 404, 'answered'],
		['PUT', 503, 'answered'],
		['DELETE', 204, 'answered'],
		['GET', 200, 'answered'],
	]);
	assert.deepEqual(
		whole.calls.map(({ bad }) => bad),
		[false, false, false, true, false, false],
	);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	const longest = Math.max(...LONG.map(([, bytes]) => bytes.length));
	for (let split = 1; split <= longest; split += 1)
		assert.deepEqual(converse(decoder, LONG, { by: 'server', split }), whole, `split at ${split}`);
});

test('how an unanswered request ended says who ended it', () => {
	for (const [said, by, how, end] of [
		[[['client', GET]], 'client', 'closed', 'given-up'],
		[[['client', GET]], 'client', 'reset', 'given-up'],
		[[['client', GET]], 'server', 'closed', 'closed'],
		[[['client', GET]], 'server', 'reset', 'reset'],
		[[['client', GET]], 'client', 'open', 'open'],
		[
			[
				['client', GET],
				['server', OK.slice(0, -1)],
			],
			'server',
			'closed',
			'cut',
		],
		[
			[
				['client', GET],
				['server', OK.slice(0, 9)],
			],
			'client',
			'reset',
			'cut',
		],
		[
			[
				['client', GET],
				['server', 'HTTP/1.1 200 OK\r\n\r\nup to the'],
			],
			'server',
			'reset',
			'cut',
		],
		[
			[
				['client', GET],
				['server', CHUNKED.slice(0, -2)],
			],
			'server',
			'closed',
			'cut',
		],
		[[['client', POST.slice(0, -1)]], 'client', 'closed', 'given-up'],
		[[['client', GET.slice(0, -4)]], 'client', 'closed', 'given-up'],
		[
			[
				['client', GET],
				['server', 'HTTP/1.1 100 Continue\r\n\r\n'],
			],
			'server',
			'reset',
			'reset',
		],
	] as [Said[], 'client' | 'server', 'closed' | 'reset' | 'open', string][]) {
		const { calls } = converse(decoder, said, { by, how });
		const at = how === 'open' ? null : BEGAN_AT + said.length;
		assert.deepEqual(
			calls.map((call) => [call.end, call.by, call.ended_at]),
			[[end, how === 'open' ? null : by, at]],
			JSON.stringify(said),
		);
	}
});

test('lengths reach over bytes that were not recorded', () => {
	const { calls, unknown } = converse(decoder, [
		['client', 'POST /upload HTTP/1.1\r\nContent-Length: 5000\r\n\r\nabc', 4000],
		['client', '', 997],
		['server', 'HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\nabc', 60000],
		['server', 'x', 9996],
		['client', GET],
		['server', OK],
	]);
	assert.deepEqual(short(calls), [
		['POST', 200, 'answered'],
		['GET', 200, 'answered'],
	]);
	assert.deepEqual(
		calls.map(({ sent_at, ended_at, hole }) => [sent_at, ended_at, hole]),
		[
			[BEGAN_AT + 1, BEGAN_AT + 3, undefined],
			[BEGAN_AT + 4, BEGAN_AT + 5, undefined],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('where a head or a chunk goes on in a hole, the message ends where the other side speaks, and says that it is not whole', () => {
	const { calls, unknown } = converse(decoder, [
		['client', 'GET /a HTTP/1.1\r\nCookie: aaa', 900],
		['client', 'bbb', 10],
		['server', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\nabc', 5000],
		['server', 'abc', 700],
		['client', GET],
		['server', 'HTTP/1.1 500 No\r\nSet-Cookie: a', 300],
		['client', GET],
		['server', OK],
	]);
	assert.deepEqual(short(calls), [
		['GET', 200, 'answered'],
		['GET', 500, 'answered'],
		['GET', 200, 'answered'],
	]);
	assert.deepEqual(
		calls.map(({ sent_at, first_at, ended_at, hole }) => [sent_at, first_at, ended_at, hole]),
		[
			[BEGAN_AT + 1, BEGAN_AT + 2, BEGAN_AT + 3, true],
			[BEGAN_AT + 4, BEGAN_AT + 5, BEGAN_AT + 5, true],
			[BEGAN_AT + 6, BEGAN_AT + 7, BEGAN_AT + 7, undefined],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('a header of 64 KB is read, and one without end is unknown', () => {
	const long = `GET /a HTTP/1.1\r\nX-Long: ${'x'.repeat(65_000)}\r\nX-Request-Id: last\r\n\r\n`;
	const { calls } = converse(
		decoder,
		[
			['client', long],
			['server', OK],
		],
		{ split: 1400 },
	);
	assert.deepEqual(
		calls.map(({ id, status }) => [id, status]),
		[['last', 200]],
	);
	const endless = converse(
		decoder,
		[
			['client', 'x'.repeat(1_000_000)],
			['server', OK],
		],
		{ split: 1400 },
	);
	assert.deepEqual(endless.calls, []);
	assert.ok(endless.unknown.client > 900_000, `${endless.unknown.client}`);
});

test('garbage of many turns is looked at once', () => {
	const said: Said[] = [];
	for (let index = 0; index < 120_000; index += 1) said.push([index % 3 === 1 ? 'server' : 'client', 'GET /items/17?tok']);
	const spent = cpuTime(() => {
		assert.ok(converse(decoder, said).unknown.server > 500_000);
	});
	assert.ok(spent < 1500, `${spent} ms`);
});

test('an answer that nobody asked for is the server’s own, and one to garbage is unknown', () => {
	const own = converse(decoder, [['server', 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n']], { by: 'server' });
	assert.deepEqual(
		own.calls.map(({ role, status, end }) => [role, status, end]),
		[['push', 408, 'answered']],
	);
	const slow = converse(decoder, [
		['client', 'GET /slow HTTP/1.1\r\nHost:'],
		['server', 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'],
	]);
	assert.deepEqual(
		slow.calls.map(({ verb, role, status, sent_at }) => [verb, role, status, sent_at]),
		[['GET', undefined, 408, null]],
	);
	const garbage = converse(decoder, [
		['client', '\x16\x03\x01 garbage'],
		['server', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
		['client', GET],
		['server', OK],
	]);
	assert.equal(garbage.unknown.client, 11);
	assert.ok(garbage.unknown.server > 0);
});

test('after an upgrade the rest is another protocol’s', () => {
	const upgraded = converse(decoder, [
		['client', 'GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
		['server', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello'],
	]);
	assert.deepEqual(short(upgraded.calls), [['GET', 101, 'answered']]);
	assert.deepEqual(upgraded.becomes, [{ protocol: 'websocket', rest: 7 }]);
	const tunnel = converse(decoder, [
		['client', 'CONNECT canary.example:443 HTTP/1.1\r\n\r\n'],
		['server', 'HTTP/1.1 200 Connected\r\n\r\n'],
	]);
	assert.deepEqual(
		[short(tunnel.calls), tunnel.calls[0].template, tunnel.becomes[0].protocol],
		[[['CONNECT', 200, 'answered']], '', 'tunnel'],
	);
});

test('an answer before the whole question ends the call, whatever comes of the question afterwards', () => {
	const { calls } = converse(decoder, [
		['client', POST.slice(0, -3)],
		['server', 'HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'],
		['client', 'ary'],
		['client', GET],
		['server', OK],
	]);
	assert.deepEqual(
		calls.map(({ verb, sent_at: sentAt, ended_at: endedAt, sent_bytes: bytes }) => [verb, sentAt, endedAt, bytes]),
		[
			['POST', null, BEGAN_AT + 1, POST.length - 3],
			['GET', BEGAN_AT + 3, BEGAN_AT + 4, GET.length],
		],
	);
});

test('what was asked behind an upgrade is told too, and a head that was cut within it ends in order', () => {
	const upgrade = 'GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n';
	for (const hole of [0, 50]) {
		const { calls, becomes } = converse(decoder, [
			['client', upgrade + GET],
			['server', `HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n${hole ? '' : '\r\n'}`, hole],
		]);
		assert.equal(becomes[0].protocol, 'websocket');
		assert.deepEqual(
			calls.map(({ status, end, ended_at: endedAt }) => [status, end, endedAt]),
			[
				[101, 'answered', BEGAN_AT + 1],
				[null, 'given-up', BEGAN_AT + 2],
			],
		);
	}
});

test('it is recognised by its bytes', () => {
	const verdict = (client: string, server = '', midway = false) =>
		decoder.recognise(Buffer.from(client, 'latin1'), Buffer.from(server, 'latin1'), midway);
	for (const text of [GET, POST, 'GET http://shop/ HTTP/1.0\n\n', `GET /${'a'.repeat(600)}`]) assert.equal(verdict(text), 'yes', text);
	for (const text of ['', 'G', 'GET', 'GET ', 'GET /items', 'GET / HTTP/1.1']) assert.equal(verdict(text), 'more', text);
	for (const text of [
		'GET key\r\n',
		'PRI * HTTP/2.0\r\n',
		'*2\r\n$3\r\n',
		'QUIT\r\n',
		'\x00\x00\x00\x08',
		'GETX / HTTP/1.1\r\n',
		'SELECT 1',
		`GET ${'shop'.repeat(40)}:80/`,
	])
		assert.equal(verdict(text), 'no', text);
	// What was taken for it stays so, however its line ends.
	for (const end of ['', ' ', ' HTTP/1.1\r\n', ' HTTP/4\r\n', '\r\n']) assert.equal(verdict(`GET /${'a'.repeat(200)}${end}`), 'yes', end);
	assert.notEqual(verdict(`GET ${'shop'.repeat(40)}:80`), 'yes');
	assert.equal(verdict('', 'HTTP/1.1 408 Timeout'), 'yes');
	assert.equal(verdict('', 'HTTP/1.1 200 OK', true), 'more');
	assert.equal(verdict('', '220 mail'), 'no');
});

test('of connections of real clients and servers, recorded in part, every request has its answer, wherever packets are cut', () => {
	// curl 7.88, Nginx 1.22, Node 18 as client and server; 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseAsCaptured(file, decoder);
	const pipeline = (third: number) => [
		'GET /a.txt 200 answered',
		'HEAD /a.txt 200 answered',
		`GET /gone ${third} answered`,
		'GET /empty 204 answered',
	];
	assert.deepEqual(
		whole.map(({ calls }) =>
			calls.map(({ verb, template, status, end, id }) => [verb, template, status, end, id].filter((part) => part != null).join(' ')),
		),
		[
			[
				// One connection of curl's, before Nginx.
				...['GET /a.txt 200', 'HEAD /a.txt 200', 'GET /a.txt 304'].map((asked) => `${asked} answered c-1`),
				...[
					'GET /empty 204',
					'GET /gone/:n 404',
					'PURGE /a.txt 405',
					'GET /api/stream 200',
					'POST /api/orders/:n 200',
					'GET /api/slow 504',
					'GET /down/x 502',
				].map((asked) => `${asked} answered`),
			],
			// Nginx before Node, which is slower than Nginx waits.
			['GET /stream 200 answered'],
			['POST /orders/:n 200 answered'],
			['GET /slow given-up'],
			// Expect: 100-continue, granted and refused.
			['POST /upload 200 answered', 'POST /refuse 417 answered'],
			['GET /stream given-up'],
			// One connection of Node's, chunked both ways.
			[
				'GET /stream 200 answered n-16',
				'PUT /items/:n 200 answered n-9',
				'GET /large 200 answered n-6',
				'DELETE /empty 204 answered n-6',
				'GET /bad 503 answered n-4',
				'HEAD / 200 answered n-1',
			],
			['GET /cut 200 cut n-4'],
			['POST /reset reset n-6'],
			['GET /chat 101 answered'],
			pipeline(404),
			pipeline(200),
			['GET /:id 400 answered'],
		],
	);
	assert.deepEqual(
		whole.flatMap(({ becomes }) => becomes.map(({ protocol }) => protocol)),
		['websocket'],
	);
	for (const { calls, unknown } of whole) {
		assert.deepEqual(unknown, { client: 0, server: 0 });
		assert.doesNotMatch(JSON.stringify(calls), /canary/);
	}
	const reported = (all: typeof whole) =>
		all.map(({ calls, unknown, becomes }) => ({ calls, unknown, protocols: becomes.map(({ protocol }) => protocol) }));
	for (const split of [1, 2, 3, 7, 50])
		assert.deepEqual(reported(converseAsCaptured(file, decoder, split)), reported(whole), `split at ${split}`);
});

test('an answer that comes before the head has ended is its answer, and what had come of that is kept: the path, and an id', () => {
	const head = 'GET /items/17?q=canary HTTP/1.1\r\nHost: shop\r\nX-Request-Id: a-17\r\nCookie: canary';
	const answer = 'HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
	const seen = (cut: number) =>
		converse(
			decoder,
			[
				['client', head.slice(0, cut)],
				['server', answer],
				['client', `${head.slice(cut)}=${'canary'.repeat(900)}\r\n\r\n`],
			],
			{ by: 'server' },
		).calls.map(({ verb, template, id, status, hole, end }) => [verb, template, id, status, hole, end]);
	assert.deepEqual(seen(head.length), [['GET', '/items/:n', 'a-17', 431, true, 'answered']]);
	// An id, or a path, that goes on is none.
	assert.deepEqual(seen(head.indexOf('17\r\n')), [['GET', '/items/:n', undefined, 431, true, 'answered']]);
	assert.deepEqual(seen('GET /items/1'.length), [['GET', '', undefined, 431, true, 'answered']]);
});

test('an id that was recorded in part is none', () => {
	const head = 'GET /items HTTP/1.1\r\nX-Request-Id: a-17\r\n\r\n';
	const idIn = (recorded: number) =>
		converse(decoder, [
			['client', head.slice(0, recorded), head.length - recorded],
			['server', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
		]).calls.map(({ id }) => id);
	assert.deepEqual(idIn(head.indexOf('17')), [undefined]);
	assert.deepEqual(idIn(head.length - 2), ['a-17']);
});
