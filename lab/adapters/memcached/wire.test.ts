import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { decoder } from './wire.ts';

const short = (calls: Call[]) =>
	calls.map(({ role = 'call', verb, code, bad, end, by }) =>
		[role, verb, code ?? 'good', bad ? 'bad' : '', end, by].filter(Boolean).join(' '),
	);

const TALK: Said[] = [
	['client', 'set canary 0 0 6\r\ncanary\r\nget canary other canary\r\nincr canary 1\r\n'],
	['server', 'STORED\r\nVALUE canary 0 13\r\nEND\r\ncanary\r\n\r\nVALUE canary 0 1\r\n7\r\nEND\r\n8\r\n'],
	['client', 'set canary 0 0 6 noreply\r\ncanary\r\nversion\r\nquit\r\n'],
	['server', 'VERSION 1.6.18\r\n'],
	['client', 'canary\r\nset canary 0 0 canary\r\nset canary 0 0 1\r\na\r\nset canary 0 0 1\r\na\r\n'],
	['server', 'ERROR\r\nCLIENT_ERROR bad command line format\r\nSERVER_ERROR out of memory storing object\r\nSERVER_ERROR canary\r\n'],
	// Quiet ones: what is not there is not answered.
	['client', 'mg a v q k\r\nmg b v q k\r\nmg c v q O1\r\nmg d v q O2\r\nms e 1 q\r\nx\r\nmn\r\n'],
	['server', 'VA 1 kb\r\nx\r\nVA 1 O2\r\nx\r\nMN\r\n'],
];

test('questions are answered in their order, values are passed over, and nothing of what was said is kept, wherever packets are cut', () => {
	const whole = converse(decoder, TALK);
	assert.deepEqual(short(whole.calls), [
		...['set', 'get', 'incr'].map((verb) => `call ${verb} good answered server`),
		'send set good answered client',
		'beat version good answered server',
		'call ERROR answered server',
		'call set CLIENT_ERROR answered server',
		'call set SERVER_ERROR out of memory bad answered server',
		'call set SERVER_ERROR bad answered server',
		...['send mg good answered client', 'call mg good answered server', 'send mg good answered client', 'call mg good answered server'],
		...['send ms good answered client', 'call mn good answered server'],
	]);
	assert.deepEqual([whole.calls[1].began_at, whole.calls[1].sent_at, whole.calls[1].first_at], [BEGAN_AT, BEGAN_AT, BEGAN_AT + 1]);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 120; split += 1) assert.deepEqual(converse(decoder, TALK, { split }), whole, `split at ${split}`);
});

test('sizes reach over bytes that were not recorded, and an answer whose end was not ends before the client speaks again', () => {
	const { calls, unknown } = converse(decoder, [
		['client', 'set a 0 0 9000\r\ncan', 8999],
		['server', 'STORED\r\n'],
		['client', 'get a\r\n'],
		['server', 'VALUE a 0 9000\r\ncanary', 8994 + 2 + 5],
		['client', 'get a b\r\n'],
		['server', 'VALUE a 0 9000\r\ncanary', 8994 + 2],
		['server', 'VALUE b 0 1\r\nx\r\nEND\r\n'],
		['client', `get ${'canary '.repeat(20)}`, 500],
		['server', 'END\r\n'],
	]);
	assert.deepEqual(
		calls.map(({ verb, hole = false, ended_at, sent_bytes, answered_bytes }) => [
			verb,
			hole,
			(ended_at ?? 0) - BEGAN_AT,
			sent_bytes,
			answered_bytes,
		]),
		[
			['set', false, 1, 9018, 8],
			['get', true, 3, 7, 9023],
			['get', false, 6, 9, 9039],
			['get', true, 8, 644, 5],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

function message(
	magic: number,
	opcode: number,
	{
		key = '',
		extras = 0,
		value = '',
		status = 0,
		mark = 0,
	}: { key?: string; extras?: number; value?: string; status?: number; mark?: number } = {},
) {
	const head = Buffer.alloc(24);
	head.writeUInt8(magic, 0);
	head.writeUInt8(opcode, 1);
	head.writeUInt16BE(key.length, 2);
	head.writeUInt8(extras, 4);
	head.writeUInt16BE(status, 6);
	head.writeUInt32BE(key.length + extras + value.length, 8);
	head.writeUInt32BE(mark, 12);
	return head.toString('latin1') + '\0'.repeat(extras) + key + value;
}

test('the binary protocol says the same, and what it leaves out was sent', () => {
	const said: Said[] = [
		['client', message(0x80, 1, { key: 'canary', extras: 8, value: 'canary' }) + message(0x80, 0, { key: 'canary' })],
		['server', message(0x81, 1, { status: 0x82, value: 'Out of memory' }) + message(0x81, 0, { status: 1, value: 'Not found' })],
		['client', message(0x80, 9, { key: 'a', mark: 1 }) + message(0x80, 9, { key: 'b', mark: 2 }) + message(0x80, 10) + message(0x80, 23)],
		['server', message(0x81, 9, { extras: 4, value: 'canary', mark: 2 }) + message(0x81, 10)],
		['client', message(0x80, 16)],
		['server', message(0x81, 16, { key: 'canary', value: '1' }) + message(0x81, 16)],
	];
	const whole = converse(decoder, said);
	assert.deepEqual(short(whole.calls), [
		'call set OUT_OF_MEMORY bad answered server',
		'call get good answered server',
		...[
			'send get good answered client',
			'call get good answered server',
			'call noop good answered server',
			'call stats good answered server',
		],
	]);
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 60; split += 1) assert.deepEqual(converse(decoder, said, { split }), whole, `split at ${split}`);
});

test('how an unanswered question ended says who ended it, and one that is turned away says so', () => {
	const ended = (said: Said[], by: 'client' | 'server') => short(converse(decoder, said, { by }).calls);
	assert.deepEqual(ended([['client', 'get a\r\n']], 'client'), ['call get good given-up client']);
	assert.deepEqual(ended([['client', 'get a']], 'server'), ['call get good closed server']);
	assert.deepEqual(
		ended(
			[
				['client', 'get a\r\n'],
				['server', 'VALUE a 0 1\r\n'],
			],
			'server',
		),
		['call get good cut server'],
	);
	assert.deepEqual(
		ended(
			[
				['client', message(0x80, 0, { key: 'a' })],
				['server', message(0x81, 0)],
			],
			'client',
		),
		['call get good answered server'],
	);
	assert.deepEqual(ended([['client', message(0x80, 0, { key: 'a' })]], 'server'), ['call get good closed server']);
	const REFUSAL = 'ERROR Too many open connections\r\n';
	assert.deepEqual(ended([['server', REFUSAL]], 'server'), ['connect CONNECT MAXCONNS bad answered server']);
	assert.deepEqual(
		ended(
			[
				['client', 'get a\r\n'],
				['server', REFUSAL],
			],
			'server',
		),
		['call get MAXCONNS bad answered server'],
	);
});

test('it is recognised by what only memcached says, alone or with its answer', () => {
	const verdict = (client: string, server = '') => decoder.recognise(Buffer.from(client, 'latin1'), Buffer.from(server, 'latin1'), false);
	for (const text of [
		'set a 0 0 5\r\nx',
		'mg a v\r\n',
		'mn\r\n',
		'gets a b\r\n',
		'cas a 0 0 1 7 noreply\r\n',
		message(0x80, 1, { key: 'a', extras: 8 }),
	])
		assert.equal(verdict(text), 'yes', text);
	for (const text of ['', 'g', 'get a\r\n', 'quit\r\n', 'delete 5\r\n', 'set a 0', '\x80', message(0x80, 0).slice(0, 20)])
		assert.equal(verdict(text), 'more', text);
	for (const [text, answer] of [
		['get a\r\n', 'END\r\n'],
		['get a b c', 'VALUE a 0 5\r\n'],
		['version\r\n', 'VERSION 1.6.18\r\n'],
		['', 'ERROR Too many open connections\r\n'],
	])
		assert.equal(verdict(text, answer), 'yes', text);
	for (const [text, answer = ''] of [
		// Redis, typed in; mail; the web; TLS of old.
		...[
			['get a\r\n', '$-1\r\n'],
			['SET a 1\r\n'],
			['quit\r\n', '221 bye\r\n'],
			['EHLO a\r\n'],
			['', '220 mail\r\n'],
			['GET / HTTP/1.1\r\n'],
		],
		...[['\x80\x2e\x01\x03\x01\0\x15'], ['\x80\0\xff\xff'.padEnd(24, '\0')], ['*1\r\n$4\r\nPING\r\n'], ['\0\0\0\x08']],
	])
		assert.equal(verdict(text, answer), 'no', text);
});

test('of connections of a real server, recorded in part, every question has its answer and code, wherever packets are cut', () => {
	// memcached 1.6.18 with the packages `memcached` (text) and `memjs` (binary) and with lines by hand, 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder);
	const good = (...verbs: string[]) => verbs.map((verb) => `call ${verb} good answered server`);
	assert.deepEqual(
		whole.map(({ calls }) => short(calls)),
		[
			[
				...good('set', 'get', 'get'),
				'call add NOT_STORED answered server',
				...good('set', 'incr'),
				'call incr CLIENT_ERROR answered server',
				...good('gets', 'cas', 'set', 'get', 'touch', 'append'),
				'call replace NOT_STORED answered server',
				...good('set', 'delete'),
				'call delete NOT_FOUND answered server',
				'beat version good answered server',
			],
			[
				...good('ms', 'mg', 'mg', 'mg'),
				'send mg good answered client',
				...good('mg', 'mg', 'mn'),
				'call ms NOT_STORED answered server',
				'send ms good answered client',
				'call md NOT_FOUND answered server',
				...good('md', 'mn', 'ma'),
				'call ma NOT_FOUND answered server',
				...good('me'),
				'call md NOT_FOUND answered server',
				'send set good answered client',
				'send delete good answered client',
				...good('get', 'incr', 'get'),
				'call ERROR answered server',
				'call set CLIENT_ERROR answered server',
				'call get CLIENT_ERROR answered server',
				...good('gat', 'stats', 'flush_all'),
				'send verbosity good answered client',
				'beat version good answered server',
			],
			[
				...good('set', 'get', 'get'),
				'call add EXISTS answered server',
				...good('incr'),
				'call incr NOT_NUMERIC answered server',
				...good('set', 'get', 'delete'),
				'call delete NOT_FOUND answered server',
				...good('stats'),
			],
			[
				'send set good answered client',
				'send get good answered client',
				...good('get', 'noop'),
				'beat version good answered server',
				...good('quit'),
			],
			['call set SERVER_ERROR out of memory bad answered server'],
			['connect CONNECT MAXCONNS bad answered server'],
		],
	);
});
