import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { compress } from './compress.js';

/** @param {(folder: string) => Promise<void>} check */
async function inFolder(check) {
  const folder = await mkdtemp(join(os.tmpdir(), 'compress-'));
  try {
    await check(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a file is packed in its place', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'a.log'), 'one\n'.repeat(1000));
    await compress(join(folder, 'a.log'));
    assert.deepEqual(await readdir(folder), ['a.log.gz']);
    assert.equal(gunzipSync(await readFile(join(folder, 'a.log.gz'))).toString(), 'one\n'.repeat(1000));
  }));

test('a file that is not there leaves nothing', () =>
  inFolder(async (folder) => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => compress(join(folder, `${index}.log`))));
    assert.deepEqual(await readdir(folder), []);
  }));

test('what cannot be packed stays as it was', () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, 'a.log'));
    await assert.rejects(compress(join(folder, 'a.log')), /a\.log: expected a file of the record; found what is no file/);
    assert.deepEqual(await readdir(folder), ['a.log']);
  }));

test('no link is followed, neither from what is packed nor to where it is', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'victim'), 'theirs');
    await symlink(join(folder, 'victim'), join(folder, 'a.log'));
    await assert.rejects(compress(join(folder, 'a.log')), /a\.log: .* found a link/);
    await writeFile(join(folder, 'b.log'), 'ours');
    await symlink(join(folder, 'victim'), join(folder, 'b.log.gz.part'));
    await assert.rejects(compress(join(folder, 'b.log')));
    assert.equal(await readFile(join(folder, 'victim'), 'utf8'), 'theirs');
  }));
