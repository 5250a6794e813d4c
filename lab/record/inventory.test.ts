import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { NotReadyError } from '../base/errors.ts';
import { damageIn, inventoryOf, inventoryOfTexts, isSealWhole, withSeal } from './inventory.ts';

const LOG = '{"t":1}\n{"t":2}\n{"t":3}\n';

/** @param use of a record with a log and a packed one */
async function withRecord(use: (folder: string) => Promise<void>) {
	const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-inventory-'));
	try {
		mkdirSync(join(folder, 'lb'));
		writeFileSync(join(folder, 'lb', 'log.txt'), LOG);
		writeFileSync(join(folder, 'wire.ndjson.gz'), gzipSync(LOG));
		await use(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test('each file has its size, its lines and a digest of what is in it, packed or not', () =>
	withRecord(async (folder) => {
		const all = await inventoryOf(folder);
		assert.deepEqual(
			all.map(({ path, bytes, lines }) => [path, bytes, lines]),
			[
				['lb/log.txt', LOG.length, 3],
				['wire.ndjson.gz', LOG.length, 3],
			],
		);
		assert.equal(all[0].digest, all[1].digest);
		assert.deepEqual(inventoryOfTexts({ 'lb/log.txt': LOG, 'wire.ndjson.gz': LOG }), all);
		assert.deepEqual([...(await damageIn(folder, all))], []);
	}));

test('a file that was packed or unpacked since is as it was', () =>
	withRecord(async (folder) => {
		const all = await inventoryOf(folder);
		writeFileSync(join(folder, 'lb', 'log.txt.gz'), gzipSync(LOG));
		rmSync(join(folder, 'lb', 'log.txt'));
		writeFileSync(join(folder, 'wire.ndjson'), LOG);
		rmSync(join(folder, 'wire.ndjson.gz'));
		assert.deepEqual([...(await damageIn(folder, all))], []);
	}));

test('what is wrong with a file is told by its name', () =>
	withRecord(async (folder) => {
		const all = await inventoryOf(folder);
		const file = join(folder, 'lb', 'log.txt');
		const packed = readFileSync(join(folder, 'wire.ndjson.gz'));
		const problemWith = async (text: string | null) => {
			if (text === null) rmSync(file);
			else writeFileSync(file, text);
			return (await damageIn(folder, all)).get('lb/log.txt')?.problem;
		};
		assert.equal(await problemWith(''), 'is empty, and had 3 lines');
		assert.equal(await problemWith('{"t":1}\n'), 'has 1 of its 3 lines');
		assert.equal(await problemWith(LOG.replace('2', '7')), 'is not as the run left it');
		assert.equal(await problemWith(`${LOG}{"t":4}\n`), 'is larger than the run left it');
		assert.equal(await problemWith(null), 'is missing');
		writeFileSync(join(folder, 'wire.ndjson.gz'), packed.subarray(0, 15));
		assert.deepEqual((await damageIn(folder, all)).get('wire.ndjson'), {
			path: 'wire.ndjson.gz',
			problem: 'cannot be unpacked to its end (unexpected end of file)',
		});
	}));

test('of a file that is larger than the run left it no more is read than tells so', { timeout: 10_000 }, () =>
	withRecord(async (folder) => {
		const all = await inventoryOf(folder);
		truncateSync(join(folder, 'lb', 'log.txt'), 1e12);
		writeFileSync(join(folder, 'wire.ndjson.gz'), gzipSync(Buffer.alloc(1e8)));
		const problems = [...(await damageIn(folder, all)).values()].map(({ problem }) => problem);
		assert.deepEqual(problems, ['is larger than the run left it', 'is larger than the run left it']);
	}),
);

test('a link in the place of a file is not followed', () =>
	withRecord(async (folder) => {
		const all = await inventoryOf(folder);
		rmSync(join(folder, 'lb', 'log.txt'));
		symlinkSync('/etc/hostname', join(folder, 'lb', 'log.txt'));
		await assert.rejects(damageIn(folder, all), NotReadyError);
		assert.deepEqual(
			(await inventoryOf(folder)).map(({ path }) => path),
			['wire.ndjson.gz'],
		);
	}));

test('the seal of a manifest is of all that is in it, however it is written, and one of before has none', () => {
	const manifest = withSeal({ run: 'a/1', services: [{ name: 'web', quota: null, left: undefined }], load_began_s: 1.5 });
	const read = JSON.parse(JSON.stringify(manifest, null, 2));
	assert.ok(isSealWhole(read));
	assert.ok(!isSealWhole({ ...read, run: 'a/2' }));
	const { run: _, ...less } = read;
	assert.ok(!isSealWhole(less));
	assert.ok(isSealWhole({ run: 'a/1' } as any));
});
