import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FileTail } from './tail.ts';

let folder = '';
before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
});
after(() => rm(folder, { recursive: true }));

test('a file that is not there yet has nothing to read', async () => {
	assert.equal(await new FileTail(join(folder, 'absent')).read(), '');
});

test('each read gives what was appended since the last one', async () => {
	const path = join(folder, 'growing');
	const tail = new FileTail(path);
	await appendFile(path, 'one\ntw');
	assert.equal(await tail.read(), 'one\ntw');
	assert.equal(await tail.read(), '');
	await appendFile(path, 'o\n');
	assert.equal(await tail.read(), 'o\n');
});
