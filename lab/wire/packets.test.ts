import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decoder as http } from '../adapters/http/wire.ts';
import { arpFrame, ethernet, pcapOf, tcpFrame } from './fixtures/packet.ts';
import { readPacket, readPcap } from './packets.ts';
import { decode } from './record.ts';

const FRAME = tcpFrame({ sequence: 4_000_000_000, acknowledged: 7, flags: 'AF', window: 0, payload: 'hello world' });

async function* inPieces(bytes: Buffer, split: number) {
	for (let from = 0; from < bytes.length; from += split) yield bytes.subarray(from, from + split);
}

async function readAll(file: Buffer, split: number = file.length) {
	const packets: [number, number, number, string][] = [];
	const end = await readPcap(inPieces(file, split), (at, _bytes, length, link, from, to) => packets.push([at, to - from, length, link]));
	return { packets, end };
}

test('capture files of both byte orders and both clocks are read, wherever their chunks end', async () => {
	const packets = [
		{ at: 1000.25, frame: FRAME },
		{ at: 1000.5, frame: FRAME, recorded: 60 },
	];
	for (const isLittle of [true, false])
		for (const isNano of [true, false]) {
			const file = pcapOf(packets, { isLittle, isNano });
			for (let split = 1; split < 50; split += 1) {
				const read = await readAll(file, split);
				assert.deepEqual(read.packets, [
					[1000.25, FRAME.length, FRAME.length, 'ethernet'],
					[1000.5, 60, FRAME.length, 'ethernet'],
				]);
				assert.deepEqual(read.end, { packets: 2, isCut: false, broken: '' });
			}
		}
});

test('a file that ends within a packet gives what is whole, and one that is none says so', async () => {
	const file = pcapOf([
		{ at: 1, frame: FRAME },
		{ at: 2, frame: FRAME },
	]);
	assert.deepEqual((await readAll(file.subarray(0, -5))).end, { packets: 1, isCut: true, broken: '' });
	assert.deepEqual((await readAll(Buffer.alloc(0), 1)).end, { packets: 0, isCut: false, broken: '' });
	assert.match((await readAll(Buffer.alloc(100, 7))).end.broken, /not those of a capture file/);
	assert.match((await readAll(pcapOf([], { link: 147 }))).end.broken, /link type 147/);
	const broken = Buffer.concat([file, Buffer.alloc(40, 0xff)]);
	assert.match((await readAll(broken)).end.broken, /4294967295 bytes/);
});

test('a packet is a flat record, behind any of the links', () => {
	const expected = {
		...{ kind: 'tcp', at: 5, source: '10.0.0.1', sourcePort: 40000, target: '10.0.0.2', targetPort: 80 },
		...{ sequence: 4_000_000_000, acknowledged: 7, syn: false, ack: true, fin: true, rst: false, window: 0 },
		...{ payload: Buffer.from('hello world'), length: 11 },
	};
	assert.deepEqual(readPacket(5, FRAME, FRAME.length, 'ethernet'), expected);
	const vlan = Buffer.concat([ethernet(0x8100), Buffer.from([0, 5, 8, 0]), FRAME.subarray(14)]);
	assert.deepEqual(readPacket(5, vlan, vlan.length, 'ethernet'), expected);
	const cooked = Buffer.concat([Buffer.alloc(14), Buffer.from([8, 0]), FRAME.subarray(14)]);
	assert.deepEqual(readPacket(5, cooked, cooked.length, 'cooked'), expected);
	const cooked2 = Buffer.concat([Buffer.from([8, 0]), Buffer.alloc(18), FRAME.subarray(14)]);
	assert.deepEqual(readPacket(5, cooked2, cooked2.length, 'cooked-2'), expected);
});

test('what was not recorded of a payload counts, and padding does not', () => {
	const cut = readPacket(1, FRAME.subarray(0, 58), FRAME.length, 'ethernet');
	assert.ok(cut?.kind === 'tcp');
	assert.deepEqual([cut.payload.toString(), cut.length], ['hell', 11]);
	const padded = readPacket(1, Buffer.concat([tcpFrame({ flags: 'S' }), Buffer.alloc(6)]), 60, 'ethernet');
	assert.ok(padded?.kind === 'tcp');
	assert.deepEqual([padded.payload.length, padded.length, padded.syn], [0, 0, true]);
});

test('IPv6, UDP and ARP are read', () => {
	const head = Buffer.alloc(40);
	head[0] = 0x60;
	head.writeUInt16BE(8 + 8 + 3, 4);
	head[6] = 0;
	Buffer.from('fd000000000000000000000000000001', 'hex').copy(head, 8);
	Buffer.from('20010db8000000010000000000000002', 'hex').copy(head, 24);
	const option = Buffer.from([17, 0, 0, 0, 0, 0, 0, 0]);
	const udp = Buffer.from([0, 53, 1, 0, 0, 11, 0, 0, 97, 98, 99]);
	const frame = Buffer.concat([ethernet(0x86dd), head, option, udp]);
	assert.deepEqual(readPacket(1, frame, frame.length, 'ethernet'), {
		...{ kind: 'udp', at: 1, source: 'fd00::1', sourcePort: 53, target: '2001:db8:0:1::2', targetPort: 256 },
		...{ payload: Buffer.from('abc'), length: 3 },
	});
	const arp = arpFrame('10.0.0.1', '10.0.0.9', true);
	assert.deepEqual(readPacket(1, arp, arp.length, 'ethernet'), {
		kind: 'arp',
		at: 1,
		source: '10.0.0.1',
		target: '10.0.0.9',
		isQuestion: true,
	});
});

test('no bytes break it', () => {
	for (let size = 0; size <= FRAME.length; size += 1) readPacket(1, FRAME.subarray(0, size), FRAME.length, 'ethernet');
	for (let round = 0; round < 3000; round += 1) {
		const bytes = Buffer.concat([ethernet([0x0800, 0x86dd, 0x0806, 0x8100][round % 4]), randomBytes(round % 120)]);
		if (bytes.length > 14 && round % 4 < 2) bytes[14] = round % 4 === 0 ? 0x45 : 0x60;
		for (const link of ['ethernet', 'cooked', 'cooked-2'] as const) readPacket(1, bytes, bytes.length, link);
	}
});

const GET = 'GET /a HTTP/1.1\r\n\r\n';
const OK = 'HTTP/1.1 204 No Content\r\n\r\n';

/** A request on a connection of its own, to each of so many ports. */
const requests = (times: number, at: number) =>
	Array.from({ length: times }, (_, index) => {
		const ends = { source: '10.0.0.1', sourcePort: 1000 + index, target: '10.0.0.2', targetPort: 80 };
		const back = { source: ends.target, sourcePort: 80, target: ends.source, targetPort: ends.sourcePort };
		return [
			tcpFrame({ ...ends, flags: 'S', sequence: 1 }),
			tcpFrame({ ...back, flags: 'SA', sequence: 5, acknowledged: 2 }),
			tcpFrame({ ...ends, sequence: 2, acknowledged: 6, payload: GET }),
			tcpFrame({ ...back, sequence: 6, acknowledged: 2 + GET.length, payload: OK }),
		].map((frame) => ({ at, frame }));
	}).flat();

async function* chunksOf(bytes: Buffer) {
	for (let from = 0; from < bytes.length; from += 1000) yield bytes.subarray(from, from + 1000);
}

test('the files of several networks are read one after the other, and connections have numbers of their own', async () => {
	const calls: [number, number | null][] = [];
	const connections: number[] = [];
	const file = pcapOf(requests(3, 1000));
	const read = await decode(
		[
			{ network: 'front', chunks: chunksOf(file) },
			{ network: 'back', chunks: chunksOf(pcapOf(requests(2, 900)).subarray(0, -10)) },
			{ network: 'none', chunks: chunksOf(Buffer.from('this is no capture file at all')) },
		],
		[http],
		{ call: (call, { id }) => calls.push([id, call.status]), connection: ({ id }) => connections.push(id) },
	);
	assert.deepEqual(
		calls.map(([, status]) => status),
		[204, 204, 204, 204, null],
	);
	assert.deepEqual(connections, [1, 2, 3, 4, 5]);
	assert.deepEqual(
		read.map(({ network, counters }) => [network, counters.packets, counters.first_at, counters.is_cut, counters.broken]),
		[
			['front', 12, 1000, false, ''],
			['back', 7, 900, true, ''],
			['none', 0, null, false, 'its first bytes are not those of a capture file'],
		],
	);
});
