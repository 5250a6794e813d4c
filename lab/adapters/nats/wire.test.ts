import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../wire/contract.ts';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { decoder } from './wire.ts';

const short = (calls: Call[]) =>
	calls.map(({ role = 'call', verb, template, code, bad, end, by }) =>
		[role, verb, template, code ?? 'good', bad ? 'bad' : '', end, by].filter(Boolean).join(' '),
	);

const GREETED: Said[] = [
	['server', 'INFO {"server_id":"canary","headers":true}\r\n'],
	['client', 'CONNECT {"user":"canary","verbose":false}\r\nPING\r\n'],
	['server', 'PONG\r\n'],
];
const HEADERS = 'NATS/1.0\r\nTrace: canary\r\n\r\n';
const NOBODY = 'NATS/1.0 503\r\n\r\n';
const TALK: Said[] = [
	...GREETED,
	[
		'client',
		'SUB _INBOX.canary.* 1\r\nSUB orders.> workers 2\r\nPUB price.42 _INBOX.canary.1 6\r\ncanary\r\nPUB audit.seen 6\r\ncanary\r\n',
	],
	['server', 'MSG _INBOX.canary.1 1 6\r\ncanary\r\nPING\r\n'],
	['client', `PONG\r\nHPUB stock _INBOX.canary.2 ${HEADERS.length} ${HEADERS.length + 6}\r\n${HEADERS}canary\r\n`],
	['server', `HMSG _INBOX.canary.2 1 ${NOBODY.length} ${NOBODY.length}\r\n${NOBODY}\r\n`],
	['client', 'PING\r\nPUB empty 0\r\n\r\n'],
	[
		'server',
		`PONG\r\nMSG orders.new 2 _INBOX.other.7 6\r\ncanary\r\nHMSG orders.old 2 ${HEADERS.length} ${HEADERS.length + 6}\r\n${HEADERS}canary\r\n`,
	],
	['client', 'PUB _INBOX.other.7 6\r\ncanary\r\n'],
	['server', "-ERR 'Permissions Violation for Publish to \"canary\"'\r\n-ERR 'Slow Consumer'\r\n"],
];

test('a question is over when a message comes back, a message that was given when it is replied to, and nothing said is kept, wherever packets are cut', () => {
	const whole = converse(decoder, TALK);
	assert.deepEqual(short(whole.calls), [
		'connect CONNECT good answered server',
		'send PUB audit.seen good answered client',
		'call PUB price.:n good answered server',
		'call PUB stock 503 bad answered server',
		'send PUB empty good answered client',
		'beat PING PING good answered server',
		'push MSG orders.old good answered server',
		'push MSG orders.new good answered client',
		'send PUB _INBOX.:id good answered client',
		'push PERMISSIONS answered server',
		'push SLOW_CONSUMER bad answered server',
	]);
	const [, , asked] = whole.calls;
	const given = whole.calls[7];
	assert.deepEqual(
		[asked.began_at, asked.ended_at, given.began_at, given.ended_at],
		[3, 4, 8, 9].map((second) => BEGAN_AT + second),
	);
	assert.deepEqual(whole.unknown, { client: 0, server: 0 });
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= 120; split += 1) assert.deepEqual(converse(decoder, TALK, { split }), whole, `split at ${split}`);
});

test('a question and the message that is given for it have one mark, on whichever connection', () => {
	const question = converse(decoder, [...GREETED, ['client', 'PUB price reply.to.me 1\r\nx\r\n']]).calls[1];
	const given = converse(decoder, [
		...GREETED,
		['server', 'MSG price 1 reply.to.me 1\r\nx\r\nMSG price 1 reply.to.you 1\r\nx\r\n'],
	]).calls.slice(1);
	assert.match(question.id ?? '', /^[0-9a-z]{6,11}$/);
	assert.deepEqual([given[0].id === question.id, given[1].id === question.id], [true, false]);
});

test('a reply that never comes leaves its question open; who ends its subscription has given it up', () => {
	const { calls } = converse(
		decoder,
		[
			...GREETED,
			['client', 'SUB canary.1 7\r\nUNSUB 7 1\r\nPUB price canary.1 1\r\nx\r\nPUB price canary.2 1\r\nx\r\n'],
			['client', 'UNSUB 7\r\n'],
			['server', 'MSG price 2 canary.3 1\r\nx\r\n'],
		],
		{ how: 'open', by: null },
	);
	assert.deepEqual(short(calls.slice(1)), ['call PUB price good given-up client', 'call PUB price good open', 'push MSG price good open']);
	assert.equal(calls[1].ended_at, BEGAN_AT + 4);
});

test('a subject that is asked again, and more that is open than anybody has, leave the older without an end', () => {
	const again = converse(decoder, [...GREETED, ['client', 'PUB a r 0\r\n\r\nPUB b r 0\r\n\r\n'], ['server', 'MSG r 1 0\r\n\r\n']]).calls;
	assert.deepEqual(short(again.slice(1)), ['call PUB a good open', 'call PUB b good answered server']);
	const many = Array.from({ length: 40_000 }, (_, index) => `MSG a 1 r.${index} 0\r\n\r\n`).join('');
	const { calls } = converse(decoder, [...GREETED, ['server', many]], { split: 60_000 });
	assert.deepEqual([calls.length, calls.slice(1).filter(({ end }) => end === 'open').length], [40_001, 40_000 - 32 * 1024]);
});

test('what a server refuses has its code; who is greeted and goes is not refused', () => {
	const of = (said: Said[], by: 'client' | 'server' = 'server') => short(converse(decoder, said, { by }).calls);
	const [greeting, login] = GREETED;
	assert.deepEqual(of([greeting, ['server', "-ERR 'maximum connections exceeded'\r\n"]]), ['connect CONNECT MAXCONNS bad answered server']);
	assert.deepEqual(of([greeting, login, ['server', "-ERR 'Authorization Violation'\r\n"]]), ['connect CONNECT AUTH bad answered server']);
	assert.deepEqual(of([greeting, login]), ['connect CONNECT good cut server']);
	assert.deepEqual(of([greeting], 'client'), ['connect CONNECT good answered server']);
	assert.deepEqual(
		of([login, greeting, ['client', 'SUB a 1\r\n']]),
		['connect CONNECT good answered server'],
		'who does not wait for the greeting',
	);
});

test('sizes reach over bytes that were not recorded, and a line whose end was not is unknown', () => {
	const { calls, unknown } = converse(decoder, [
		...GREETED,
		['client', 'PUB a r.1 9000\r\ncan', 8999],
		['server', 'MSG r.1 1 9000\r\ncanary', 8996],
		['client', `PUB ${'a'.repeat(300)}`, 400],
		['client', 'PUB b 1\r\nx\r\n'],
		['server', 'PING\r\n'],
		['client', 'PUB c 1\r\nx\r\n'],
	]);
	assert.deepEqual(short(calls.slice(1)), ['call PUB a good answered server', 'send PUB c good answered client']);
	assert.deepEqual([calls[1].sent_bytes, calls[1].answered_bytes, unknown.server], [9018, 9018, 0]);
	assert.ok(unknown.client > 700);
});

test('a connection goes on in TLS after the greeting', () => {
	const { becomes } = converse(decoder, [GREETED[0], ['client', '\x16\x03\x01\x02\0\x01']]);
	assert.deepEqual(becomes, [{ protocol: 'tls', rest: 6 }]);
});

test('it is recognised by its greeting or set-up, within a connection by a whole line of a message, and what only looks like it is not', () => {
	const verdict = (client: string, server = '', midway = false) =>
		decoder.recognise(Buffer.from(client, 'latin1'), Buffer.from(server, 'latin1'), midway);
	for (const [client, server] of [['', 'INFO {"server_id":"x"'], ['CONNECT {"a":1}\r\n'], ['CONNECT {}\r\n', 'INFO {"server_id"']])
		assert.equal(verdict(client, server), 'yes', client + server);
	for (const [client, server] of [['', ''], ['CONN'], ['', 'INFO {"ser']]) assert.equal(verdict(client, server), 'more', client + server);
	for (const [client, server] of [
		['CONNECT example.org:443 HTTP/1.1\r\n'],
		['CONNECT\naccept-version:1.2'],
		['PING\r\n'],
		['', 'INFO: hello'],
		['', '220 mail'],
	])
		assert.equal(verdict(client, server), 'no', client + server);
	for (const [client, server] of [['PING\r\nPUB a 1\r\n'], ['', 'MSG a 1 r 5\r\nhello'], ['HPUB a 12 14\r\n']])
		assert.equal(verdict(client, server, true), 'yes', client + server);
	for (const [client, server] of [['PING\r\n', 'PONG\r\n'], ['PUB a'], ['', '+OK\r\n']])
		assert.equal(verdict(client, server, true), 'more', client + server);
	// NSQ has words of the same kind.
	for (const [client, server] of [['PUB topic\n\0\0\0\x05'], ['SUB topic channel\n'], ['PUB a b c d 1\r\n'], ['', '+PONG\r\n']])
		assert.equal(verdict(client, server, true), 'no', client + server);
});

test('of connections of a real server, recorded in part, every question has its answer, wherever packets are cut', () => {
	// nats-server 2.9.10 with the package `nats` and with lines by hand, 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder, false);
	const connect = 'connect CONNECT good answered server';
	const look = 'beat PING PING good answered server';
	const asked = (topic: string, answer = 'good') => `call PUB ${topic} ${answer} answered server`;
	const taken = (topic: string, by = 'client') => `push MSG ${topic} good answered ${by}`;
	const sent = (topic: string) => `send PUB ${topic} good answered client`;
	assert.deepEqual(
		whole.map(({ calls }) => short(calls)),
		[
			[
				...[connect, look],
				...['road', 'rail', 'air', 'road'].flatMap((way) => [taken(`price.${way}`), sent('_INBOX.:id')]),
				...[taken('audit.seen', 'server'), taken('audit.big', 'server'), 'push MSG price.sea good given-up client'],
			],
			[
				...[connect, asked('price.road'), asked('price.rail'), asked('price.air'), asked('nobody.there', '503 bad'), asked('price.road')],
				...[sent('audit.seen'), sent('audit.big')],
				...['INFO', 'STREAM.CREATE.ORDERS', 'CONSUMER.CREATE.ORDERS.mail'].map((name) => asked(`:id.API.${name}`)),
				...[asked('orders.new'), asked(':id.API.CONSUMER.INFO.ORDERS.mail')],
				// What is stored is fetched, and acknowledged; then there is none.
				'wait PUB :id.API.CONSUMER.MSG.NEXT.ORDERS.mail good answered server',
				...[taken('orders.new'), sent(':id.ACK.ORDERS.mail.:n.:n.:n.:n.:n'), look],
				'wait PUB :id.API.CONSUMER.MSG.NEXT.ORDERS.mail 408 answered server',
				'call PUB price.sea good given-up client',
			],
			[connect, 'call PUB nobody.there good given-up client', sent('audit.seen'), 'push ERR answered server'],
			['connect CONNECT AUTH bad answered server', 'beat PING PING good closed server'],
			['connect CONNECT MAXCONNS bad answered server'],
		],
	);
	// Of a PING that stands behind a message whose end was not recorded nothing is known.
	assert.deepEqual(
		whole.map(({ unknown }) => unknown.client + unknown.server),
		[0, 6, 0, 0, 0],
	);
});
