import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RecordFile } from './record-file.ts';

let folder = '';
before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
});
after(() => rm(folder, { recursive: true }));

test('each line is written as JSON', async () => {
	const file = new RecordFile(join(folder, 'host.ndjson'));
	for (const t of [1, 2]) file.write({ t });
	await file.close();
	assert.equal(await readFile(join(folder, 'host.ndjson'), 'utf8'), '{"t":1}\n{"t":2}\n');
});

test('a link that lies where a record is to be is not followed, and the run says that it could not be written', async () => {
	await writeFile(join(folder, 'victim'), 'theirs');
	await symlink(join(folder, 'victim'), join(folder, 'samples.ndjson'));
	const file = new RecordFile(join(folder, 'samples.ndjson'));
	file.write({ t: 1 });
	await assert.rejects(file.close(), /able to write to .*samples\.ndjson/);
	assert.equal(await readFile(join(folder, 'victim'), 'utf8'), 'theirs');
});
