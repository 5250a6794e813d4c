import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { CAN } from './packets.ts';
import { decoder } from './wire.ts';

const packet = (number: number, body: string) => {
	const head = Buffer.alloc(4);
	head.writeUIntLE(body.length, 0, 3);
	head[3] = number;
	return head.toString('latin1') + body;
};
const small = (value: number, bytes: number) => {
	const room = Buffer.alloc(bytes);
	room.writeUIntLE(value, 0, bytes);
	return room.toString('latin1');
};
const greeting = (can: number) =>
	packet(
		0,
		`\n10.11.6-canary\0${'t'.repeat(4)}${'s'.repeat(8)}\0${small(can & 0xffff, 2)}!\x02\0${small(can >>> 16, 2)}\x15${'\0'.repeat(10)}salt\0`,
	);
const login = (can: number) => packet(1, `${small(can, 4)}\0\0\0\x01!${'\0'.repeat(23)}shop\0\x14canary`);
const ok = (status = 2, number = 1) => packet(number, `\0\0\0${small(status, 2)}\0\0`);
const eof = (number = 1, status = 2) => packet(number, `\xfe\0\0${small(status, 2)}`);
const error = (code: number, number = 1) => packet(number, `\xff${small(code, 2)}#HY000A canary is not to be kept`);
const query = (text: string) => packet(0, `\x03${text}`);
const DEFINITION = packet(2, '\x03def\x04shop\x05items');
const ROW = packet(4, '\x06canary');

const session = (can: number = 0): Said[] => [
	['server', greeting(can)],
	['client', login(can)],
	['server', ok(2, 2)],
];
const short = (calls: Call[]) => calls.map(({ template, code, bad, state, end }) => [template, code, bad, state, end]);

test('a login and its commands are calls, with the state of their transaction and nothing of what was said', () => {
	for (const [can, rows] of [
		[0, packet(1, '\x01') + DEFINITION + eof(3) + ROW + eof(5, 3)],
		[CAN.deprecateEof, packet(1, '\x01') + DEFINITION + ROW + packet(4, `\xfe\0\0${small(3, 2)}\0\0`)],
	] as const) {
		const said: Said[] = [
			...session(can),
			['client', packet(0, '\x0e')],
			['server', ok()],
			['client', query('start transaction')],
			['server', ok(3)],
			['client', query("select name from `items` where name = 'canary' for update")],
			['server', rows],
			['client', query('insert into items values (1)')],
			['server', error(1062)],
			['client', query('update items set price = 1')],
			['server', error(1205)],
			['client', packet(0, '\x01')],
		];
		const whole = converse(decoder, said);
		assert.deepEqual(short(whole.calls), [
			['', null, false, 'idle', 'answered'],
			['', null, false, 'idle', 'answered'],
			['START', null, false, 'transaction', 'answered'],
			['SELECT items', null, false, 'transaction', 'answered'],
			['INSERT items', '1062', false, undefined, 'answered'],
			['UPDATE items', '1205', true, undefined, 'answered'],
		]);
		assert.deepEqual(
			whole.calls.map(({ role, verb }) => role ?? verb),
			['connect', 'beat', 'START', 'SELECT', 'INSERT', 'UPDATE'],
		);
		assert.deepEqual(whole.unknown, { client: 0, server: 0 });
		assert.doesNotMatch(JSON.stringify(whole), /canary/);
		for (let split = 1; split <= 90; split += 1) assert.deepEqual(converse(decoder, said, { split }), whole, `split at ${split}`);
	}
});

test('tables that are locked are kept as by a transaction, until they are unlocked', () => {
	const said: Said[] = [
		...session(),
		['client', query('lock tables `items` read')],
		['server', ok()],
		['client', query('insert into log values (1)')],
		['server', ok()],
		['client', query('unlock tables')],
		['server', ok()],
		['client', query('insert into log values (1)')],
		['server', ok()],
	];
	assert.deepEqual(
		converse(decoder, said)
			.calls.slice(1)
			.map(({ verb, state }) => `${verb} ${state}`),
		['LOCK transaction', 'INSERT transaction', 'UNLOCK idle', 'INSERT idle'],
	);
});

test('attributes of a statement are none of its text', () => {
	const { calls } = converse(decoder, [
		...session(),
		['client', query('\0\x01select 1 from items')],
		['server', ok()],
		['client', query('\x01\x01\0\x01\x0f\0\x06canaryselect 1')],
		['server', ok()],
	]);
	assert.deepEqual(
		calls.slice(1).map(({ template }) => template),
		['SELECT items', ''],
	);
});

test('a log-in that is refused sets no session up, whoever is to blame', () => {
	const { calls } = converse(
		decoder,
		[
			['server', greeting(0)],
			['client', login(0)],
			['server', error(1045, 2)],
		],
		{ by: 'server' },
	);
	assert.deepEqual(
		calls.map(({ role, code, bad }) => [role, code, bad]),
		[['connect', '1045', true]],
	);
});

test('an error in place of the greeting is the answer to who connects', () => {
	const { calls } = converse(decoder, [['server', error(1040, 0)]], { by: 'server' });
	assert.deepEqual(
		calls.map(({ role, verb, code, bad, end, began_at, ended_at }) => [role, verb, code, bad, end, began_at, ended_at]),
		[['connect', 'CONNECT', '1040', true, 'answered', BEGAN_AT, BEGAN_AT]],
	);
	// Whoever had sent a login already gets no other answer to it.
	const late = converse(
		decoder,
		[
			['server', error(1040, 0)],
			['client', query('select 1')],
		],
		{ by: 'server', how: 'reset' },
	);
	assert.deepEqual(
		late.calls.map(({ code, end }) => [code, end]),
		[
			['1040', 'answered'],
			[null, 'reset'],
		],
	);
});

test('prepared statements keep their template, and commands in a pipeline are answered in their order', () => {
	const prepared = packet(1, `\0${small(7, 4)}\x01\0\x01\0\0\0\0`) + DEFINITION + eof(3) + DEFINITION + eof(5);
	const execute = packet(0, `\x17\xff\xff\xff\xff\0\x01\0\0\0canary`);
	const { calls } = converse(decoder, [
		...session(),
		['client', packet(0, '\x16select name from items where id = ?') + execute],
		['server', prepared + packet(1, '\x01') + DEFINITION + eof(3) + ROW + eof(5)],
		['client', packet(0, `\x19${small(7, 4)}`) + query('select 1; select 2')],
		['server', packet(1, '\x01') + DEFINITION + eof(3) + ROW + eof(5, 0x000a) + packet(6, '\x01') + DEFINITION + eof(8) + ROW + eof(10)],
	]);
	assert.deepEqual(
		calls.slice(1).map(({ verb, template, end, ended_at }) => [verb, template, end, ended_at]),
		[
			['PREPARE', 'PREPARE SELECT items', 'answered', BEGAN_AT + 4],
			['SELECT', 'SELECT items', 'answered', BEGAN_AT + 4],
			['SELECT', 'SELECT', 'answered', BEGAN_AT + 6],
		],
	);
});

test('an answer whose end was not recorded ends before the client speaks again', () => {
	const { calls, unknown } = converse(decoder, [
		...session(),
		['client', query('select * from items')],
		['server', packet(1, '\x01') + DEFINITION + eof(3) + ROW, 9000],
		['server', 'rest', 200],
		['client', query('select 2')],
		['server', ok()],
		['client', query(`insert into items values ${'('.repeat(100)}`).replace(/^.../s, small(5000, 3)), 5000 - 126],
		['server', ok()],
	]);
	assert.deepEqual(
		calls.slice(1).map(({ template, hole, sent_at, ended_at, end }) => [template, hole, sent_at, ended_at, end]),
		[
			['SELECT items', true, BEGAN_AT + 3, BEGAN_AT + 5, 'answered'],
			['SELECT', undefined, BEGAN_AT + 6, BEGAN_AT + 7, 'answered'],
			['INSERT items', undefined, BEGAN_AT + 8, BEGAN_AT + 9, 'answered'],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('how an unanswered command ended says who ended it', () => {
	for (const [said, by, end] of [
		[[['client', query('select sleep(9)')]], 'client', 'given-up'],
		[[['client', query('select sleep(9)')]], 'server', 'closed'],
		[
			[
				['client', query('select 1')],
				['server', packet(1, '\x01') + DEFINITION],
			],
			'server',
			'cut',
		],
	] as [Said[], 'client' | 'server', string][]) {
		const { calls } = converse(decoder, [...session(), ...said], { by });
		assert.deepEqual([calls.length, calls[1].end, calls[1].by], [2, end, by]);
	}
});

test('encryption and compression hide what follows', () => {
	const hidden = converse(decoder, [
		['server', greeting(CAN.tls)],
		['client', `${packet(1, `${small(CAN.tls, 4)}\0\0\0\x01!${'\0'.repeat(23)}`)}\x16\x03\x01`],
	]);
	assert.equal(hidden.becomes[0].protocol, 'tls');
	// How the login went is not seen.
	assert.deepEqual(
		hidden.calls.map(({ verb, end, hole }) => [verb, end, hole]),
		[['CONNECT', 'open', true]],
	);
	const packed = converse(decoder, [...session(CAN.compress), ['client', 'canary']]);
	assert.deepEqual([packed.becomes[0].protocol, packed.calls.length], ['mysql-compressed', 1]);
});

test('it is recognised by what the server says first, or midway by a command and its answer', () => {
	const verdict = (client: string, server = '', midway = false) =>
		decoder.recognise(Buffer.from(client, 'latin1'), Buffer.from(server, 'latin1'), midway);
	assert.equal(verdict('', greeting(0)), 'yes');
	assert.equal(verdict('', error(1040, 0)), 'yes');
	assert.equal(verdict('', '\x40\0\0'), 'more');
	for (const text of ['220 mail ESMTP\r\n', 'HTTP/1.1 408 Timeout', '\x05\0\0\0\x0a\0\0\0\0']) assert.equal(verdict('', text), 'no');
	assert.equal(verdict('GET / HTTP/1.1\r\n'), 'no');
	assert.equal(verdict(query('select 1'), ok(), true), 'yes');
	// It stays so when the client goes on, and where a long statement is recorded in part.
	assert.equal(verdict(query('select 1') + query('select 2'), ok(), true), 'yes');
	assert.equal(verdict(query(`select ${'a'.repeat(900)}`).slice(0, 400), ok(), true), 'yes');
	// Another database's answer, and somebody's question before its greeting.
	assert.equal(verdict('', 'C\0\0\0\x0aBEGIN\0Z\0\0\0\x05T'.padEnd(80, 'x')), 'no');
	assert.equal(verdict('', greeting(0), true), 'more');
	assert.equal(verdict('GET / HTTP/1.1\r\n', greeting(0)), 'no');
	assert.equal(verdict('\x01\0\0\0\x07', ok(), true), 'no');
});

test('of sessions of a real server, recorded in part, every question has its answer, code and state, wherever packets are cut', () => {
	// MariaDB 10.11 and mysql2, 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder);
	assert.deepEqual(
		whole.map(({ calls }) =>
			calls.map(({ role, template, code, state = '-', end }) => [role ?? template, code ?? 'good', state, end].join(' ')),
		),
		[
			[
				'connect good idle answered',
				'CREATE items good idle answered',
				'INSERT items good idle answered',
				'SELECT items good idle answered',
				'SELECT items good - answered',
				'PREPARE SELECT items good - answered',
				'SELECT items good idle answered',
				'SELECT items good idle answered',
				'START good transaction answered',
				'UPDATE items good transaction answered',
				'COMMIT good idle answered',
				'INSERT items 1062 - answered',
				'SELECT nowhere 1146 - answered',
				'beat good idle answered',
				'SET good idle answered',
				'START good transaction answered',
				'UPDATE items 1205 - answered',
				'ROLLBACK good idle answered',
				'SELECT good - given-up',
			],
			[
				'connect good idle answered',
				'START good transaction answered',
				'UPDATE items good transaction answered',
				'ROLLBACK good idle answered',
				'SELECT good idle answered',
				'SELECT good idle answered',
			],
			['connect 1040 - answered'],
		],
	);
});
