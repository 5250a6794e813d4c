import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Seen } from './rotated-log.ts';
import { counted, whyRotated } from './rotated-log.ts';

const SINCE = Date.parse('2026-11-21T20:00:00Z') / 1000;
/** as the engine frames them */
const framed: (lines: string[]) => Buffer = (lines) =>
	Buffer.concat(
		lines.map((line) => {
			const head = Buffer.alloc(8);
			head[0] = 1;
			head.writeUInt32BE(Buffer.byteLength(line), 4);
			return Buffer.concat([head, Buffer.from(line)]);
		}),
	);

async function seenOf(pieces: Buffer[]): Promise<Seen> {
	const seen = { bytes: 0, firstS: null };
	const passed = [];
	for await (const piece of counted(pieces as any, seen)) passed.push(piece);
	assert.deepEqual(Buffer.concat(passed), Buffer.concat(pieces));
	return seen;
}

test('the first line’s time is read of whatever pieces it comes in, and nothing of the log is changed', async () => {
	const log = framed(['2026-11-21T19:59:59.250000001Z up\n', '2026-11-21T20:00:09Z GET /\n']);
	for (const at of [0, 3, 9, 20, 40]) {
		const { firstS, bytes } = await seenOf([log.subarray(0, at), log.subarray(at)]);
		assert.deepEqual([firstS, bytes], [SINCE - 0.75, log.length], String(at));
	}
	assert.deepEqual(await seenOf([]), { bytes: 0, firstS: null });
});

const json = (config: Record<string, string>) => ({ Type: 'json-file', Config: config });
const MB = 1024 ** 2;

test('a log with a line of before the load has all of it, and so has one without a limit', () => {
	const limited = json({ 'max-size': '1m' });
	assert.equal(whyRotated({ bytes: 9e5, firstS: SINCE - 1 }, { logging: limited, sinceS: SINCE }), null);
	assert.equal(whyRotated({ bytes: 9e9, firstS: SINCE + 1 }, { logging: json({}), sinceS: SINCE }), null);
	assert.equal(whyRotated({ bytes: 9e9, firstS: SINCE + 1 }, { logging: undefined, sinceS: SINCE }), null);
	assert.equal(whyRotated({ bytes: 0, firstS: null }, { logging: limited, sinceS: SINCE }), null);
});

test('a log that begins in the load may lack lines where its files may have been full', () => {
	const late = (bytes: number, logging: any) => whyRotated({ bytes, firstS: SINCE + 5 }, { logging, sinceS: SINCE });
	assert.match(String(late(1000, json({ 'max-size': '1m' }))), /^may lack lines of the load: the engine keeps one file of 1m of it/);
	assert.equal(late(0.1 * MB, json({ 'max-size': '1m', 'max-file': '3' })), null);
	assert.match(String(late(2.5 * MB, json({ 'max-size': '1m', 'max-file': '3' }))), /3 files of 1m/);
	assert.match(String(late(60 * MB, { Type: 'local', Config: {} })), /5 files of 20m/);
	assert.equal(late(MB, { Type: 'local', Config: {} }), null);
});
