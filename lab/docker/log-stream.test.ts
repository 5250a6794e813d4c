import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { secrets } from '../base/secrets.ts';
import { demultiplex, keptLog } from './log-stream.ts';

const STDOUT = 1;
const STDERR = 2;

function frame(stream: number, text: string | Buffer): Buffer {
	const body = Buffer.from(text);
	const header = Buffer.alloc(8);
	header[0] = stream;
	header.writeUInt32BE(body.length, 4);
	return Buffer.concat([header, body]);
}

const inPieces: (buffer: Buffer, bytes: number) => Buffer[] = (buffer, bytes) =>
	Array.from({ length: Math.ceil(buffer.length / bytes) }, (_, index) => buffer.subarray(index * bytes, (index + 1) * bytes));

async function keep(
	pieces: Buffer[],
	{
		isFramed = true,
		redact = (line: string) => line,
		mostBytes = 1e6,
	}: { isFramed?: boolean; redact?: (line: string) => string; mostBytes?: number } = {},
): Promise<{ text: string; cuts: number }> {
	let text = '';
	let cuts = 0;
	const onCut = () => {
		cuts += 1;
	};
	async function* sent() {
		yield* pieces;
	}
	for await (const part of keptLog(sent(), { isFramed, redact, mostBytes, onCut })) text += part;
	return { text, cuts };
}

const LOG = Buffer.concat([frame(STDOUT, '1Z one é\n'), frame(STDERR, '2Z two\n'), frame(STDOUT, '3Z three\n4Z four\n')]);

test('lines come whole and in order, however the engine cuts them', async () => {
	for (const bytes of [1, 3, 7, 1000])
		assert.equal((await keep(inPieces(LOG, bytes))).text, '1Z one é\n2Z two\n3Z three\n4Z four\n', `${bytes}`);
});

test('a line of standard output that an error comes between stays one', async () => {
	const pieces = [frame(STDOUT, '1Z be'), frame(STDERR, '2Z error\n'), frame(STDOUT, 'gun\n3Z open')];
	assert.equal((await keep(pieces)).text, '2Z error\n1Z begun\n3Z open\n');
});

test('of a container with a terminal the bytes are the text', async () => {
	const { text } = await keep(inPieces(Buffer.from('1Z one\r\n2Z two\r\n'), 5), { isFramed: false });
	assert.equal(text, '1Z one\n2Z two\n');
});

test('what a line says is changed as the adapter wants it, and its time stays', async () => {
	const { text } = await keep([LOG], { redact: (line) => line.toUpperCase() });
	assert.equal(text, '1Z ONE É\n2Z TWO\n3Z THREE\n4Z FOUR\n');
});

test('a log that is too long ends with a sentence that has no time, and is said to be cut', async () => {
	const pieces = Array.from({ length: 10 }, (_, index) => frame(STDOUT, `${index}Z a line\n`));
	const { text, cuts } = await keep(pieces, { mostBytes: 80 });
	assert.equal(text, '0Z a line\n1Z a line\n2Z a line\n3Z a line\n(The log is longer than 80 bytes; the rest of it is not on record.)\n');
	assert.equal(cuts, 1);
});

test('a container that wrote nothing has an empty log', async () => {
	assert.deepEqual(await keep([]), { text: '', cuts: 0 });
});

test('output and errors come out in the order in which they were written', () => {
	assert.equal(demultiplex(Buffer.concat([frame(STDOUT, 'one\n'), frame(STDERR, 'two\n'), frame(STDOUT, 'three\n')])), 'one\ntwo\nthree\n');
});

test('a character that is split between two frames is whole again', () => {
	const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
	const split = Buffer.concat([frame(STDOUT, 'x').fill(first, 8), frame(STDOUT, 'x').fill(second, 8)]);
	assert.equal(demultiplex(split), 'é');
});

test('a length above 255 is read from all four bytes', () => {
	const text = 'x'.repeat(70_000);
	assert.equal(demultiplex(frame(STDOUT, text)), text);
});

test('nothing, an empty frame and a cut header are empty', () => {
	assert.equal(demultiplex(Buffer.alloc(0)), '');
	assert.equal(demultiplex(frame(STDOUT, '')), '');
	assert.equal(demultiplex(frame(STDOUT, 'cut').subarray(0, 5)), '');
});

test('a frame that was cut off gives what is there of it', () => {
	assert.equal(demultiplex(frame(STDOUT, 'complete').subarray(0, 12)), 'comp');
});

test('a piece with very many frames is read', () => {
	const many = Buffer.concat(Array.from({ length: 100_000 }, () => frame(STDOUT, 'x\n')));
	assert.equal(demultiplex(many).length, 200_000);
});

/** Of a line without an end, in frames as large as the engine sends them. */
const endless = (megabytes: number) => Array.from({ length: megabytes * 64 }, () => frame(STDOUT, 'x'.repeat(16_384)));

/** How many bytes were copied to join pieces. */
async function bytesJoined(work: () => Promise<unknown>) {
	const { concat } = Buffer;
	let bytes = 0;
	const joined = mock.method(Buffer, 'concat', (list: Buffer[], length: number | undefined) => {
		const all = concat(list, length);
		bytes += all.length;
		return all;
	});
	try {
		await work();
	} finally {
		joined.mock.restore();
	}
	return bytes;
}

test('a line without an end costs time in proportion to its length, and is cut where it is said to be', async () => {
	const pieces = endless(16);
	let kept: Awaited<ReturnType<typeof keep>> | undefined;
	const bytes = await bytesJoined(async () => {
		kept = await keep([frame(STDOUT, '1Z '), ...pieces, frame(STDOUT, 'x\n2Z next\n')], { mostBytes: 200e6 });
	});
	assert.ok(bytes < 1e6, `${bytes} bytes were copied`);
	const [line, next] = kept?.text.split('\n') ?? [];
	assert.match(line, /^1Z x{60000,66000} \(The rest of the line is not on record: it is longer than 65,536 bytes\.\)$/);
	assert.equal(next, '2Z next');
});

test('what a container wrote in one piece, or without an end of a line, counts as what it wrote in lines', async () => {
	const { text, cuts } = await keep(endless(2), { mostBytes: 1e6 });
	assert.equal(cuts, 1);
	assert.match(text, /\(The log is longer than 1,000,000 bytes; the rest of it is not on record\.\)\n$/);
	const { cuts: ofTerminal } = await keep([Buffer.alloc(2e6, 'x')], { isFramed: false, mostBytes: 1e6 });
	assert.equal(ofTerminal, 1);
});

test('a frame in many pieces is not copied for each of them', async () => {
	const bytes = await bytesJoined(() => keep(inPieces(frame(STDOUT, '1Z line\n'.repeat(500_000)), 1000), { mostBytes: 1e9 }));
	assert.ok(bytes < 8e6, `${bytes} bytes were copied`);
});

const SECRET = 'Zug3-spitze&Wald';

test('a secret is found across frames, pieces and lines, before the adapter cuts or changes a line', async () => {
	secrets.learn([SECRET]);
	const [one, other] = [SECRET.slice(0, 7), SECRET.slice(7)];
	const log = [
		frame(STDOUT, `1Z whole ${SECRET}\n2Z be${one}`),
		frame(STDERR, `3Z error ${one}\n`),
		frame(STDOUT, `${other}gun\n4Z broken ${one}\n`),
		frame(STDERR, `5Z ${other} of the error\n`),
		frame(STDOUT, `6Z ${other} of it\n7Z ${encodeURIComponent(SECRET)} ${Buffer.from(`me:${SECRET}`).toString('base64')}\n`),
	];
	const seen: string[] = [];
	const redact = (line: string) => {
		seen.push(line);
		return line.slice(0, 20);
	};
	for (const bytes of [1, 5, 1000]) {
		const { text } = await keep(inPieces(Buffer.concat(log), bytes), { redact });
		assert.doesNotMatch([text, ...seen].join('\n'), /Zug3|spitze|Wald/);
		assert.equal(text.split('\n').length, 8);
		assert.match(text, /^1Z whole \*secret\*\n/);
	}
});

test('a line that the engine cut into parts, each with its time, is one', async () => {
	secrets.learn([SECRET]);
	const stamp = '2026-11-29T14:00:00.123456789Z ';
	const log = [frame(STDOUT, `${stamp}${'x'.repeat(20)}${SECRET.slice(0, 9)}`), frame(STDOUT, `${stamp}${SECRET.slice(9)} and on\n`)];
	assert.equal((await keep(log)).text, `${stamp}${'x'.repeat(20)}*secret* and on\n`);
	// However short its parts are, none is lost.
	const short = `${stamp}in parts\n`.match(/.{1,11}|\n/gs)?.map((part) => frame(STDOUT, part)) ?? [];
	assert.equal((await keep(short)).text, `${stamp}in parts\n`);
});

test('a secret is found in a log of many pieces, wherever it is broken, and lines stay in their order', async () => {
	secrets.learn([SECRET]);
	const lines = Array.from({ length: 20_000 }, (_, index) =>
		index % 50 === 0 ? `${index}Z it is ${SECRET.slice(0, 8)}` : index % 50 === 1 ? `${index}Z ${SECRET.slice(8)}` : `${index}Z a line`,
	);
	const pieces = lines.map((line) => frame(STDOUT, `${line}\n`));
	const { text } = await keep(pieces);
	assert.doesNotMatch(text, /Zug3|Wald/);
	const numbers = [...text.matchAll(/^(\d+)Z/gm)].map(([, number]) => Number(number));
	assert.equal(numbers.length, pieces.length);
	assert.deepEqual(
		numbers,
		numbers.toSorted((a, b) => a - b),
	);
});

test('of a log that breaks off all is kept that came', async () => {
	async function* broken() {
		yield LOG;
		throw new Error('the engine is gone');
	}
	let text = '';
	await assert.rejects(async () => {
		for await (const part of keptLog(broken(), { isFramed: true, redact: (line) => line, mostBytes: 1e6, onCut() {} })) text += part;
	}, /the engine is gone/);
	assert.equal(text, '1Z one é\n2Z two\n3Z three\n4Z four\n');
});
