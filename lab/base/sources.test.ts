import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { copyFiles, hashOf } from './sources.ts';

const scratch = await mkdtemp(join(os.tmpdir(), 'doubletake-sources-'));
after(() => rm(scratch, { recursive: true }));

/** the folder */
async function folderOf(name: string, files: Record<string, string>): Promise<string> {
	const folder = join(scratch, name);
	for (const [file, text] of Object.entries(files)) {
		await mkdir(dirname(join(folder, file)), { recursive: true });
		await writeFile(join(folder, file), text);
	}
	return folder;
}

const APP = { 'package.json': '{}', 'lib/one.js': 'one', '.dockerignore': 'x' };
const BESIDE = { 'node_modules/a/index.js': 'a', 'lib/fixtures/b.js': 'b', 'lib/one.test.js': 'c' };

test('what is installed and what only tests read changes nothing about the hash', async () => {
	assert.equal(await hashOf(await folderOf('bare', APP)), await hashOf(await folderOf('full', { ...APP, ...BESIDE })));
});

test('an installed package has the hash of its checkout', async () => {
	assert.equal(await hashOf(await folderOf('checkout', APP)), await hashOf(await folderOf('node_modules/lab/app', APP)));
});

test('another file, another name or another seed is another hash', async () => {
	const changed: Record<string, string>[] = [
		APP,
		{ ...APP, 'lib/one.js': 'two' },
		{ ...APP, 'lib/two.js': '' },
		{ 'package.json': '{}', 'lib/2.js': 'one' },
	];
	const hashes = await Promise.all(changed.map(async (files, index) => hashOf(await folderOf(`changed-${index}`, files))));
	hashes.push(await hashOf(join(scratch, 'changed-0'), 'node:24'));
	assert.equal(new Set(hashes).size, hashes.length);
	assert.match(hashes[0], /^[0-9a-f]{10}$/);
});

test('the copy has what the hash is made of, and nothing else', async () => {
	const into = await mkdtemp(join(scratch, 'copy-'));
	const folder = await folderOf('copied', { ...APP, ...BESIDE });
	await copyFiles(folder, into);
	const copied = await readdir(into, { recursive: true });
	assert.deepEqual(copied.sort(), ['.dockerignore', 'lib', 'lib/one.js', 'package.json']);
	assert.equal(await hashOf(into), await hashOf(folder));
});
