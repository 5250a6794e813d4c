import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { cpuTime } from '../../wire/fixtures/cpu.ts';
import { HeaderTable } from './hpack.ts';
import { decoder } from './wire.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
function frame(type: number, flags: number, stream: number, payload: string = '') {
	const head = Buffer.alloc(9);
	head.writeUIntBE(payload.length, 0, 3);
	head[3] = type;
	head[4] = flags;
	head.writeUInt32BE(stream, 5);
	return head.toString('latin1') + payload;
}
const text = (value: string) => String.fromCharCode(value.length) + value;
/** Added to the table. */
const added = (name: string, value: string) => `\x40${text(name)}${text(value)}`;
const GET = '\x82';
const path = (value: string) => `\x04${text(value)}`;
const OK = '\x88';
const ALL = 5;
const SETTINGS = frame(4, 0, 0);

const short = (calls: Call[]) =>
	calls.map(({ id, verb, template, status, code, bad, end, by }) => [id, verb, template, status, code, bad, end, by]);

test('requests on one connection have each its id, path and status, and nothing of what was said, wherever packets are cut', () => {
	const said: Said[] = [
		[
			'client',
			PREFACE + SETTINGS + frame(1, ALL, 1, GET + path('/items/17?canary') + added('x-request-id', 'a-1') + added('cookie', 'canary')),
		],
		['server', SETTINGS + frame(1, 4, 1, OK) + frame(0, 0, 1, 'canary')],
		// A head in two frames, with padding and a priority; the id by its number in the table.
		[
			'client',
			frame(1, 0x29, 3, `\x02\0\0\0\0\x10${GET}${path('/items/18')}\0\0`) + frame(9, 4, 3, '\xbf') + frame(1, ALL, 5, GET + path('/bad')),
		],
		['server', frame(1, ALL, 5, '\x48\x03503')],
		['server', frame(0, 1, 1, 'canary') + frame(1, 4, 3, '\x08\x03103') + frame(1, 4, 3, OK) + frame(0, 0, 3, 'canary')],
		['server', frame(1, ALL, 3, added('grpc-status', '14'))],
	];
	const whole = converse(decoder, said);
	assert.deepEqual(short(whole.calls), [
		[undefined, 'GET', '/bad', 503, null, true, 'answered', 'server'],
		['a-1', 'GET', '/items/:n', 200, null, false, 'answered', 'server'],
		['a-1', 'GET', '/items/:n', 200, 'UNAVAILABLE', true, 'answered', 'server'],
	]);
	assert.deepEqual(
		[whole.calls[1].began_at, whole.calls[1].sent_at, whole.calls[1].first_at, whole.calls[1].ended_at],
		[BEGAN_AT, BEGAN_AT, BEGAN_AT + 1, BEGAN_AT + 4],
	);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 110; split += 1) assert.deepEqual(converse(decoder, said, { split }), whole, `split at ${split}`);
});

test('a stream that is reset, and one that the server no longer takes, say by whom and by what code', () => {
	const ask = (stream: number) => frame(1, ALL, stream, GET + path('/'));
	const { calls } = converse(
		decoder,
		[
			['client', PREFACE + ask(1) + ask(3) + ask(5) + ask(7)],
			['server', frame(3, 0, 1, '\0\0\0\x07')],
			['client', frame(3, 0, 3, '\0\0\0\x08')],
			['server', frame(7, 0, 0, '\0\0\0\x05\0\0\0\x0b')],
		],
		{ by: 'server' },
	);
	assert.deepEqual(
		calls.map(({ code, end, by }) => [code, end, by]),
		[
			['REFUSED_STREAM', 'reset', 'server'],
			[null, 'given-up', 'client'],
			['GOAWAY ENHANCE_YOUR_CALM', 'closed', 'server'],
			[null, 'closed', 'server'],
		],
	);
});

test('after bytes that were not recorded a header of the table is not known, and what is added from then on is', () => {
	const { calls } = converse(decoder, [
		['client', PREFACE + frame(1, ALL, 1, GET + path('/a') + added('x-request-id', 'a-1'))],
		['server', frame(1, ALL, 1, OK)],
		['client', frame(1, ALL, 3, GET + path('/b') + added('cookie', 'c'.repeat(100))).slice(0, 40), 120],
		['server', frame(1, ALL, 3, OK)],
		['client', frame(1, ALL, 5, `${GET}${path('/c')}\xbf`)],
		['server', frame(1, ALL, 5, OK)],
		['client', frame(1, ALL, 7, GET + path('/d') + added('x-request-id', 'a-2')) + frame(1, ALL, 9, `${GET}${path('/e')}\xbe`)],
		['server', frame(1, ALL, 7, OK) + frame(1, ALL, 9, OK)],
	]);
	assert.deepEqual(
		calls.map(({ template, id, end }) => [template, id, end]),
		[
			['/a', 'a-1', 'answered'],
			['/b', undefined, 'answered'],
			['/c', undefined, 'answered'],
			['/d', 'a-2', 'answered'],
			['/e', 'a-2', 'answered'],
		],
	);
});

test('an end that may be among bytes that were not recorded accuses nobody', () => {
	const { calls, unknown } = converse(decoder, [
		['client', PREFACE + frame(1, ALL, 1, GET + path('/long'))],
		['server', frame(1, 4, 1, OK) + frame(0, 0, 1, 'x'.repeat(100)), 5000],
	]);
	assert.deepEqual(
		calls.map(({ status, hole, end, by }) => [status, hole, end, by]),
		[[200, true, 'open', null]],
	);
	assert.equal(unknown.server, 5000);
});

test('a stream that ends without a head of its answer is answered, and a status that is none is not told', () => {
	const ask = (stream: number) => frame(1, ALL, stream, `${GET}${path('/')}`);
	const { calls } = converse(decoder, [
		['client', PREFACE + ask(1) + ask(3) + frame(1, ALL, 5, `${added(':method', 'CANARY')}${path('/')}`)],
		['server', frame(0, 1, 1, 'canary')],
		['server', frame(1, ALL, 3, '\x48\x049e99') + frame(1, ALL, 5, OK)],
	]);
	assert.deepEqual(
		calls.map(({ verb, status, first_at: firstAt, ended_at: endedAt }) => [verb, status, firstAt, endedAt]),
		[
			['GET', null, BEGAN_AT + 1, BEGAN_AT + 1],
			['GET', null, BEGAN_AT + 2, BEGAN_AT + 2],
			['', 200, BEGAN_AT + 2, BEGAN_AT + 2],
		],
	);
});

test('however many streams are open and whatever is said of all of them, each costs little', () => {
	const streams = Array.from({ length: 4000 }, (_, index) => frame(1, ALL, 2 * index + 1, `${GET}${path('/')}`)).join('');
	const said: Said[] = [
		['client', PREFACE + streams],
		// It goes away behind all of them, again and again.
		['server', frame(7, 0, 0, '\x7f\xff\xff\xff\0\0\0\0').repeat(80_000)],
	];
	// And what is no frame is lost each time.
	for (let index = 0; index < 4000; index += 1) said.push([index % 2 ? 'server' : 'client', '\0\0\x01\xff\xff\xff\xff\xff\xff\xff']);
	const spent = cpuTime(() => {
		const { calls, unknown } = converse(decoder, said, { split: 60_000 });
		assert.deepEqual(
			[calls.length, calls.every(({ end, hole }) => end === 'open' && hole), unknown],
			[4000, true, { client: 20_000, server: 20_000 }],
		);
	});
	assert.ok(spent < 2500, `${spent} ms`);
});

test('a table of many small entries takes no time', () => {
	const table = new HeaderTable();
	const small = Buffer.from('\x40\0\0'.repeat(50_000), 'latin1');
	const spent = cpuTime(() => {
		// Its size is set to a megabyte.
		table.read(Buffer.concat([Buffer.from('3fe1ff3f', 'hex'), small]));
		for (let times = 0; times < 10; times += 1) table.read(small);
	});
	assert.ok(spent < 2500, `${spent} ms`);
});

test('packed texts are read as the standard has them, and the table forgets its oldest', () => {
	const table = new HeaderTable();
	// https://www.rfc-editor.org/rfc/rfc7541#appendix-C.4.1 and C.6.1, whose table holds 256 bytes.
	assert.deepEqual(
		[...table.read(Buffer.from('828684418cf1e3c2e5f23a6ba0ab90f4ff', 'hex')).headers],
		[
			[':method', 'GET'],
			[':path', '/'],
		],
	);
	const answers = new HeaderTable();
	const first =
		'3fe1014882640258 85aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3'.replace(' ', '');
	assert.deepEqual([...answers.read(Buffer.from(first, 'hex')).headers], [[':status', '302']]);
	assert.deepEqual([...answers.read(Buffer.from('4883640effc1c0bf', 'hex')).headers], [[':status', '307']]);
	// The oldest, which was 302, is forgotten.
	assert.deepEqual([...answers.read(Buffer.from('c1', 'hex')).headers], []);
});

test('it is recognised by its preface', () => {
	const verdict = (client: string) => decoder.recognise(Buffer.from(client, 'latin1'), Buffer.alloc(0), false);
	assert.deepEqual([PREFACE, 'PRI *', '', 'GET / HTTP/1.1\r\nHost: shop\r\n', 'PRINT'].map(verdict), ['yes', 'more', 'more', 'no', 'no']);
});

test('of connections of real programs, recorded in part, every request has its path, status and end, wherever packets are cut', () => {
	// nghttp2 in Node.js 20, and grpc-js, 400 bytes of each piece.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder, false);
	assert.deepEqual(
		whole.map(({ calls }) => calls.map(({ template, status, code, end }) => [template, status ?? '-', code ?? 'good', end].join(' '))),
		[
			[
				'/items/:n 200 good answered',
				'/items/:n 200 good answered',
				'/bad 503 good answered',
				'/reset - REFUSED_STREAM reset',
				'/items/:n 200 good answered',
				'/items/:n 200 good answered',
				'/slow - good given-up',
				'/items/:n 200 good answered',
				'/long 200 good open',
			],
			[
				'/shop.Items/GetItem 200 good answered',
				'/shop.Items/GetItem 200 good answered',
				'/shop.Items/GetItem 200 RESOURCE_EXHAUSTED answered',
				'/shop.Items/GetItem - good given-up',
				'/shop.Items/GetItem 200 good answered',
			],
		],
	);
	assert.deepEqual(
		whole[0].calls.map(({ id }) => id),
		['req-18', 'req-9', 'req-4', 'req-6', 'req-9', 'req-9', 'req-5', 'req-9', 'req-5'],
	);
});
