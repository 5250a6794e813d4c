import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FrameReader, StreamReader } from './stream-reader.ts';

/** Messages of two bytes of length, with themselves, and a body. */
function reading(want: number = 4) {
	const frames: { began_at: number; ended_at: number; bytes: string; length: number; isCut: boolean }[] = [];
	const lost: number[] = [];
	const reader = new FrameReader({
		head: () => 2,
		lengthOf: (head) => (head.readUInt16BE() > 1000 ? null : head.readUInt16BE()),
		want,
		onFrame: (frame) => frames.push({ ...frame, bytes: frame.bytes.toString('latin1', 2) }),
		onLost: (bytes) => lost.push(bytes),
	});
	return { reader, frames, lost };
}

const message = (body: string, length: number = body.length + 2) => {
	const head = Buffer.alloc(2);
	head.writeUInt16BE(length);
	return Buffer.concat([head, Buffer.from(body)]);
};

test('messages are read wherever packets are cut, with the times of their first and last byte', () => {
	const bytes = Buffer.concat([message('abcdef'), message(''), message('gh')]);
	for (let split = 1; split <= bytes.length; split += 1) {
		const { reader, frames, lost } = reading();
		for (let from = 0; from < bytes.length; from += split)
			reader.push({ at: from, bytes: bytes.subarray(from, from + split), hole: 0, turn: from === 0 });
		assert.deepEqual(
			frames.map(({ bytes: body, length }) => [body, length]),
			[
				['ab', 8],
				['', 2],
				['gh', 4],
			],
			`split at ${split}`,
		);
		assert.deepEqual([frames[0].began_at, frames[0].ended_at], [0, 7 - (7 % split)]);
		assert.deepEqual(lost, []);
		assert.equal(reader.partial, null);
	}
});

test('a hole in a message is passed over; one over the head of the next loses all up to the next turn', () => {
	const { reader, frames, lost } = reading();
	reader.push({ at: 1, bytes: message('a', 100), hole: 97, turn: true });
	reader.push({ at: 2, bytes: message('bc'), hole: 0, turn: false });
	assert.deepEqual(
		frames.map(({ bytes, isCut, ended_at }) => [bytes, isCut, ended_at]),
		[
			['a', true, 1],
			['bc', false, 2],
		],
	);
	reader.push({ at: 3, bytes: message('a', 50), hole: 60, turn: true });
	reader.push({ at: 4, bytes: message('not'), hole: 0, turn: false });
	reader.push({ at: 5, bytes: message('de'), hole: 0, turn: true });
	assert.deepEqual(
		frames.slice(2).map(({ bytes }) => bytes),
		['a', 'de'],
	);
	assert.equal(
		lost.reduce((sum, bytes) => sum + bytes, 0),
		60 + 3 - 50 + 5,
	);
});

test('garbage is lost and counted, and a message without an end is known in part', () => {
	const { reader, frames, lost } = reading();
	reader.push({ at: 1, bytes: Buffer.from('\xff\xff garbage', 'latin1'), hole: 4, turn: true });
	reader.push({ at: 2, bytes: message('abc', 40), hole: 0, turn: true });
	assert.deepEqual([frames, lost], [[], [14]]);
	assert.deepEqual([reader.partial?.began_at, reader.partial?.length, reader.partial?.bytes.length], [2, 40, 4]);
});

test('a message that is answered before its end is given as far as it has come, and the rest of it is passed over', () => {
	const { reader, frames, lost } = reading(8);
	reader.giveOpen();
	reader.push({ at: 1, bytes: message('abcdefgh').subarray(0, 5), hole: 0, turn: true });
	// Less of it is here than is wanted.
	reader.giveOpen();
	assert.deepEqual(
		frames.map(({ bytes, length, isCut, ended_at: endedAt }) => [bytes, length, isCut, endedAt]),
		[['abc', 10, true, Number.NaN]],
	);
	assert.equal(reader.partial, null);
	reader.giveOpen();
	reader.push({
		at: 2,
		bytes: Buffer.concat([message('abcdefgh').subarray(5), message('next'), message('much', 90)]),
		hole: 0,
		turn: true,
	});
	reader.giveOpen();
	reader.push({ at: 3, bytes: Buffer.alloc(84), hole: 0, turn: true });
	reader.push({ at: 4, bytes: message('last'), hole: 0, turn: true });
	assert.deepEqual(
		frames.slice(1).map(({ bytes, ended_at: endedAt }) => [bytes, endedAt]),
		[
			['next', 2],
			['much', Number.NaN],
			['last', 4],
		],
	);
	assert.deepEqual(lost, []);
});

test('what nobody reads is dropped at a bound', () => {
	const stream = new StreamReader();
	for (let index = 0; index < 1000; index += 1) stream.push({ at: index, bytes: Buffer.alloc(1000), hole: 0, turn: index === 0 });
	assert.ok(stream.row <= 128 * 1024, `${stream.row}`);
	assert.equal(stream.takeDropped() + stream.row, 1_000_000);
	const small = new StreamReader();
	for (let index = 0; index < 100_000; index += 1) small.push({ at: index, bytes: Buffer.alloc(0), hole: 1, turn: false });
	assert.equal(small.isLost, true);
	assert.equal(small.takeDropped(), 100_000);
});

test('what is given of a message stays right while the rest of it is waited for', () => {
	const { reader, frames } = reading(6);
	const shared = Buffer.alloc(64);
	const chunks = [
		`${message('abcd').toString('latin1')}${message('efghij').toString('latin1').slice(0, 7)}`,
		`j${message('klmn').toString('latin1')}`,
	];
	for (const [at, chunk] of chunks.entries()) {
		shared.fill(0).write(chunk, 'latin1');
		reader.push({ at, bytes: shared.subarray(0, chunk.length), hole: 0, turn: at === 0 });
	}
	assert.deepEqual(
		frames.map(({ bytes, ended_at: endedAt }) => [bytes, endedAt]),
		[
			['abcd', 0],
			['efgh', 1],
			['klmn', 1],
		],
	);
});

test('a stream of which something is always left keeps that alone', () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc');
	const stream = new StreamReader();
	const bytes = Buffer.alloc(100);
	collect();
	const before = process.memoryUsage().heapUsed;
	for (let at = 0; at < 100_000; at += 1) {
		stream.push({ at, bytes, hole: 0, turn: false });
		stream.skip(stream.row - 10);
	}
	collect();
	const grown = process.memoryUsage().heapUsed - before;
	assert.equal(stream.row, 10);
	assert.ok(grown < 1_000_000, `${grown} bytes`);
});
