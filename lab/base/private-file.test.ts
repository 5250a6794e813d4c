import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	closeSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { after, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { NotReadyError, toUserError } from './errors.ts';
import { makePrivate, streamTo } from './files.ts';
import { READ_MOST_BYTES, readPacked, readPrivate, writePrivate } from './private-file.ts';
import { secrets } from './secrets.ts';
import { rewriteFile, writeFileAtomic } from './whole-file.ts';

const scratch = mkdtempSync(join(os.tmpdir(), 'doubletake-private-'));
after(() => rmSync(scratch, { recursive: true }));

/** A file elsewhere, and a link to it where the record is. */
const victim = join(scratch, 'victim');
const path = join(scratch, 'log.txt');
beforeEach(() => {
	rmSync(path, { force: true, recursive: true });
	writeFileSync(victim, 'theirs');
});

test('no link is followed when the record is written', async () => {
	symlinkSync(victim, path);
	await assert.rejects(
		writePrivate(path, 'ours'),
		(error) => error instanceof NotReadyError && /log\.txt: expected .* found a link/.test(error.message),
	);
	await writeFileAtomic(path, 'ours');
	assert.equal(readFileSync(victim, 'utf8'), 'theirs');
});

test('no folder is made where a link in the folder of reports leads out of it', async () => {
	const reports = join(scratch, 'reports');
	mkdirSync(join(reports, 'shop'), { recursive: true });
	symlinkSync('..', join(reports, 'latest'));
	symlinkSync('shop', join(reports, 'same'));
	await assert.rejects(makePrivate(join(reports, 'latest/run'), reports), /reports\/latest: .* found a link that leads elsewhere/);
	await makePrivate(join(reports, 'same/run'), reports);
	assert.deepEqual([existsSync(join(scratch, 'run')), existsSync(join(reports, 'shop/run'))], [false, true]);
});

test('a file is written again, and read as it is; one that is not there is none', async () => {
	for (const text of ['a longer one', 'short']) await writePrivate(path, text);
	assert.deepEqual([String(readPrivate(path)), readPrivate(join(scratch, 'absent'))], ['short', null]);
});

test('no link is followed when the record is read, and a pipe that nobody writes to is not waited for', () => {
	symlinkSync(victim, path);
	assert.throws(() => readPrivate(path), /expected a file of the record; found a link, which is not followed/);
	rmSync(path);
	execFileSync('mkfifo', [path]);
	assert.throws(() => readPrivate(path), /found what is no file/);
	rmSync(path);
	mkdirSync(path);
	assert.throws(() => readPrivate(path), /found what is no file/);
});

test('a file that no text can hold is refused in words, packed or not', async () => {
	writeFileSync(path, '');
	// It takes no place on the disk.
	truncateSync(path, READ_MOST_BYTES + 1);
	assert.throws(() => readPrivate(path), /log\.txt: expected at most 500 MB; found more/);
});

test('a pipe is not waited for, and what is no file is not replaced', { timeout: 10_000 }, async () => {
	execFileSync('mkfifo', [path, `${victim}.new`]);
	await writeFileAtomic(victim, 'ours');
	const [refused, none] = [(error: unknown) => toUserError(error) !== null, join(scratch, 'none', 'x')];
	for (const at of [path, scratch, none])
		for (const write of [writePrivate, writeFileAtomic]) await assert.rejects(write(at, 'ours'), refused);
	const reader = openSync(path, 'r+');
	await assert.rejects(writePrivate(path, 'ours'), refused);
	closeSync(reader);
	for (const at of [victim, join(victim, 'x')]) await assert.rejects(makePrivate(at, scratch), refused);
});

test('a packed file is unpacked', async () => {
	writeFileSync(path, gzipSync('many lines'));
	assert.equal(String(await readPacked(path)), 'many lines');
	assert.equal(await readPacked(join(scratch, 'absent')), null);
});

/** @param of a file or folder */
const modeOf = (of: string) => (statSync(of).mode & 0o777).toString(8);

test('what is written is its owner’s alone, whatever the umask is and whatever was there', async () => {
	const umask = process.umask(0);
	try {
		const folder = join(scratch, 'made', 'within');
		await makePrivate(folder);
		assert.deepEqual([modeOf(join(scratch, 'made')), modeOf(folder)], ['700', '700']);
		await writePrivate(path, 'new');
		assert.equal(modeOf(path), '600');
		for (const write of [writePrivate, writeFileAtomic]) {
			chmodSync(path, 0o644);
			await write(path, 'again');
			assert.equal(modeOf(path), '600');
		}
		const streamed = streamTo(join(folder, 'streamed'));
		streamed.end('text');
		await finished(streamed);
		assert.equal(modeOf(join(folder, 'streamed')), '600');
		// A folder of the user's own stays as it is.
		const theirs = join(scratch, 'theirs');
		mkdirSync(theirs, { mode: 0o755 });
		await makePrivate(theirs);
		assert.equal(modeOf(theirs), '755');
	} finally {
		process.umask(umask);
	}
});

test('what is known to be secret is in nothing that is written, but in what has to be exact', async () => {
	secrets.learn(['Feld&Wiese-7']);
	for (const write of [writePrivate, writeFileAtomic]) {
		await write(path, JSON.stringify({ said: 'it is Feld&Wiese-7', again: encodeURIComponent('Feld&Wiese-7') }));
		assert.deepEqual(JSON.parse(String(readPrivate(path))), { said: 'it is *secret*', again: '*secret*' });
	}
	await writePrivate(path, 'Feld&Wiese-7', { isExact: true });
	assert.equal(String(readPrivate(path)), 'Feld&Wiese-7');
});

test('a file of the user’s own keeps its mode and its text', async () => {
	writeFileSync(victim, 'before');
	chmodSync(victim, 0o640);
	await rewriteFile(victim, 'with Feld&Wiese-7');
	assert.deepEqual([readFileSync(victim, 'utf8'), modeOf(victim)], ['with Feld&Wiese-7', '640']);
});
