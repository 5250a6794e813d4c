import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Said } from '../../wire/fixtures/converse.ts';
import { capturedIn, converse, converseAsCaptured } from '../../wire/fixtures/converse.ts';
import { decoder } from './wire.ts';

function message(id: number, name: string, { flags = 0x0100, type = 1 }: { flags?: number; type?: number } = {}) {
	const head = Buffer.alloc(12);
	head.writeUInt16BE(id, 0);
	head.writeUInt16BE(flags, 2);
	head.writeUInt16BE(1, 4);
	const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
	return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}

test('names, and what came back, are told by the id of the question', () => {
	const { calls, unknown } = converse(
		decoder,
		[
			['client', message(1, 'api.example.com')],
			['client', message(2, 'gone.example.com', { type: 28 })],
			['client', message(2, 'gone.example.com', { type: 28 })],
			['server', message(2, 'gone.example.com', { type: 28, flags: 0x8183 })],
			['server', message(1, 'api.example.com', { flags: 0x8182 }), 30],
			['client', message(3, 'u-4f9a8b7c6d5e.canary12x.example.com')],
		],
		{ how: 'open' },
	);
	assert.deepEqual(
		calls.map(({ verb, template, code, bad, end }) => [verb, template, code, bad, end]),
		[
			['AAAA', 'gone.example.com', 'NXDOMAIN', false, 'answered'],
			['A', 'api.example.com', 'SERVFAIL', true, 'answered'],
			['A', ':id.:id.example.com', null, false, 'open'],
		],
	);
	assert.deepEqual(unknown, { client: 0, server: 0 });
});

test('what is no question and no answer to one is unknown', () => {
	const { calls, unknown } = converse(decoder, [
		['client', 'short'],
		['client', message(1, 'a.b').subarray(0, 15)],
		['server', message(9, 'a.b', { flags: 0x8180 })],
	]);
	assert.deepEqual([calls, unknown], [[], { client: 20, server: 21 }]);
});

/** @param question a message, letter by letter */
function answer(question: string, records: { name?: Buffer; type: number; data: Buffer }[]) {
	const bytes = Buffer.from(question, 'latin1');
	bytes.writeUInt16BE(0x8180, 2);
	bytes.writeUInt16BE(records.length, 6);
	const reported = records.map(({ name = Buffer.from([0xc0, 12]), type, data }) =>
		Buffer.concat([name, Buffer.from([0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data]),
	);
	return Buffer.concat([bytes, ...reported]);
}

test('the addresses that a name was given are reported, behind its aliases, and none of what was not recorded', () => {
	const question = message(1, 'api.example.com');
	const alias = { type: 5, data: Buffer.from('\x03cdn\xc0\x10', 'latin1') };
	const four = { name: Buffer.from('\x03cdn\xc0\x10', 'latin1'), type: 1, data: Buffer.from([203, 0, 113, 7]) };
	const six = { type: 28, data: Buffer.from('20010db8000000000000000000000007', 'hex') };
	const whole = answer(question.toString('latin1'), [alias, four, six]);
	const reported = (bytes: Buffer) =>
		converse(decoder, [
			['client', question],
			['server', bytes],
		]).calls[0]?.addresses;
	assert.deepEqual(reported(whole), ['203.0.113.7', '2001:db8::7']);
	assert.deepEqual(reported(whole.subarray(0, whole.length - 1)), ['203.0.113.7']);
	for (let length = question.length; length < whole.length; length += 1) assert.doesNotThrow(() => reported(whole.subarray(0, length)));
	const endless = answer(
		question.toString('latin1'),
		Array.from({ length: 40 }, () => four),
	);
	assert.equal(reported(endless)?.length, 8);
});

test('of real resolvers every question has its answer and code, and one that is recorded in part says what it can', () => {
	// dnsmasq 2.90 and Unbound 1.17, asked by dig and by Node; 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const reported = converseAsCaptured(file, decoder);
	assert.deepEqual(
		reported.map(({ calls }) => calls.map(({ verb, template, code, end }) => [verb, template, code ?? 'good', end].join(' '))),
		[
			['A store.shop.test good answered'],
			['AAAA store.shop.test good answered'],
			['A :id.shop.test good answered'],
			['A none.shop.test NXDOMAIN answered'],
			// Too long for a datagram: it is asked again by TCP.
			['TXT large.shop.test good answered'],
			['PTR :id.:id.:id.:id.in-addr.arpa REFUSED answered'],
			['HTTPS store.shop.test good answered'],
			['A store.shop.test good answered'],
			['A cache.shop.test good answered'],
			['A refused.test REFUSED answered'],
			[
				'A store.shop.test good answered',
				'AAAA store.shop.test good answered',
				'SRV _a._tcp.shop.test NXDOMAIN answered',
				'MX shop.test good answered',
			],
			['A x.bogus.test NXDOMAIN answered'],
			['A nobody.shop.test good open'],
		],
	);
	for (const { calls, unknown } of reported) {
		assert.deepEqual(unknown, { client: 0, server: 0 });
		assert.doesNotMatch(JSON.stringify(calls), /canary/);
	}
	for (const { said } of capturedIn(file))
		for (let size = 0; size < 60; size += 1) {
			const cut = said.map(([side, text, hole]) => {
				const bytes = Buffer.from(text, 'base64');
				return [side, bytes.subarray(0, size), hole + Math.max(0, bytes.length - size)] as Said;
			});
			const { calls, unknown } = converse(decoder, cut, { how: 'open' });
			const answers = said.filter(([side]) => side === 'server').length;
			assert.ok(calls.length <= said.length - answers, `${size} bytes of each`);
			if (calls.length === 0) assert.ok(unknown.client > 0);
		}
});
