import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { cpuTime } from '../../wire/fixtures/cpu.ts';
import { decoder } from './wire.ts';

function record(type: number, number: number, body: string, padding: number = 0) {
	const head = Buffer.from([1, type, 0, number, 0, 0, padding, 0]);
	head.writeUInt16BE(body.length, 4);
	return head.toString('latin1') + body + '\0'.repeat(padding);
}
const length = (text: string) =>
	text.length < 128 ? String.fromCharCode(text.length) : Buffer.from([0x80, 0, text.length >> 8, text.length & 255]).toString('latin1');
const pairs = (values: Record<string, string>) =>
	Object.entries(values)
		.map(([name, value]) => length(name) + length(value) + name + value)
		.join('');

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const BEGIN = '\0\x01\x01\0\0\0\0\0';
const VALUES = pairs({
	...{ QUERY_STRING: 'q=canary', REQUEST_METHOD: 'POST', HTTP_COOKIE: 'canary'.repeat(40), SCRIPT_NAME: '/index.php' },
	...{ REQUEST_URI: '/items/17?q=canary', HTTP_X_REQUEST_ID: 'a-1', HTTP_TRACEPARENT: `00-${TRACE}-00f067aa0ba902b7-01` },
});
const ask = (number: number) =>
	record(1, number, BEGIN) +
	record(4, number, VALUES.slice(0, 100), 4) +
	record(4, number, VALUES.slice(100)) +
	record(4, number, '') +
	record(5, number, 'canary') +
	record(5, number, '');
const END = '\0\0\0\0\0\0\0\0';
const answer = (number: number, head: string, end: string = END) =>
	record(7, number, 'PHP message: canary') + record(6, number, `${head}\r\ncanary`, 2) + record(6, number, '') + record(3, number, end);

const short = (calls: Call[]) =>
	calls.map(({ id, verb, template, status, code, bad, end }) => [id, verb, template, status, code, bad, end]);

test('a request has its id, path and status, and nothing of what was said, wherever packets are cut', () => {
	const said: Said[] = [
		['client', ask(1)],
		['server', answer(1, 'X-Powered-By: PHP\r\n')],
		['client', ask(2) + ask(3)],
		['server', answer(3, 'Status: 404 Not Found\r\n') + answer(2, 'Status: 503 Busy\r\n')],
		['client', ask(1)],
		['server', record(3, 1, '\0\0\0\0\x02\0\0\0')],
	];
	const whole = converse(decoder, said);
	assert.deepEqual(short(whole.calls), [
		['a-1', 'POST', '/items/:n', 200, null, false, 'answered'],
		['a-1', 'POST', '/items/:n', 404, null, false, 'answered'],
		['a-1', 'POST', '/items/:n', 503, null, true, 'answered'],
		['a-1', 'POST', '/items/:n', null, 'OVERLOADED', true, 'answered'],
	]);
	assert.deepEqual(
		[whole.calls[0].trace, whole.calls[0].sent_at, whole.calls[0].first_at, whole.calls[0].ended_at],
		[TRACE, BEGAN_AT, BEGAN_AT + 1, BEGAN_AT + 1],
	);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 130; split += 1) assert.deepEqual(converse(decoder, said, { split }), whole, `split at ${split}`);
});

test('what was not recorded leaves a request with its end, as not sure', () => {
	const { calls, unknown } = converse(decoder, [
		['client', ask(1).slice(0, 90), ask(1).length - 90],
		['server', record(6, 1, `\r\n${'x'.repeat(9000)}`).slice(0, 300), 8800],
		['server', '', 3000],
		['client', ask(1)],
		['server', answer(1, '')],
	]);
	assert.deepEqual(
		calls.map(({ verb, status, hole = false, sent_at, ended_at, end }) => [verb, status, hole, sent_at, ended_at, end]),
		[
			['POST', 200, true, BEGAN_AT, BEGAN_AT + 2, 'answered'],
			['POST', 200, false, BEGAN_AT + 3, BEGAN_AT + 4, 'answered'],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('how an unanswered request ended says who ended it', () => {
	for (const [said, by, end] of [
		[[['client', ask(1)]], 'client', 'given-up'],
		[[['client', ask(1)]], 'server', 'closed'],
		[
			[
				['client', ask(1)],
				['server', record(7, 1, 'PHP message: canary')],
			],
			'server',
			'closed',
		],
		[
			[
				['client', ask(1)],
				['server', record(6, 1, '\r\ncanary')],
			],
			'server',
			'cut',
		],
	] as [Said[], 'client' | 'server', string][]) {
		const { calls } = converse(decoder, said, { by });
		assert.deepEqual(
			calls.map((call) => [call.verb, call.end, call.by]),
			[['POST', end, by]],
		);
	}
});

test('a number that is used again leaves the first request without its end', () => {
	const { calls, unknown } = converse(decoder, [
		['client', ask(1)],
		['client', record(1, 1, BEGIN) + record(4, 1, pairs({ REQUEST_METHOD: 'CANARY', SCRIPT_NAME: '/b' })) + record(4, 1, '')],
		['server', answer(1, '')],
	]);
	assert.deepEqual(
		calls.map(({ verb, template, end, hole }) => [verb, template, end, hole]),
		[
			['POST', '/items/:n', 'open', true],
			// No method that is known.
			['', '/b', 'answered', undefined],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('parameters in many small records, and bytes that are in none, cost little', () => {
	const many = Array.from({ length: 1000 }, (_, index) => record(1, 2 + index, BEGIN)).join('');
	const small = Array.from(VALUES.repeat(100).slice(0, 1500), (sign) => record(4, 1, sign)).join('');
	const said: Said[] = [['client', `${record(1, 1, BEGIN)}${small}${record(4, 1, '')}${many}`]];
	for (let index = 0; index < 20_000; index += 1) said.push([index % 2 ? 'server' : 'client', 'no record at all']);
	const spent = cpuTime(() => {
		const { calls } = converse(decoder, said, { split: 60_000 });
		assert.deepEqual([calls.length, calls[0].verb, calls[0].id], [998, 'POST', 'a-1']);
	});
	assert.ok(spent < 2500, `${spent} ms`);
});

test('it is recognised by the record that begins a request', () => {
	const verdict = (client: string) => decoder.recognise(Buffer.from(client, 'latin1'), Buffer.alloc(0), false);
	assert.equal(verdict(ask(1)), 'yes');
	assert.equal(verdict(ask(1).slice(0, 15)), 'more');
	for (const other of ['GET / HTTP/1.1\r\n', '\x01\x04\0\x01', '\x01\x01\0\x01\0\x09\0\0', '\0\0\0\x08\x04\xd2\x16\x2f'])
		assert.equal(verdict(other), 'no');
});

test('of connections of a real server, recorded in part, every request has its path and end, wherever packets are cut', () => {
	// Nginx 1.22 and php-fpm 8.2, 400 bytes of each packet: parameters go on in a hole, and a status that is not 200 may come after a line of
	// the program's log.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder);
	assert.deepEqual(
		whole.map(({ calls }) =>
			calls.map(({ verb, template, status, bad, end }) => [verb, template, status, bad ? 'bad' : 'good', end].join(' ')),
		),
		[
			['GET /php/items/:n 200 good answered'],
			['GET /php/items/:n 500 bad answered'],
			['GET /php/items/:n 200 good answered'],
			['GET /php/items/:n 200 good answered'],
			['POST /php 200 good answered'],
			[
				'GET /kept/items/:n 200 good answered',
				'GET /kept/items/:n 500 bad answered',
				'GET /kept/items/:n 200 good answered',
				'GET /kept/items/:n 200 good answered',
				'POST /kept 200 good answered',
			],
		],
	);
});
