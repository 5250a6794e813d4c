import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { cpuTime } from '../../wire/fixtures/cpu.ts';
import { decoder } from './wire.ts';

const text = (word: string) => `$${word.length}\r\n${word}\r\n`;
const command = (...words: string[]) => `*${words.length}\r\n${words.map(text).join('')}`;

const short = (calls: Call[]) => calls.map(({ template, code, bad, end }) => [template, code, bad, end]);

const TALK: Said[] = [
	['client', command('HELLO', '3')],
	['server', `%2\r\n${text('server')}${text('redis')}${text('modules')}*1\r\n%1\r\n${text('name')}*0\r\n`],
	['client', command('set', 'canary', 'canary') + command('CLIENT', 'SETNAME', 'canary') + command('GET', 'canary')],
	['server', `+OK\r\n|1\r\n${text('ttl')}:100\r\n+OK\r\n${text('canary'.repeat(40))}`],
	['client', command('HGETALL', 'canary') + command('canary.get', 'canary')],
	['server', `>2\r\n${text('invalidate')}*1\r\n${text('canary')}%1\r\n${text('a')}#t\r\n-ERR unknown command 'canary'\r\n`],
	['client', command('EVALSHA', 'canary', '0')],
	['server', '-BUSY Redis is busy running a script, canary\r\n'],
	['client', command('GET', 'canary')],
	['server', '$-1\r\n'],
	['client', command('XREADGROUP', 'GROUP', 'canary', 'c', 'COUNT', '1', 'BLOCK', '0', 'STREAMS', 'canary', '>')],
	['server', '*-1\r\n'],
];

test('commands in a pipeline are answered in their order, and nothing of what was said is kept, wherever packets are cut', () => {
	const whole = converse(decoder, TALK);
	assert.deepEqual(short(whole.calls), [
		['HELLO', null, false, 'answered'],
		['SET', null, false, 'answered'],
		['CLIENT SETNAME', null, false, 'answered'],
		['GET', null, false, 'answered'],
		['HGETALL', null, false, 'answered'],
		['', 'ERR', false, 'answered'],
		['EVALSHA', 'BUSY', true, 'answered'],
		['GET', null, false, 'answered'],
		['XREADGROUP', null, false, 'answered'],
	]);
	assert.deepEqual(
		whole.calls.map(({ role = 'call' }) => role),
		['connect', 'call', 'call', 'call', 'call', 'call', 'call', 'call', 'wait'],
	);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 120; split += 1) assert.deepEqual(converse(decoder, TALK, { split }), whole, `split at ${split}`);
});

test('lengths reach over bytes that were not recorded, and an answer whose end was not ends before the client speaks again', () => {
	const { calls, unknown } = converse(decoder, [
		['client', command('SET', 'a', 'x'.repeat(3000)).slice(0, 60), command('SET', 'a', 'x'.repeat(3000)).length - 60],
		['server', '+OK\r\n'],
		['client', command('KEYS', '*')],
		['server', `*900\r\n${text('canary').repeat(20)}`, 9000],
		['server', '', 3000],
		['client', command('GET', 'a')],
		['server', `$3000\r\n${'x'.repeat(100)}`, 2902],
		['client', `*3\r\n${text('MSET')}`, 500],
		['server', '+OK\r\n'],
		['client', command('GET', 'a')],
		['server', '$-1\r\n'],
	]);
	assert.deepEqual(
		calls.map(({ verb, hole = false, sent_at, first_at, ended_at, end }) => [verb, hole, sent_at, first_at, ended_at, end]),
		[
			['SET', false, 0, 1, 1],
			['KEYS', true, 2, 3, 4],
			['GET', false, 5, 6, 6],
			['MSET', true, 7, 8, 8],
			['GET', false, 9, 10, 10],
		].map(([verb, hole, ...times]) => [verb, hole, ...times.map((at) => BEGAN_AT + Number(at)), 'answered']),
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('a connection that is turned away says so, to whoever asks or to nobody', () => {
	for (const [refusal, code] of [
		['-ERR max number of clients reached\r\n', 'MAXCLIENTS'],
		['-DENIED Redis is running in protected mode because protected mode is enabled\r\n', 'DENIED'],
	]) {
		const silent = converse(decoder, [['server', refusal]], { by: 'server' });
		assert.deepEqual(
			silent.calls.map((call) => [call.role, call.verb, call.code, call.bad]),
			[['connect', 'CONNECT', code, true]],
		);
		const question = ['client', command('GET', 'a')] as const;
		const asked = converse(decoder, [[...question], ['server', refusal]], { by: 'server' });
		assert.deepEqual(short(asked.calls), [['GET', code, true, 'answered']]);
	}
});

test('messages to subscribers answer nobody, and are on record without what they say', () => {
	for (const sign of ['*', '>']) {
		const list = (...words: string[]) => `${sign}${words.length}\r\n${words.map(text).join('')}`;
		const { calls } = converse(decoder, [
			['client', command('SUBSCRIBE', 'a', 'b')],
			['server', list('subscribe', 'a', '1') + list('subscribe', 'b', '2') + list('message', 'a', 'canary')],
			['client', command('PING')],
			['server', list('message', 'a', 'canary') + (sign === '*' ? list('pong', '') : '+PONG\r\n')],
		]);
		assert.deepEqual(
			calls.map(({ verb, role, end, ended_at }) => [verb, role, end, ended_at]),
			[
				['SUBSCRIBE', 'wait', 'answered', BEGAN_AT + 1],
				['message', 'push', 'answered', BEGAN_AT + 1],
				['message', 'push', 'answered', BEGAN_AT + 3],
				['PING', 'beat', 'answered', BEGAN_AT + 3],
			],
		);
	}
});

test('how an unanswered command ended says who ended it', () => {
	for (const [said, by, how, end] of [
		[[['client', command('KEYS', '*')]], 'client', 'closed', 'given-up'],
		[[['client', command('KEYS', '*')]], 'server', 'reset', 'reset'],
		[[['client', command('KEYS', '*').slice(0, 12)]], 'server', 'closed', 'closed'],
		[
			[
				['client', command('KEYS', '*')],
				['server', '*2\r\n$1\r\na\r\n'],
			],
			'server',
			'closed',
			'cut',
		],
	] as [Said[], 'client' | 'server', 'closed' | 'reset', string][]) {
		const { calls } = converse(decoder, said, { by, how });
		assert.deepEqual(
			calls.map((call) => [call.end, call.by]),
			[[end, by]],
		);
	}
});

test('a second word that is no command is not kept', () => {
	const { calls } = converse(decoder, [
		['client', command('client', 'canary') + command('OBJECT', 'CANARY') + command('object', 'freq', 'a')],
	]);
	assert.deepEqual(
		calls.map(({ template }) => template),
		['CLIENT', 'OBJECT', 'OBJECT FREQ'],
	);
});

test('a batch of many commands is answered in little time, and what is beyond all measure is unknown', () => {
	const said: Said[] = [
		['client', command('GET', 'a').repeat(70_000)],
		['server', '$-1\r\n'.repeat(70_000)],
	];
	const spent = cpuTime(() => {
		const { calls, unknown } = converse(decoder, said, { split: 60_000 });
		assert.deepEqual([calls.length, unknown.client], [65_536, (70_000 - 65_536) * command('GET', 'a').length]);
	});
	assert.ok(spent < 2500, `${spent} ms`);
});

test('it is recognised by a command that it knows', () => {
	const verdict = (client: string, server = '') => decoder.recognise(Buffer.from(client, 'latin1'), Buffer.from(server, 'latin1'), false);
	assert.equal(verdict(command('get', 'a')), 'yes');
	for (const part of ['', '*', '*2\r\n$', '*2\r\n$3\r\nGE']) assert.equal(verdict(part), 'more', part);
	for (const other of ['GET / HTTP/1.1\r\n', '*2\r\n$3\r\nFOO\r\n', 'get key\r\n', '*x', '\0\0\0\x08'])
		assert.equal(verdict(other), 'no', other);
	assert.equal(verdict('', '-ERR max number of clients reached\r\n'), 'yes');
	assert.equal(verdict('', '+OK\r\n'), 'no');
});

test('of connections of a real server, recorded in part, every command has its answer and code, wherever packets are cut', () => {
	// Redis 7.0 and ioredis, 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder);
	const HELLO = ['HELLO good answered', 'CLIENT SETINFO ERR answered', 'CLIENT SETINFO ERR answered', 'INFO good answered'];
	assert.deepEqual(
		whole.map(({ calls }) => calls.map(({ template, code, end }) => [template, code ?? 'good', end].join(' '))),
		[
			[
				...HELLO,
				...['SET', 'GET', 'HSET', 'HGETALL', 'MSET', 'KEYS', 'GET'].map((verb) => `${verb} good answered`),
				...['INCR ERR answered', 'LPUSH WRONGTYPE answered', 'GET good answered'],
				...['MULTI', 'SET', 'INCR', 'EXEC'].map((verb) => `${verb} good answered`),
				'EVAL MYERR answered',
				...['BLPOP', 'PING', 'XREAD', 'HELLO', 'CONFIG SET'].map((verb) => `${verb} good answered`),
				...['SET OOM answered', 'SET OOM answered'],
				...['CONFIG SET', 'PUBLISH', 'CONFIG SET', 'QUIT'].map((verb) => `${verb} good answered`),
			],
			[...HELLO, 'SUBSCRIBE good answered', 'message good answered', 'QUIT good answered'],
			[...HELLO, 'GET good answered', 'BLPOP good given-up'],
			['HELLO MAXCLIENTS answered', 'CLIENT SETINFO good reset', 'CLIENT SETINFO good reset'],
		],
	);
});
