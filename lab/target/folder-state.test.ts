import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lookWith } from './dockerfile.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-test-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'code/sub'), { recursive: true });
writeFileSync(join(folder, 'code/a.js'), 'x'.repeat(1000));
writeFileSync(join(folder, 'code/sub/b.js'), 'x'.repeat(500));
symlinkSync('/', join(folder, 'code/all'));
mkdirSync(join(folder, 'pg'));
writeFileSync(join(folder, 'pg/PG_VERSION'), '15\n');

test('a folder is measured with what lies below it, and links are not followed', () => {
	const { sizeOf, kindOf } = lookWith();
	const bytes = sizeOf(join(folder, 'code'), 1e6);
	assert.ok(bytes > 1500 && bytes < 20_000, String(bytes));
	assert.equal(sizeOf(join(folder, 'code'), 100), Number.POSITIVE_INFINITY);
	assert.deepEqual(
		['code', 'code/a.js', 'none'].map((name) => kindOf(join(folder, name))),
		['folder', 'file', null],
	);
});

test('a database’s folder is known, and open where a container or a file says so', () => {
	const at = join(folder, 'pg');
	assert.equal(lookWith().isStore(join(folder, 'code')), false);
	assert.deepEqual([lookWith().isStore(at), lookWith().openBy(at)], [true, null]);
	for (const source of [at, folder, join(at, 'base')])
		assert.equal(lookWith({ mounted: [{ container: 'shop-db-1', source }] }).openBy(at), 'shop-db-1 has it open');
	assert.equal(lookWith({ mounted: [{ container: 'other', source: `${at}-2` }] }).openBy(at), null);
	writeFileSync(join(at, 'postmaster.pid'), '1\n');
	assert.equal(lookWith().openBy(at), 'postmaster.pid in it says that it is open');
});

test('a file that nobody has locked is at rest, whoever has it mounted', () => {
	const source = join(folder, 'code/a.js');
	assert.equal(lookWith({ mounted: [{ container: 'shop-db-1', source }] }).openBy(source), null);
});
