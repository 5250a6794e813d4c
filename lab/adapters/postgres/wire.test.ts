import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { decoder } from './wire.ts';

const message = (type: string, body: string) => {
	const head = Buffer.alloc(4);
	head.writeInt32BE(body.length + 4);
	return type + head.toString('latin1') + body;
};
const start = (code: number, body = '') => {
	const head = Buffer.alloc(8);
	head.writeInt32BE(8 + body.length);
	head.writeInt32BE(code, 4);
	return head.toString('latin1') + body;
};
const query = (text: string) => message('Q', `${text}\0`);
const ready = (state = 'I') => message('Z', state);
const done = (tag: string) => message('C', `${tag}\0`);
const error = (code: string, severity = 'ERROR') => message('E', `S${severity}\0V${severity}\0C${code}\0Mcanary is not to be kept\0\0`);

const START = start(196608, 'user\0shop\0database\0canary\0\0');
const WELCOME = message('R', '\0\0\0\0') + message('S', 'TimeZone\0UTC\0') + message('K', 'pidsecret') + ready();
const LOGIN: Said[] = [
	['client', START],
	['server', message('R', '\0\0\0\x05salt')],
	['client', message('p', 'md5canary\0')],
	['server', WELCOME],
];
const ROWS = message('T', `\0\x01id\0${'x'.repeat(18)}`) + message('D', '\0\x01\0\0\0\x06canary') + done('SELECT 1');

const short = (calls: Call[]) => calls.map(({ template, code, bad, state, end }) => [template, code, bad, state, end]);

test('a login and simple queries are calls, with the state of their transaction and nothing of what was said', () => {
	const said: Said[] = [
		...LOGIN,
		['client', query('BEGIN')],
		['server', done('BEGIN') + ready('T')],
		['client', query("update items set price = 7 where name = 'canary'")],
		['server', message('N', 'SNOTICE\0\0') + done('UPDATE 1') + ready('T')],
		['client', query('COMMIT')],
		['server', done('COMMIT') + ready()],
	];
	const whole = converse(decoder, said);
	assert.deepEqual(short(whole.calls), [
		['', null, false, 'idle', 'answered'],
		['BEGIN', null, false, 'transaction', 'answered'],
		['UPDATE items', null, false, 'transaction', 'answered'],
		['COMMIT', null, false, 'idle', 'answered'],
	]);
	assert.deepEqual(
		whole.calls.map(({ role, verb, began_at, sent_at, first_at, ended_at }) => [role, verb, began_at, sent_at, first_at, ended_at]),
		[
			['connect', 'CONNECT', BEGAN_AT, BEGAN_AT, BEGAN_AT + 1, BEGAN_AT + 3],
			[undefined, 'BEGIN', BEGAN_AT + 4, BEGAN_AT + 4, BEGAN_AT + 5, BEGAN_AT + 5],
			[undefined, 'UPDATE', BEGAN_AT + 6, BEGAN_AT + 6, BEGAN_AT + 7, BEGAN_AT + 7],
			[undefined, 'COMMIT', BEGAN_AT + 8, BEGAN_AT + 8, BEGAN_AT + 9, BEGAN_AT + 9],
		],
	);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= START.length + 60; split += 1) {
		const parts = converse(decoder, said, { split });
		assert.deepEqual(parts, whole, `split at ${split}`);
	}
});

const PREPARE = message('P', 's1\0select name from items where id = $1\0\0\0') + message('D', 'Ss1\0') + message('S', '');
const EXECUTE = message('B', '\0s1\0\0\0\0\x01\0\0\0\x06canary\0\0') + message('E', '\0\0\0\0\0') + message('S', '');

test('prepared statements keep their template, and questions in a pipeline are answered in their order', () => {
	const { calls } = converse(decoder, [
		...LOGIN,
		['client', PREPARE],
		['server', message('1', '') + message('t', '\0\x01\0\0\0\x17') + ready()],
		['client', EXECUTE + EXECUTE + message('P', '\0insert into "Log" values ($1)\0\0\0') + EXECUTE],
		['server', message('2', '') + ROWS + ready()],
		['server', message('2', '') + error('57014') + ready()],
		['server', message('1', '') + error('23505') + ready()],
	]);
	assert.deepEqual(short(calls.slice(1)), [
		['SELECT items', null, false, 'idle', 'answered'],
		['SELECT items', null, false, 'idle', 'answered'],
		['SELECT items', '57014', true, 'idle', 'answered'],
		['INSERT log', '23505', false, 'idle', 'answered'],
	]);
	assert.deepEqual(
		calls.slice(2).map(({ first_at, ended_at }) => [first_at, ended_at]),
		[7, 8, 9].map((at) => [BEGAN_AT + at, BEGAN_AT + at]),
	);
});

test('a session that is refused, ended or cut off says by what code and by whom', () => {
	const refused = converse(
		decoder,
		[
			['client', START],
			['server', error('53300', 'FATAL')],
		],
		{ by: 'server' },
	);
	assert.deepEqual(short(refused.calls), [['', '53300', true, undefined, 'answered']]);
	// Whose fault it was does not matter: there is no session.
	const login: Said[] = [
		['client', START],
		['server', error('28P01', 'FATAL')],
	];
	assert.deepEqual(short(converse(decoder, login, { by: 'server' }).calls), [['', '28P01', true, undefined, 'answered']]);
	const ended = converse(decoder, [...LOGIN, ['server', error('57P01', 'FATAL')]], { by: 'server' });
	assert.deepEqual([ended.calls[1].role, ended.calls[1].code, ended.calls[1].bad], ['push', '57P01', true]);
	const cases = [
		[[['client', query('select 1')]], 'client', 'given-up'],
		[[['client', query('select 1')]], 'server', 'closed'],
		[[['client', query('select 1').slice(0, -3)]], 'client', 'given-up'],
		[
			[
				['client', query('select 1')],
				['server', ROWS.slice(0, -2)],
			],
			'server',
			'cut',
		],
	] as const;
	for (const [said, by, end] of cases) {
		const { calls } = converse(decoder, [...LOGIN, ...(said as unknown as Said[])], { by });
		assert.deepEqual([calls.length, calls[1].end, calls[1].by], [2, end, by]);
	}
});

test('a quit and a question that is cancelled by another connection are no failures', () => {
	const { calls } = converse(decoder, [...LOGIN, ['client', message('X', '')]]);
	assert.equal(calls.length, 1);
	const cancel = converse(decoder, [['client', start(80877102, 'pidsecret')]], { by: 'server' });
	assert.deepEqual([cancel.calls[0].verb, cancel.calls[0].bad], ['CANCEL', false]);
});

test('an answer whose end was not recorded ends before the client speaks again, in the state that its statement leaves', () => {
	const { calls, unknown } = converse(decoder, [
		...LOGIN,
		['client', query('begin')],
		['server', done('BEGIN') + ready('T')],
		['client', query('select * from items')],
		['server', ROWS.slice(0, 60), 9000],
		['server', 'rest', 3000],
		['client', query('commit')],
		['server', 'C', 20],
		['client', query('select 2')],
		['server', ROWS + ready()],
	]);
	assert.deepEqual(
		calls.slice(2).map(({ verb, state, hole, first_at, ended_at, end }) => [verb, state, hole, first_at, ended_at, end]),
		[
			['SELECT', 'transaction', true, BEGAN_AT + 7, BEGAN_AT + 8, 'answered'],
			['COMMIT', 'idle', true, BEGAN_AT + 10, BEGAN_AT + 10, 'answered'],
			['SELECT', 'idle', undefined, BEGAN_AT + 12, BEGAN_AT + 12, 'answered'],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('a question whose end was not recorded is asked when its last byte passed', () => {
	const { calls, unknown } = converse(decoder, [
		...LOGIN,
		['client', PREPARE.slice(0, 45), 40],
		['client', 'rest', 30],
		['server', message('1', '') + ready()],
		['client', message('P', `\0insert into items values ${'('.repeat(400)}`).slice(0, 300), 9000],
		['server', message('1', '') + ready()],
		['client', query('select 1 from orders')],
		['server', ROWS + ready()],
	]);
	assert.deepEqual(
		calls.slice(1).map(({ template, hole, sent_at, ended_at, end }) => [template, hole, sent_at, ended_at, end]),
		[
			['SELECT items', true, BEGAN_AT + 5, BEGAN_AT + 6, 'answered'],
			['INSERT items', true, BEGAN_AT + 7, BEGAN_AT + 8, 'answered'],
			['SELECT orders', undefined, BEGAN_AT + 9, BEGAN_AT + 10, 'answered'],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('no answer is before its question, and what is asked beyond all measure is unknown', () => {
	// Of an answer to what was asked before, which goes on when the next question comes.
	const { calls } = converse(decoder, [
		...LOGIN,
		['server', ROWS.slice(0, -2)],
		['client', query('select 1')],
		['server', ROWS.slice(-2) + ready()],
	]);
	assert.deepEqual(
		calls.slice(1).map(({ first_at: firstAt, ended_at: endedAt }) => [firstAt, endedAt]),
		[[BEGAN_AT + 5, BEGAN_AT + 6]],
	);
	const many = converse(decoder, [...LOGIN, ['client', query('select 1').repeat(2000)]]);
	assert.deepEqual([many.calls.length, many.unknown.client], [1 + 1024, (2000 - 1024) * query('select 1').length]);
});

test('copied rows belong to their statement', () => {
	const { calls } = converse(decoder, [
		...LOGIN,
		['client', query('copy items from stdin')],
		['server', message('G', '\0\0\0')],
		['client', message('d', 'canary') + message('c', '')],
		['server', done('COPY 1') + ready()],
	]);
	assert.deepEqual(
		calls.slice(1).map(({ verb, end, sent_bytes }) => [verb, end, sent_bytes > 30]),
		[['COPY', 'answered', true]],
	);
});

test('encryption hides what follows, and a server that cannot do it goes on in the clear', () => {
	const hidden = converse(decoder, [
		['client', start(80877103)],
		['server', 'S'],
		['client', '\x16\x03\x01canary'],
	]);
	assert.deepEqual([hidden.becomes[0].protocol, hidden.calls], ['tls', []]);
	const clear = converse(decoder, [
		['client', start(80877103)],
		['server', 'N'],
		...LOGIN,
		['client', query('select 1')],
		['server', ROWS + ready()],
	]);
	assert.deepEqual(
		clear.calls.map(({ verb }) => verb),
		['CONNECT', 'SELECT'],
	);
});

test('it is recognised by its first message, or midway by a question and its answer', () => {
	const verdict = (client: string, server = '', midway = false) =>
		decoder.recognise(Buffer.from(client, 'latin1'), Buffer.from(server, 'latin1'), midway);
	for (const text of [START, start(80877103), start(80877102, 'pidsecret')]) assert.equal(verdict(text), 'yes');
	for (const text of ['', '\0\0']) assert.equal(verdict(text), 'more');
	for (const text of ['GET / HTTP/1.1\r\n', '*1\r\n$4\r\nPING\r\n', start(7, 'user')]) assert.equal(verdict(text), 'no');
	assert.equal(verdict(query('select 1'), ROWS, true), 'yes');
	assert.equal(verdict(EXECUTE, `${message('2', '')}D`, true), 'yes');
	assert.equal(verdict('QUIT\r\nabc', 'C', true), 'no');
	// It stays so when the client goes on.
	assert.equal(verdict(`${query('select 1')}X`, ROWS, true), 'yes');
});

test('of sessions of a real server, recorded in part, every question has its answer, code and state, wherever packets are cut', () => {
	// PostgreSQL 15 and node-postgres, 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder);
	assert.deepEqual(
		whole.map(({ calls }) => calls.map(({ template, code, state = '-', end }) => [template, code ?? 'good', state, end].join(' '))),
		[
			[
				' good idle answered',
				'CREATE items good idle answered',
				'INSERT items, generate_series good idle answered',
				'SELECT items good idle answered',
				'SELECT items good idle answered',
				'SELECT items good idle answered',
				'BEGIN good transaction answered',
				'SELECT items good transaction answered',
				'UPDATE items good transaction answered',
				'COMMIT good idle answered',
				'INSERT items 23505 idle answered',
				'SELECT nowhere 42P01 idle answered',
				'SET good idle answered',
				'SELECT 57014 idle answered',
			],
			[' 53300 - answered'],
			[' good idle answered', 'SELECT good - given-up'],
		],
	);
});
