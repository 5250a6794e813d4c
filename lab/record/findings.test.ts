import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { NotReadyError } from '../base/errors.ts';
import { EXCERPT_FILE } from '../base/paths.ts';
import { isExcerpt, readExcerpt, readRecord, writeExcerpt } from './excerpt-file.ts';

const RECORDS = { 'manifest.json': { id: 'x', list: [1, null] }, 'runs/1/manifest.json': { text: 'ä <b>' } };

async function emptyFolder(context: TestContext) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-excerpt-'));
	context.after(() => rm(folder, { recursive: true }));
	return folder;
}

test('what is packed reads back, as a whole and record by record', async (context) => {
	const folder = await emptyFolder(context);
	assert.equal(isExcerpt(folder), false);
	await writeExcerpt(folder, RECORDS);
	assert.equal(isExcerpt(folder), true);
	assert.deepEqual(await readExcerpt(folder), RECORDS);
	assert.deepEqual(await readRecord(folder, 'runs/1/manifest.json'), RECORDS['runs/1/manifest.json']);
	assert.equal(await readRecord(folder, 'runs/2/result.json'), null);
});

test('what an earlier version packed reads as well', async (context) => {
	const folder = await emptyFolder(context);
	await writeFile(join(folder, EXCERPT_FILE), brotliCompressSync(JSON.stringify(RECORDS)));
	assert.deepEqual(await readExcerpt(folder), RECORDS);
});

test('records that are alike take little more than one of them', async (context) => {
	const folder = await emptyFolder(context);
	const record = Array.from({ length: 2000 }, (_, index) => ({ t_s: index, latency_ms: (index * 7919) % 1000 }));
	const sizeOf = async (copies: number) => {
		await writeExcerpt(folder, Object.fromEntries(Array.from({ length: copies }, (_, index) => [`runs/${index}/result.json`, record])));
		return (await readFile(join(folder, EXCERPT_FILE))).length;
	};
	const one = await sizeOf(1);
	assert.ok((await sizeOf(8)) < one * 1.1);
});

test('of an experiment that is no excerpt the file itself is read', async (context) => {
	const folder = await emptyFolder(context);
	await writeFile(join(folder, 'manifest.json'), '{"id":"plain"}');
	assert.deepEqual(await readRecord(folder, 'manifest.json'), { id: 'plain' });
	assert.equal(await readRecord(folder, 'experiment.json'), null);
	assert.deepEqual(await readExcerpt(folder), {});
});

test('an excerpt goes before a file that was unpacked from an earlier one', async (context) => {
	const folder = await emptyFolder(context);
	await writeFile(join(folder, 'manifest.json'), '{"id":"earlier"}');
	await writeExcerpt(folder, RECORDS);
	assert.equal((await readRecord(folder, 'manifest.json')).id, 'x');
});

test('an excerpt that is cut is refused by its name', async (context) => {
	const folder = await emptyFolder(context);
	await writeExcerpt(folder, RECORDS);
	const path = join(folder, EXCERPT_FILE);
	await writeFile(path, (await readFile(path)).subarray(0, 20));
	await assert.rejects(readExcerpt(folder), (error) => error instanceof NotReadyError && error.message.includes(`${path}: expected`));
});

test('what was measured is kept to six digits, a time to its milliseconds, and what was planned as it is', async (context) => {
	const folder = await emptyFolder(context);
	const value = { share: 0.123456789, rate: 1234.56789, at: 1796078245.12345, count: 123456789 };
	await writeExcerpt(folder, { 'manifest.json': value, 'notes.json': value });
	const { 'manifest.json': planned, 'notes.json': measured } = await readExcerpt(folder);
	assert.deepEqual(planned, value);
	assert.deepEqual(measured, { share: 0.123457, rate: 1234.568, at: 1796078245.123, count: 123456789 });
});
