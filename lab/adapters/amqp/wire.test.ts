import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { cpuTime } from '../../wire/fixtures/cpu.ts';
import { decoder } from './wire.ts';

function frame(type: number, channel: number, payload: string) {
	const head = Buffer.alloc(7);
	head[0] = type;
	head.writeUInt16BE(channel, 1);
	head.writeUInt32BE(payload.length, 3);
	return `${head.toString('latin1')}${payload}\xce`;
}
const number = (value: number, bytes: number) => {
	const room = Buffer.alloc(bytes);
	room.writeUIntBE(value, Math.max(0, bytes - 6), Math.min(6, bytes));
	return room.toString('latin1');
};
const text = (word: string) => String.fromCharCode(word.length) + word;
const method = (channel: number, group: number, method: number, rest: string = '') =>
	frame(1, channel, number(group, 2) + number(method, 2) + rest);
const content = (channel: number, body: string) =>
	frame(2, channel, number(60, 2) + number(0, 2) + number(body.length, 8) + number(0, 2)) + (body === '' ? '' : frame(3, channel, body));
const publish = (channel: number) => method(channel, 60, 40, `\0\0${text('')}${text('canary')}\0`) + content(channel, 'canary');
const tag = (value: number, multiple = 0) => number(value, 8) + String.fromCharCode(multiple);
const closed = (code: number) => number(code, 2) + text('canary') + number(0, 4);

const LOGIN: Said[] = [
	['client', 'AMQP\0\0\x09\x01'],
	['server', method(0, 10, 10, '\0\x09canary')],
	['client', method(0, 10, 11, 'canary')],
	['server', method(0, 10, 30, '\0'.repeat(8))],
	['client', method(0, 10, 31, '\0'.repeat(8)) + method(0, 10, 40, text('/'))],
	['server', method(0, 10, 41, '\0')],
];
const short = (calls: Call[]) => calls.map(({ role = 'call', verb, code, bad, end }) => [role, verb, code, bad, end]);

test('methods, confirmed messages and deliveries are calls, and nothing of what was said is kept, wherever packets are cut', () => {
	const said: Said[] = [
		...LOGIN,
		['client', method(1, 20, 10, '\0')],
		['server', method(1, 20, 11, '\0\0\0\0')],
		['client', publish(1) + method(1, 85, 10, '\0')],
		['server', method(1, 85, 11)],
		['client', publish(1) + publish(1) + publish(1) + frame(8, 0, '')],
		['server', method(1, 60, 80, tag(2, 1)) + method(1, 60, 120, tag(3))],
		['client', method(1, 60, 20, `\0\0${text('canary')}${text('c')}\0`)],
		['server', method(1, 60, 21, text('c')) + method(1, 60, 60, text('c') + tag(1) + text('') + text('canary')) + content(1, 'canary')],
		['client', method(1, 60, 80, tag(1))],
		['client', method(1, 60, 70, `\0\0${text('canary')}\0`)],
		['server', method(1, 60, 72, text(''))],
	];
	const whole = converse(decoder, said);
	assert.deepEqual(short(whole.calls), [
		['connect', 'CONNECT', null, false, 'answered'],
		['call', 'channel.open', null, false, 'answered'],
		['send', 'basic.publish', null, false, 'answered'],
		['call', 'confirm.select', null, false, 'answered'],
		['call', 'basic.publish', null, false, 'answered'],
		['call', 'basic.publish', null, false, 'answered'],
		['call', 'basic.publish', 'NACK', true, 'answered'],
		['call', 'basic.consume', null, false, 'answered'],
		['push', 'basic.deliver', null, false, 'answered'],
		['call', 'basic.get', null, false, 'answered'],
	]);
	assert.deepEqual(
		[whole.calls[8].began_at, whole.calls[8].ended_at, whole.calls[8].by],
		[BEGAN_AT + 13, BEGAN_AT + 14, 'client'],
		'a delivery is over when it is acknowledged',
	);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 120; split += 1) assert.deepEqual(converse(decoder, said, { split }), whole, `split at ${split}`);
});

test('what a server refuses, closes or blocks has its code and its time', () => {
	const refused = converse(decoder, [...LOGIN.slice(0, 3), ['server', method(0, 10, 50, closed(403))]], { by: 'server' });
	assert.deepEqual(short(refused.calls), [['connect', 'CONNECT', '403', false, 'answered']]);
	const { calls } = converse(decoder, [
		...LOGIN,
		['client', method(1, 50, 10, `\0\0${text('canary')}`)],
		['server', method(1, 20, 40, closed(406))],
		['client', method(2, 85, 10, '\0') + publish(2)],
		['server', method(2, 85, 11) + method(0, 10, 60, text('low on memory'))],
		['server', method(0, 10, 61)],
		['server', method(2, 20, 40, closed(541))],
	]);
	assert.deepEqual(short(calls.slice(1)), [
		['call', 'queue.declare', '406', false, 'answered'],
		['call', 'confirm.select', null, false, 'answered'],
		['push', 'connection.blocked', null, true, 'answered'],
		['push', 'channel.close', '541', true, 'answered'],
		['call', 'basic.publish', null, false, 'closed'],
	]);
	assert.deepEqual([calls[3].began_at, calls[3].ended_at], [BEGAN_AT + 9, BEGAN_AT + 10]);
});

test('bodies reach over bytes that were not recorded', () => {
	const body = 'x'.repeat(5000);
	const long = method(1, 60, 40, `\0\0${text('')}${text('q')}\0`) + content(1, body);
	const { calls, unknown } = converse(decoder, [
		...LOGIN,
		['client', long.slice(0, 200), long.length - 200],
		['client', method(1, 20, 10, '\0')],
		['server', method(1, 20, 11, '\0\0\0\0')],
	]);
	assert.deepEqual(short(calls.slice(1)), [
		['send', 'basic.publish', null, false, 'answered'],
		['call', 'channel.open', null, false, 'answered'],
	]);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('what is open on a channel that is closed is reported, and its numbers begin anew', () => {
	const { calls } = converse(decoder, [
		...LOGIN,
		['client', method(1, 20, 10, '\0') + method(1, 85, 10, '\0') + publish(1)],
		['server', method(1, 20, 11, '\0'.repeat(4)) + method(1, 85, 11) + method(1, 60, 60, text('c') + tag(1))],
		['client', method(1, 20, 40, closed(200))],
		['server', method(1, 20, 41)],
		['client', method(1, 20, 10, '\0') + method(1, 85, 10, '\0') + publish(1)],
		['server', method(1, 20, 11, '\0'.repeat(4)) + method(1, 85, 11) + method(1, 60, 60, text('c') + tag(1)) + method(1, 60, 80, tag(1))],
		['client', method(1, 60, 80, tag(1))],
	]);
	assert.deepEqual(
		calls
			.filter(({ verb }) => verb === 'basic.publish' || verb === 'basic.deliver')
			.map(({ verb, end, by, ended_at: at }) => [verb, end, by, Number(at) - BEGAN_AT]),
		[
			['basic.publish', 'given-up', 'client', 9],
			['basic.deliver', 'given-up', 'client', 9],
			['basic.publish', 'answered', 'server', 11],
			['basic.deliver', 'answered', 'client', 12],
		],
	);
});

test('a message whose content is missing, and a number that is given again, leave the first without its end', () => {
	const { calls } = converse(decoder, [
		...LOGIN,
		['client', method(1, 60, 40, `\0\0${text('')}${text('canary')}\0`) + publish(1)],
		['server', method(1, 60, 60, text('c') + tag(7)) + method(1, 60, 60, text('c') + tag(7))],
		['client', method(1, 60, 80, tag(7))],
	]);
	assert.deepEqual(
		calls.slice(1).map(({ verb, end, role }) => [verb, end, role]),
		[
			['basic.publish', 'open', undefined],
			['basic.publish', 'answered', 'send'],
			['basic.deliver', 'open', 'push'],
			['basic.deliver', 'answered', 'push'],
		],
	);
});

test('what is open beyond all measure is unknown, and acknowledging all of it anew costs little', () => {
	const asked = converse(decoder, [...LOGIN, ['client', method(1, 60, 70, 'a').repeat(1000)]]);
	assert.deepEqual([asked.calls.length, asked.unknown.client], [1 + 256, (1000 - 256) * method(1, 60, 70, 'a').length]);
	const opens = Array.from({ length: 5000 }, (_, index) => method(index, 20, 10, '\0')).join('');
	assert.equal(converse(decoder, [...LOGIN, ['client', opens]], { split: 60_000 }).calls.length, 1 + 2048);
	const deliveries = Array.from({ length: 20_000 }, (_, index) => method(1, 60, 60, text('c') + tag(index + 5))).join('');
	const spent = cpuTime(() => {
		const { calls } = converse(decoder, [...LOGIN, ['server', deliveries], ['client', method(1, 60, 80, tag(1, 1)).repeat(20_000)]], {
			split: 60_000,
		});
		assert.equal(calls.length, 20_001);
	});
	assert.ok(spent < 2500, `${spent} ms`);
});

test('it is recognised by its header', () => {
	const verdict = (client: string) => decoder.recognise(Buffer.from(client, 'latin1'), Buffer.alloc(0), false);
	assert.deepEqual(['AMQP\0\0\x09\x01', 'AMQP', 'AMQP\0\x01\0\0', 'GET / HTTP'].map(verdict), ['yes', 'more', 'no', 'no']);
});

test('of a connection of a real server, recorded in part, methods and messages have their answers, wherever packets are cut', () => {
	// RabbitMQ 3.10 and amqplib, 400 bytes of each packet: a message whose beginning is in a hole is unknown, and counted.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder, false);
	const [{ calls, unknown }] = whole;
	const counts: Record<string, number> = {};
	for (const { role = 'call', verb, code, end } of calls) {
		const name = [role, verb, code ?? 'good', end].join(' ');
		counts[name] = (counts[name] ?? 0) + 1;
	}
	assert.deepEqual(counts, {
		'connect CONNECT good answered': 1,
		'call channel.open good answered': 4,
		'call queue.declare good answered': 1,
		'call queue.declare 404 answered': 1,
		'call basic.consume good answered': 1,
		'call confirm.select good answered': 1,
		'call basic.publish good answered': 5,
		'call basic.get good answered': 1,
		'call basic.get 404 answered': 1,
		'send basic.publish good answered': 2,
		'push basic.deliver good answered': 1,
		'push basic.deliver good given-up': 2,
	});
	assert.ok(unknown.client > 0 && unknown.server > 0);
});
