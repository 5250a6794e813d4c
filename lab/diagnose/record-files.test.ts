import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { inRecord } from '../base/files.ts';
import { readRecord } from '../record/excerpt-file.ts';
import { damageIn } from '../record/inventory.ts';
import { readProof } from '../record/proof.ts';
import { withFiles } from '../verify/freeze/files.ts';
import { readManifest } from './read-raw.ts';
import { RecordFiles } from './record-files.ts';

const scratch = mkdtempSync(join(os.tmpdir(), 'doubletake-record-'));
after(() => rmSync(scratch, { recursive: true }));
const run = join(scratch, 'run');
mkdirSync(join(run, 'raw'), { recursive: true });
mkdirSync(join(scratch, 'other'));
writeFileSync(join(scratch, 'other/log.txt'), 'theirs\n');
writeFileSync(join(run, 'raw/events.ndjson'), '');
symlinkSync('../../other', join(run, 'raw/led'));
const REFUSED = { name: 'NotReadyError', message: /expected a file of the record; found .*, which is not followed/ };

test('no name in a record leads out of it, nor does a link', async () => {
	const record = await RecordFiles.open(run, { files: [] });
	for (const name of ['../../other/log.txt', 'led/log.txt', 'a/../../../other/log.txt'])
		assert.throws(() => record.text(name), REFUSED, name);
	for (const path of ['../../other/log.txt', 'led/log.txt'])
		await assert.rejects(damageIn(join(run, 'raw'), [{ path, bytes: 0, lines: 0, digest: '' }]), REFUSED, path);
	symlinkSync('run/raw', join(scratch, 'raw'));
	await assert.rejects(RecordFiles.open(scratch, { files: [] }), REFUSED);
	assert.equal(record.text('events.ndjson'), '');
	assert.throws(() => inRecord(run, join(scratch, 'other/log.txt')), REFUSED);
	assert.equal(inRecord(run, 'raw/none/log.txt'), join(run, 'raw/none/log.txt'));
});

test('a frozen record is unpacked into its own folder alone', async () => {
	const name = `../${basename(scratch)}/planted`;
	await assert.rejects(
		withFiles({ [name]: 'x' }, async () => {}),
		REFUSED,
	);
	assert.equal(existsSync(join(scratch, 'planted')), false);
});

test('a manifest and a result are read where they are, and a link in their place is refused', async () => {
	writeFileSync(join(scratch, 'theirs.json'), '{"run":"theirs"}');
	for (const name of ['manifest.json', 'result.json', 'proof.json']) symlinkSync('../theirs.json', join(run, name));
	await assert.rejects(readManifest(join(run, 'manifest.json')), REFUSED);
	await assert.rejects(readRecord(run, 'result.json'), REFUSED);
	await assert.rejects(readRecord(run, '../theirs.json'), REFUSED);
	assert.throws(() => readProof(run, 'theirs'), REFUSED);
});
