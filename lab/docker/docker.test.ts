import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mock, test } from 'node:test';
import { UnansweredError } from '../base/errors.ts';
import { endingInTime, execute, executeLines, placeContainers } from './docker.ts';

test('a command that does not end in time is given up, one that ends is not', async () => {
	mock.timers.enable({ apis: ['setTimeout'] });
	try {
		const hanging = new PassThrough();
		hanging.write('so far');
		const chunks = endingInTime(hanging, 900, 'psql did not end in its container');
		assert.equal(String((await chunks.next()).value), 'so far');
		const given = assert.rejects(chunks.next(), (error) => {
			assert.ok(error instanceof UnansweredError);
			assert.equal(error.message, 'psql did not end in its container in 0.9 s.');
			return true;
		});
		mock.timers.tick(900);
		await given;
		assert.ok(hanging.destroyed);
		const ended = Readable.from([Buffer.from('all of it')]);
		assert.equal(String(await buffer(endingInTime(ended, 900, 'it did not end'))), 'all of it');
		mock.timers.tick(900);
	} finally {
		mock.timers.reset();
	}
});

test('where whoever waits for a command has a limit, it has none of its own', async () => {
	mock.timers.enable({ apis: ['setTimeout'] });
	try {
		const long = new PassThrough();
		const all = buffer(endingInTime(long, null, 'it did not end'));
		mock.timers.tick(10_000_000);
		long.end('at last');
		assert.equal(String(await all), 'at last');
	} finally {
		mock.timers.reset();
	}
});

/** A container whose command prints these pieces. */
function printing(id: string, pieces: { text: string; stream: number }[]) {
	const frames = pieces.map(({ text, stream }) => {
		const header = Buffer.alloc(8);
		header[0] = stream;
		header.writeUInt32BE(Buffer.byteLength(text), 4);
		return Buffer.concat([header, Buffer.from(text)]);
	});
	const output = Readable.from(frames);
	const exec = { start: async () => output, inspect: async () => ({ Running: false, ExitCode: 3 }) };
	placeContainers({ getContainer: () => ({ exec: async () => exec }) } as any, [id]);
	return output;
}

test('of a command that prints much each line is given once, of output and errors, and how it ended', async () => {
	printing('lines', [
		{ text: 'one\ntw', stream: 1 },
		{ text: 'oh\n', stream: 2 },
		{ text: 'o\nthree', stream: 1 },
	]);
	const lines: string[] = [];
	const ended = await executeLines('lines', ['psql'], { limitMs: 900, mostBytes: 1000, onLine: (line) => lines.push(line) });
	assert.deepEqual([lines, ended], [['one', 'oh', 'two', 'three'], { exitCode: 3, isCut: false }]);
});

test('one that prints more than is read is cut, and read no further', async () => {
	const output = printing(
		'much',
		Array.from({ length: 10 }, () => ({ text: 'a line\n', stream: 1 })),
	);
	let lines = 0;
	const onLine = () => {
		lines += 1;
	};
	const { isCut } = await executeLines('much', ['psql'], { limitMs: 900, mostBytes: 40, onLine });
	assert.deepEqual([isCut, lines, output.destroyed], [true, 2, true]);
});

test('what a command prints is kept up to a bound, and read to its end', async () => {
	const output = printing(
		'much',
		Array.from({ length: 40 }, () => ({ text: 'x'.repeat(1_000_000), stream: 1 })),
	);
	await assert.rejects(execute('much', ['psql']), /psql printed more than 32 MB in its container/);
	assert.ok(output.readableEnded);
});
