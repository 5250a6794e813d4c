import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { NotReadyError } from './errors.js';
import { READ_MOST_BYTES, readPacked, readPrivate, writeFileAtomic, writePrivate } from './files.js';

const scratch = mkdtempSync(join(os.tmpdir(), 'doubletake-private-'));
after(() => rmSync(scratch, { recursive: true }));

/** A file elsewhere, and a link to it where the record is. */
const victim = join(scratch, 'victim');
const path = join(scratch, 'log.txt');
beforeEach(() => {
  for (const each of [path, `${path}.new`]) rmSync(each, { force: true, recursive: true });
  writeFileSync(victim, 'theirs');
});

test('no link is followed when the record is written, nor where the draft of a file is', async () => {
  symlinkSync(victim, path);
  await assert.rejects(
    writePrivate(path, 'ours'),
    (error) => error instanceof NotReadyError && /log\.txt: expected .* found a link/.test(error.message),
  );
  symlinkSync(victim, `${path}.new`);
  await assert.rejects(writeFileAtomic(path, 'ours'), NotReadyError);
  assert.equal(readFileSync(victim, 'utf8'), 'theirs');
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

/** A disk that is full, where the system has one. */
const FULL = '/dev/full';

test('what did not fit on the disk is told with its place', { skip: !existsSync(FULL) }, async () => {
  await assert.rejects(writePrivate(FULL, 'text'), { code: 'ENOSPC', path: FULL });
});

test('a packed file is unpacked', async () => {
  writeFileSync(path, gzipSync('many lines'));
  assert.equal(String(await readPacked(path)), 'many lines');
  assert.equal(await readPacked(join(scratch, 'absent')), null);
});
