import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoder as http } from '../adapters/http/wire.ts';
import type { ConnectionRecord } from './connection.ts';
import { Connections } from './connections.ts';
import type { Call, Decoder } from './contract.ts';
import { arpFrame } from './fixtures/packet.ts';
import { Talk } from './fixtures/talk.ts';
import type { Packet, UdpPacket } from './packets.ts';
import { readPacket } from './packets.ts';

const GET = 'GET /items/5 HTTP/1.1\r\nX-Request-Id: r-1\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';

function readAll(packets: (Packet | null)[], decoders: Decoder[] = [http]) {
	const calls: (Call & { connection: number })[] = [];
	const connections: ConnectionRecord[] = [];
	const all = new Connections(decoders, {
		call: (call, { id }) => calls.push({ ...call, connection: id }),
		connection: (connection) => connections.push(connection),
	});
	for (const packet of packets) all.take(packet);
	all.end();
	return { calls, connections, counters: all.counters, hosts: all.hosts };
}

test('a packet finds the connection of its ends, from whichever side it comes, and no other', () => {
	const all = [
		{ client: '10.0.0.1', clientPort: 65_535, server: '10.0.0.2', serverPort: 65_535 },
		{ client: '10.0.0.1', clientPort: 65_535, server: '10.0.0.2', serverPort: 65_534 },
		{ client: '10.0.0.2', clientPort: 65_534, server: '10.0.0.1', serverPort: 65_533 },
		{ client: '10.0.0.2', clientPort: 65_533, server: '10.0.0.1', serverPort: 65_534 },
	];
	const talks = all.map((ends) => new Talk(ends));
	const packets = [
		...talks.flatMap((talk) => talk.open()),
		...talks.map((talk, index) => talk.say('client', 'A', `GET /${'abcd'[index]} HTTP/1.1\r\n\r\n`)),
		...talks.toReversed().map((talk) => talk.say('server', 'A', OK)),
		// One has ended, and its ends begin another.
		talks[0].say('client', 'FA'),
		talks[0].say('server', 'FA'),
	];
	const again = new Talk({ ...all[0], at: 1001, start: 50_000 });
	const { calls, connections } = readAll([...packets, ...again.open(), again.say('client', 'A', GET), again.say('server', 'A', OK)]);
	assert.deepEqual(
		calls
			.map(({ connection, template, status }) => [connection, template, status])
			.toSorted(([one], [other]) => Number(one) - Number(other)),
		[...all.map((_, index) => [index + 1, `/${'abcd'[index]}`, 200]), [5, '/items/:n', 200]],
	);
	assert.deepEqual(
		connections
			.toSorted((one, other) => one.id - other.id)
			.map(({ client, client_port: clientPort, server, server_port: serverPort }) => ({ client, clientPort, server, serverPort })),
		[...all, all[0]],
	);
});

const outcomes = ({ connections }: ReturnType<typeof readAll>) => connections.map(({ outcome, by }) => [outcome, by]);

test('a connection and its calls are read over the end of the circle of numbers', () => {
	const talk = new Talk();
	const read = readAll([
		...talk.open(),
		talk.wait(1).say('client', 'A', GET),
		talk.wait(1).say('server', 'A', OK),
		talk.wait(1).say('client', 'A', GET),
		talk.wait(1).say('server', 'A', OK),
		talk.wait(1).say('client', 'AF'),
		talk.say('server', 'AF'),
	]);
	assert.deepEqual(
		read.calls.map(({ began_at, ended_at, end, connection }) => [began_at, ended_at, end, connection]),
		[
			[1001, 1002, 'answered', 1],
			[1003, 1004, 'answered', 1],
		],
	);
	const [connection] = read.connections;
	assert.deepEqual(
		[connection.protocol, connection.calls, connection.client_bytes, connection.server_bytes, connection.ended_at],
		['http', 2, GET.length * 2, OK.length * 2, 1005],
	);
	assert.deepEqual(outcomes(read), [['closed', 'client']]);
});

test('refused, unanswered, closed unread and reset are told apart', () => {
	const refused = new Talk({ clientPort: 1 });
	const unanswered = new Talk({ clientPort: 2 });
	const unread = new Talk({ clientPort: 3 });
	const reset = new Talk({ clientPort: 4 });
	const first = unanswered.say('client', 'S');
	const read = readAll([
		refused.say('client', 'S'),
		refused.say('server', 'RA'),
		...unread.open(),
		unread.say('server', 'AF'),
		unread.say('client', 'AF'),
		...reset.open(),
		reset.say('client', 'A', GET),
		reset.wait(2).say('server', 'R'),
		first,
		{ ...first, at: 1001 } as Packet,
		{ ...first, at: 1003 } as Packet,
	]);
	const sorted = read.connections.sort((one, other) => one.client_port - other.client_port);
	assert.deepEqual(
		sorted.map(({ outcome, by, syns, asked_at }) => [outcome, by, syns, asked_at]),
		[
			['refused', 'server', 1, null],
			['unanswered', null, 3, null],
			['closed', 'server', 1, null],
			['reset', 'server', 1, 1000],
		],
	);
	assert.deepEqual(
		read.calls.map(({ end, by, ended_at }) => [end, by, ended_at]),
		[['reset', 'server', 1002]],
	);
});

test('who gave up is known though the server answers later, and who only ended to ask has not', () => {
	const gone = new Talk({ clientPort: 1 });
	const half = new Talk({ clientPort: 2 });
	const read = readAll([
		...gone.open(),
		gone.say('client', 'A', GET),
		gone.wait(10).say('client', 'AF'),
		gone.wait(1).say('server', 'A', OK),
		gone.say('server', 'AF'),
		gone.say('client', 'R'),
		...half.open(),
		half.say('client', 'A', GET),
		half.say('client', 'AF'),
		half.wait(1).say('server', 'A', OK),
		half.say('server', 'AF'),
	]);
	const [first, second] = read.calls.sort((one, other) => one.connection - other.connection);
	assert.deepEqual([first.end, first.by, first.ended_at, first.late_at, first.status], ['given-up', 'client', 1010, 1011, 200]);
	assert.deepEqual([second.end, second.by, second.ended_at, second.late_at], ['answered', 'server', 1001, undefined]);
});

test('who gave up did so too where the answer was refused at its first packet', () => {
	const gone = new Talk({ clientPort: 1 });
	const read = readAll([
		...gone.open(),
		gone.say('client', 'A', GET),
		gone.wait(2).say('client', 'AF'),
		gone.wait(4).say('server', 'A', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'),
		gone.say('client', 'R'),
	]);
	const [call] = read.calls;
	assert.deepEqual([call.end, call.by, call.ended_at, call.first_at, call.late_at], ['given-up', 'client', 1002, null, 1006]);
});

test('a request on a connection that the server had closed lost a race', () => {
	const talk = new Talk();
	const read = readAll([
		...talk.open(),
		talk.say('client', 'A', GET),
		talk.say('server', 'A', OK),
		talk.wait(5).say('server', 'AF'),
		talk.wait(0.001).say('client', 'A', GET),
		talk.say('server', 'R'),
	]);
	assert.deepEqual(
		read.calls.map(({ end, by, raced }) => [end, by, raced]),
		[
			['answered', 'server', undefined],
			['closed', 'server', true],
		],
	);
});

test('the order of segments, repetitions and overlaps change nothing but the count of what was sent again', () => {
	const talk = new Talk();
	const opened = talk.open();
	const parts = [GET.slice(0, 10), GET.slice(10, 20), GET.slice(20)].map((part) => talk.say('client', 'A', part));
	const answer = [talk.say('server', 'A', OK.slice(0, 20)), talk.say('server', 'A', OK.slice(20))];
	const overlap = new Talk();
	overlap.open();
	const early = overlap.say('client', 'A', GET.slice(0, 25));
	const expected = readAll([...opened, ...parts, ...answer]).calls;
	assert.equal(expected.length, 1);
	for (const [order, again] of [
		[[parts[0], parts[2], parts[1]], 0],
		[[parts[2], parts[1], parts[0]], 0],
		[[parts[1], parts[0], parts[0], parts[2], parts[2]], 2],
		[[parts[0], parts[1], early, parts[2]], 2],
	] as [Packet[], number][]) {
		const read = readAll([...opened, ...order, answer[1], answer[0], answer[0]]);
		assert.deepEqual(read.calls, expected);
		assert.equal(read.connections[0].again, again + 1);
	}
	const alive = {
		...parts[2],
		sequence: parts[2].sequence + parts[2].length - 1,
		payload: Buffer.alloc(1),
		length: 1,
	} as Packet;
	assert.equal(
		readAll([...opened, ...parts, alive, ...answer]).connections[0].again,
		0,
		'a question whether the other side is alive is none',
	);
});

test('what was not recorded is a hole, known when the other side acknowledges it', () => {
	const talk = new Talk();
	const opened = talk.open();
	const long = `POST /a HTTP/1.1\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`;
	const asked = talk.say('client', 'A', long.slice(0, 40_000), { recorded: 300 });
	talk.say('client', 'A', long.slice(40_000));
	const answered = talk.wait(1).say('server', 'A', OK);
	const again = [talk.say('client', 'A', GET), talk.say('server', 'A', OK)];
	const read = readAll([...opened, asked, answered, ...again]);
	assert.deepEqual(
		read.calls.map(({ verb, end, sent_bytes }) => [verb, end, sent_bytes]),
		[
			['POST', 'answered', long.length],
			['GET', 'answered', GET.length],
		],
	);
	assert.equal(read.connections[0].unknown_bytes, 0);
});

test('ports that are used again are another connection, and one from before the capture is read from a turn on', () => {
	const first = new Talk();
	const second = new Talk({ at: 1005, start: 5000 });
	const reused = readAll([
		...first.open(),
		first.say('client', 'A', GET),
		...second.open(),
		second.say('client', 'A', GET),
		second.say('server', 'A', OK),
	]);
	assert.deepEqual(
		reused.calls.map(({ end, connection }) => [end, connection]),
		[
			['open', 1],
			['answered', 2],
		],
	);
	const talk = new Talk();
	talk.open();
	const middle = [talk.say('server', 'A', 'the rest of an answer'), talk.say('client', 'A', GET), talk.say('server', 'A', OK)];
	const midway = readAll(middle);
	assert.deepEqual(
		midway.connections.map(({ midway: was, client_port, protocol, unknown_bytes }) => [was, client_port, protocol, unknown_bytes]),
		[[true, 40000, 'http', 21]],
	);
	assert.deepEqual(
		midway.calls.map(({ end }) => end),
		['answered'],
	);
});

test('a protocol that is not known is counted, and one within which nothing can be read is hidden', () => {
	const talk = new Talk();
	const read = readAll([
		...talk.open(),
		talk.say('client', 'A', '\x00\x01 what'),
		talk.say('server', 'A', 'ever'),
		talk.say('client', 'AF'),
	]);
	assert.deepEqual(
		[read.connections[0].protocol, read.connections[0].unknown_bytes, read.calls.map(({ verb }) => verb)],
		['unknown', 11, ['turn']],
	);
	const secret = new Talk();
	const tls = readAll([
		...secret.open(),
		secret.say('client', 'A', '\x16\x03\x01\x00\x05\x01hello'),
		secret.say('server', 'A', '\x16\x03\x03'),
	]);
	assert.deepEqual([tls.connections[0].protocol, tls.connections[0].hidden_bytes, tls.connections[0].unknown_bytes], ['tls', 14, 0]);
	const upgraded = new Talk();
	const socket = readAll([
		...upgraded.open(),
		upgraded.say('client', 'A', 'GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n'),
		upgraded.say('server', 'A', 'HTTP/1.1 101 Go\r\nUpgrade: websocket\r\n\r\nab'),
		upgraded.say('client', 'A', 'cde'),
	]);
	assert.deepEqual(
		[socket.connections[0].protocol, socket.connections[0].hidden_bytes, socket.connections[0].unknown_bytes],
		['websocket', 5, 0],
	);
});

test('what was open when a connection went on in another protocol is reported at its end', () => {
	const talk = new Talk();
	const { calls } = readAll([
		...talk.open(),
		talk.say('client', 'A', 'GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\nGET /next HTTP/1.1\r\n\r\n'),
		talk.say('server', 'A', 'HTTP/1.1 101 Go\r\nUpgrade: websocket\r\n\r\n'),
		talk.say('client', 'AF'),
	]);
	assert.deepEqual(
		calls.map(({ template, end }) => [template, end]),
		[
			['/ws', 'answered'],
			['/next', 'given-up'],
		],
	);
});

test('a decoder that fails costs the rest of its connection, and nothing else', () => {
	const wrong: Decoder = {
		...{ protocol: 'wrong', title: 'Wrong', recognise: (client) => (client[0] === 1 ? 'yes' : 'no') },
		open: () => ({
			client: ({ bytes }) => {
				if (bytes.length > 3) throw new RangeError('canary');
			},
			server: () => {},
			close: () => {},
		}),
	};
	const [bad, good] = [new Talk({ clientPort: 1 }), new Talk({ clientPort: 2 })];
	const packets = [...bad.open(), bad.say('client', 'A', '\x01a'), bad.say('client', 'A', 'canary'), bad.say('server', 'A', 'abc')];
	const read = readAll([...packets, ...good.open(), good.say('client', 'A', GET), good.say('server', 'A', OK)], [http, wrong]);
	assert.deepEqual(
		read.connections.map(({ protocol, fault, unknown_bytes }) => [protocol, fault, unknown_bytes]),
		[
			['wrong', 'RangeError', 3],
			['http', '', 0],
		],
	);
	assert.equal(read.calls.length, 1);
});

test('a closed window is reported with its times, and so is an address that nobody has', () => {
	const talk = new Talk();
	const read = readAll([
		...talk.open(),
		talk.say('client', 'A', GET),
		talk.wait(1).say('client', 'A', '', { window: 0 }),
		talk.wait(1).say('client', 'A', '', { window: 0 }),
		readPacket(1003, arpFrame('10.0.0.1', '10.0.0.9', true), 42, 'ethernet'),
		readPacket(1004, arpFrame('10.0.0.1', '10.0.0.9', true), 42, 'ethernet'),
		readPacket(1004, arpFrame('10.0.0.1', '10.0.0.2', true), 42, 'ethernet'),
		readPacket(1004, arpFrame('10.0.0.2', '10.0.0.1', false), 42, 'ethernet'),
		readPacket(1009, arpFrame('10.0.0.1', '10.0.0.9', true), 42, 'ethernet'),
	]);
	assert.deepEqual(read.connections[0].closed_window, { client: { times: 2, first_at: 1001, last_at: 1002 }, server: null });
	assert.deepEqual(read.hosts, [
		{
			source: '10.0.0.1',
			target: '10.0.0.9',
			asked: 3,
			first_at: 1003,
			last_at: 1009,
			answered: 0,
			in_vain: [
				[1003, 1004],
				[1009, 1009],
			],
		},
		{ source: '10.0.0.1', target: '10.0.0.2', asked: 1, first_at: 1004, last_at: 1004, answered: 1, in_vain: [] },
	]);
});

test('questions in datagrams are calls, and a silence ends what was said between two ends', async () => {
	const { decoder: dns } = await import('../adapters/dns/wire.ts');
	const question = Buffer.from('0007010000010000000000000361706900000100 01'.replace(' ', ''), 'hex');
	const answer = Buffer.from(question);
	answer.writeUInt16BE(0x8183, 2);
	const packet = (at: number, payload: Buffer, isBack = false) =>
		({
			...{ kind: 'udp', at, payload, length: payload.length, source: '10.0.0.1', sourcePort: 999, target: '10.0.0.3', targetPort: 53 },
			...(isBack ? { source: '10.0.0.3', sourcePort: 53, target: '10.0.0.1', targetPort: 999 } : {}),
		}) as UdpPacket;
	const read = readAll([packet(1, question), packet(1.5, answer, true), packet(30, question)], [http, dns]);
	assert.deepEqual(
		read.calls.map(({ template, code, end, connection }) => [template, code, end, connection]),
		[
			['api', 'NXDOMAIN', 'answered', 1],
			['api', null, 'open', 2],
		],
	);
	assert.deepEqual(
		read.connections.map(({ transport, protocol, calls }) => [transport, protocol, calls]),
		[
			['udp', 'dns', 1],
			['udp', 'dns', 1],
		],
	);
	assert.equal(read.counters.datagrams, 3);
});

test('packets in any order, of any kind, break nothing and leave nothing behind', () => {
	const talks = Array.from({ length: 6 }, (_, index) => new Talk({ clientPort: 1 + (index % 3) }));
	let seed = 7;
	const random = (below: number) => {
		seed = (seed * 1103515245 + 12345) & 0x7fffffff;
		return seed % below;
	};
	const packets = Array.from({ length: 5000 }, () => {
		const talk = talks[random(6)].wait(random(20) / 100);
		const flags = ['S', 'SA', 'A', 'A', 'A', 'AF', 'R', 'FSRA'][random(8)];
		const payload = [GET, OK, '', 'x'.repeat(random(2000)), '\x16\x03\x01\x00'][random(5)];
		const packet = talk.say(random(2) ? 'client' : 'server', flags, payload, { recorded: random(payload.length + 1) });
		return random(10) === 0 ? { ...packet, sequence: (packet.sequence + random(0xffffffff)) >>> 0 } : packet;
	});
	const read = readAll(packets);
	assert.ok(read.connections.length > 100);
	for (const { calls, id } of read.connections) assert.equal(calls, read.calls.filter(({ connection }) => connection === id).length);
});

test('what is asked for and never answered is bounded', () => {
	const connections = new Connections([http], { call: () => {}, connection: () => reported.push(1) });
	const reported: number[] = [];
	for (let index = 0; index < 70_000; index += 1)
		connections.take(new Talk({ clientPort: index % 65_536, client: `10.0.1.${index >> 16}` }).say('client', 'S'));
	assert.equal(reported.length, 70_000 - 65_536);
});
