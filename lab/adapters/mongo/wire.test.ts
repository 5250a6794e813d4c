import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BSON } from 'mongodb';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { decoder } from './wire.ts';

function message(number: number, answers: number, code: number, ...parts: Uint8Array[]) {
	const body = Buffer.concat(parts);
	const head = Buffer.alloc(16);
	for (const [index, value] of [16 + body.length, number, answers, code].entries()) head.writeInt32LE(value, index * 4);
	return Buffer.concat([head, body]);
}
const said = (
	number: number,
	document: object,
	{ answers = 0, flags = 0, before = Buffer.alloc(0) }: { answers?: number; flags?: number; before?: Buffer } = {},
) => message(number, answers, 2013, Buffer.from(Uint32Array.of(flags).buffer), before, Buffer.of(0), BSON.serialize(document));
const answer = (answers: number, document: object) => said(900 + answers, document, { answers });
function sequence(document: object) {
	const body = Buffer.concat([Buffer.from('documents\0'), BSON.serialize(document)]);
	const head = Buffer.alloc(5);
	head[0] = 1;
	head.writeInt32LE(body.length + 4, 1);
	return Buffer.concat([head, body]);
}

const short = (calls: Call[]) =>
	calls.map(({ role = 'call', template, code, bad, hole = false, end }) => [role, template, code, bad, hole, end]);

const TALK: Said[] = [
	['client', said(1, { hello: 1, client: { application: { name: 'canary' } } })],
	['server', answer(1, { isWritablePrimary: true, ok: 1 })],
	['client', said(2, { find: 'items', filter: { name: 'canary' }, $db: 'shop' })],
	['server', answer(2, { cursor: { firstBatch: [{ name: 'canary' }], id: 0n }, ok: 1 })],
	['client', said(3, { insert: 'user_4711', $db: 'shop' }, { before: sequence({ name: 'canary' }) })],
	['server', answer(3, { n: 0, writeErrors: [{ index: 0, code: 11000, errmsg: 'canary' }], ok: 1 })],
	['client', said(4, { aggregate: 'items', pipeline: [] })],
	['server', answer(4, { ok: 0, errmsg: 'canary took too long', code: 50, codeName: 'MaxTimeMSExpired' })],
	['client', said(5, { update: 'items' }, { flags: 2 })],
	['client', said(6, { canary: 'canary' })],
	['server', answer(6, { ok: 0, errmsg: 'no such command: canary', code: 59 })],
	['client', said(7, { hello: 1, topologyVersion: {}, maxAwaitTimeMS: 10000 })],
	['server', answer(7, { ok: 1 })],
];

test('a question has the answer that bears its number, and nothing of what was said is kept, wherever packets are cut', () => {
	const whole = converse(decoder, TALK);
	assert.deepEqual(short(whole.calls), [
		['connect', 'hello', null, false, false, 'answered'],
		['call', 'find items', null, false, false, 'answered'],
		['call', 'insert user_:n', '11000', false, false, 'answered'],
		['call', 'aggregate items', '50', true, false, 'answered'],
		['call', '', '59', false, false, 'answered'],
		['beat', 'hello', null, false, false, 'answered'],
	]);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 150; split += 1) assert.deepEqual(converse(decoder, TALK, { split }), whole, `split at ${split}`);
});

test('answers may come in another order, and lengths reach over bytes that were not recorded', () => {
	const long = answer(1, { cursor: { firstBatch: Array.from({ length: 100 }, () => ({ name: 'canary' })), id: 0n }, ok: 1 });
	const insert = said(3, { insert: 'items', documents: [{ name: 'canary'.repeat(300) }] });
	const { calls, unknown } = converse(decoder, [
		['client', Buffer.concat([said(1, { find: 'items' }), said(2, { count: 'items' })])],
		['server', answer(2, { n: 1, ok: 1 })],
		['server', long.subarray(0, 300), long.length - 300],
		['client', insert.subarray(0, 300), insert.length - 300],
		['server', answer(3, { n: 1, ok: 1 })],
	]);
	assert.deepEqual(
		calls.map(({ template, hole = false, first_at, ended_at }) => [template, hole, first_at, ended_at]),
		[
			['count items', false, BEGAN_AT + 1, BEGAN_AT + 1],
			['find items', false, BEGAN_AT + 2, BEGAN_AT + 2],
			['insert items', false, BEGAN_AT + 4, BEGAN_AT + 4],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('what is compressed or old is a call too', () => {
	const packed = converse(decoder, [
		['client', message(1, 0, 2012, Buffer.alloc(40, 7))],
		['server', message(2, 1, 2012, Buffer.alloc(40, 7))],
	]);
	assert.deepEqual(short(packed.calls), [['call', '', null, false, true, 'answered']]);
	const old = converse(decoder, [
		['client', message(1, 0, 2004, Buffer.alloc(4), Buffer.from('admin.$cmd\0'), Buffer.alloc(8), BSON.serialize({ isMaster: 1 }))],
		['server', message(2, 1, 1, Buffer.alloc(20), BSON.serialize({ ismaster: true, ok: 1 }))],
	]);
	assert.deepEqual(short(old.calls), [['connect', 'isMaster', null, false, false, 'answered']]);
});

test('how an unanswered question ended says who ended it', () => {
	const find = said(1, { find: 'items' });
	const found = answer(1, { cursor: {}, ok: 1 });
	for (const [talk, by, end] of [
		[[['client', find]], 'client', 'given-up'],
		[[['client', find]], 'server', 'closed'],
		[[['client', find.subarray(0, 30)]], 'client', 'given-up'],
		[
			[
				['client', find],
				['server', found.subarray(0, 20)],
			],
			'server',
			'cut',
		],
	] as [Said[], 'client' | 'server', string][]) {
		const { calls } = converse(decoder, talk, { by });
		assert.deepEqual(
			calls.map((call) => [call.end, call.by]),
			[[end, by]],
		);
	}
});

test('a number that is used again leaves the first call without its end, and names of users are not kept', () => {
	const { calls } = converse(decoder, [
		['client', said(1, { find: 'items' })],
		['client', said(1, { createUser: 'canary', pwd: 'canary' })],
		['server', answer(1, { ok: 1 })],
		['client', said(2, { usersInfo: 'canary' })],
		['server', answer(2, { ok: 1 })],
	]);
	assert.deepEqual(
		calls.map(({ template, end, hole }) => [template, end, hole]),
		[
			['find items', 'open', true],
			['createUser', 'answered', undefined],
			['usersInfo', 'answered', undefined],
		],
	);
});

test('a list whose length is none ends the message, and not the reading', () => {
	for (const length of [-1, 0, 4, -0x80000000, 0x7fffffff]) {
		const list = Buffer.from([1, 0, 0, 0, 0, 1, 1]);
		list.writeInt32LE(length, 1);
		const { calls } = converse(decoder, [['client', message(1, 0, 2013, Buffer.alloc(4), list)]]);
		assert.deepEqual([calls.length, calls[0].hole], [1, true], `${length}`);
	}
});

test('it is recognised by the head of a message', () => {
	const verdict = (client: Buffer) => decoder.recognise(client, Buffer.alloc(0), false);
	assert.equal(verdict(said(1, { hello: 1 })), 'yes');
	assert.equal(verdict(said(1, { hello: 1 }).subarray(0, 15)), 'more');
	for (const text of ['GET / HTTP/1.1\r\nHost: a', '*2\r\n$3\r\nGET\r\n$1\r\na\r\n']) assert.equal(verdict(Buffer.from(text)), 'no');
});

test('of connections of a real server, recorded in part, every question has its answer and code, wherever packets are cut', () => {
	// MongoDB 6.0 and its driver for Node.js, 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder);
	assert.deepEqual(
		whole.map(({ calls }) => calls.map(({ role = 'call', template, code, end }) => [role, template, code ?? 'good', end].join(' '))),
		[
			['connect ismaster good answered', 'beat hello good answered'],
			[
				'connect ismaster good answered',
				...['insert', 'insert', 'find', 'find', 'getMore', 'update'].map((verb) => `call ${verb} items good answered`),
				...['call insert items 11000 answered', 'call find items 50 answered', 'call  59 answered'],
				...['aggregate', 'delete', 'find'].map((verb) => `call ${verb} items good answered`),
			],
			['connect ismaster good answered', 'call find items good answered'],
			['connect ismaster good answered', 'beat hello good answered'],
		],
	);
	for (const { calls } of whole) assert.ok(calls.every(({ hole }) => !hole));
});
