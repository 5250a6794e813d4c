import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionRecord } from './connection.ts';
import { Connections } from './connections.ts';
import type { Call, Decoder } from './contract.ts';
import { Talk } from './fixtures/talk.ts';
import type { Packet } from './packets.ts';
import { isByTurns, TURN, unreadBytes, withoutStreams } from './turns.ts';

function readAll(packets: Packet[], decoders: Decoder[] = []) {
	const calls: (Call & { connection: number })[] = [];
	const connections: ConnectionRecord[] = [];
	const all = new Connections(decoders, {
		call: (call, { id }) => calls.push({ ...call, connection: id }),
		connection: (connection) => connections.push(connection),
	});
	for (const packet of packets.toSorted((one, other) => one.at - other.at)) all.take(packet);
	all.end();
	return { calls, connections };
}

const kept = (packets: Packet[]) => withoutStreams(readAll(packets)).calls.length;

/** Asks in lines, and is answered in lines. */
const lines = (talk: Talk, times: number = 1): Packet[] => [
	...talk.open(),
	...Array.from({ length: times }, () => [
		talk.wait(0.1).say('client', 'PA', 'GET stock\n'),
		talk.wait(0.02).say('server', 'PA', '5 left'),
		talk.wait(0.01).say('server', 'PA', '\n'),
	]).flat(),
];

test('what no decoder reads is told by turns: from the first byte of a question to the last of its answer', () => {
	const { calls, connections } = readAll(lines(new Talk(), 2));
	const at = (time: number | null) => Math.round(((time ?? 0) - 1000) * 100) / 100;
	assert.deepEqual(
		calls.map(({ began_at: began, first_at: first, ended_at: ended, verb, end }) => [at(began), at(first), at(ended), verb, end]),
		[
			[0.1, 0.12, 0.13, TURN, 'answered'],
			[0.23, 0.25, 0.26, TURN, 'answered'],
		],
	);
	const [connection] = connections;
	assert.deepEqual([connection.protocol, connection.calls, connection.unknown_bytes], ['unknown', 2, 34]);
	assert.deepEqual([isByTurns(connection), unreadBytes(connection)], [true, 0]);
});

test('who goes without an answer has given up, and the server’s greeting is no answer', () => {
	const talk = new Talk();
	const { calls } = readAll([
		...talk.open(),
		talk.say('server', 'PA', '220 ready\n'),
		talk.wait(0.1).say('client', 'PA', 'PUT 1\n'),
		talk.wait(0.4).say('client', 'FA'),
	]);
	assert.deepEqual(
		calls.map(({ end, by, first_at: first }) => [end, by, first]),
		[['given-up', 'client', null]],
	);
});

test('an unanswered question counts where the server answers others, and not where it answers nobody', () => {
	const silent = new Talk({ clientPort: 40_001 });
	const given = () => [...silent.open(), silent.say('client', 'PA', 'GET stock\n'), silent.wait(0.4).say('client', 'FA')];
	assert.equal(kept(given()), 0, 'a log that is shipped');
	assert.equal(kept([...given(), ...lines(new Talk(), 1)]), 2);
});

test('a subscription, a stream and what both sides write at once have no turns', () => {
	const subscriber = new Talk();
	const pushed = Array.from({ length: 5 }, () => subscriber.wait(1).say('server', 'PA', 'news\n'));
	assert.equal(kept([...subscriber.open(), subscriber.say('client', 'PA', 'SUB\n'), ...pushed]), 0, 'subscription');

	const ticker = new Talk();
	const ticks = Array.from({ length: 60 }, () => ticker.wait(0.05).say('server', 'PA', 'tick\n'));
	assert.equal(kept([...ticker.open(), ticker.say('client', 'PA', 'SUB\n'), ...ticks]), 0, 'stream');

	const both = new Talk();
	const packets = [...both.open()];
	for (let index = 0; index < 40; index += 1) {
		const asked = both.wait(0.01).say('client', 'PA', 'Q\n');
		// Sent before the question had come.
		const reported = both.wait(0.001).say('server', 'PA', 'A\n');
		packets.push(asked, { ...reported, acknowledged: asked.sequence });
	}
	const { calls, connections } = readAll(packets);
	assert.ok(calls.length < 30, 'of what is no conversation no more is told after a while');
	assert.deepEqual([withoutStreams({ calls, connections }).calls.length, connections[0].calls, isByTurns(connections[0])], [0, 0, false]);
});

test('a pipeline has no turns: it asks before it has the answer', () => {
	const talk = new Talk();
	const packets = [...talk.open()];
	for (let index = 0; index < 20; index += 1) {
		packets.push(talk.wait(0.01).say('client', 'PA', 'Q\n'));
		const reported = talk.wait(0.01).say('server', 'PA', 'A\n');
		const next = talk.wait(0.001).say('client', 'PA', 'Q\n');
		packets.push(reported, { ...next, acknowledged: reported.sequence }, talk.wait(0.01).say('server', 'PA', 'A\n'));
	}
	assert.equal(kept(packets), 0);
});

test('a connection that was there before the capture has turns too, once nothing was found in it', () => {
	const packets = lines(new Talk(), 30).slice(2);
	const { calls, connections } = readAll(packets);
	assert.deepEqual([connections[0].midway, connections[0].protocol], [true, 'unknown']);
	assert.ok(calls.length > 0 && calls.length < 30);
	assert.ok(calls.every(({ end }) => end === 'answered'));
});

test('one bad moment makes no stream of turns: its call stays', () => {
	const talk = new Talk();
	const packets = lines(talk, 20);
	const slow = [talk.wait(0.1).say('client', 'PA', 'SUM\n'), talk.say('server', 'PA', 'so far'), talk.wait(2).say('server', 'PA', ' 7\n')];
	assert.equal(kept([...packets, ...slow]), 21);
});

test('TLS is not told by turns: several calls may go on within it at once', () => {
	const talk = new Talk();
	const { calls, connections } = readAll([
		...talk.open(),
		talk.say('client', 'PA', '\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00'),
		talk.wait(0.01).say('server', 'PA', '\x16\x03\x03\x00\x05\x02\x00\x00\x01\x00'),
		talk.wait(0.01).say('client', 'PA', '\x17\x03\x03\x00\x05secre'),
		talk.wait(0.01).say('server', 'PA', '\x17\x03\x03\x00\x05secre'),
	]);
	assert.deepEqual([calls.length, connections[0].protocol, unreadBytes(connections[0]) > 0], [0, 'tls', true]);
});
