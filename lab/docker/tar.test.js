import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { firstEntry, folderArchive } from './ask-container.js';

/** Of a link: longer than a header has room for. */
const LONG = `conf.d/${'long-'.repeat(30)}real.cfg`;
const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-test-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'haproxy.cfg'), 'global\n'.repeat(200));
writeFileSync(join(folder, 'empty'), '');
symlinkSync('conf.d/real.cfg', join(folder, 'link'));
symlinkSync(LONG, join(folder, 'long'));
mkdirSync(join(folder, 'conf.d'));

/** @type {(name: string, format?: string) => Buffer} */
const archiveOf = (name, format = 'ustar') => execFileSync('tar', [`--format=${format}`, '-C', folder, '-cf', '-', name]);

test('a file’s content is read to its end, whatever records stand before it', async () => {
  for (const format of ['ustar', 'gnu', 'pax']) {
    const entry = await firstEntry(archiveOf('haproxy.cfg', format));
    assert.ok(entry && 'content' in entry, format);
    assert.equal(entry.content.toString(), 'global\n'.repeat(200), format);
  }
  assert.deepEqual(await firstEntry(archiveOf('empty')), { content: Buffer.alloc(0) });
});

test('a symbolic link says where it points, and a folder is no file', async () => {
  assert.deepEqual(await firstEntry(archiveOf('link')), { link: 'conf.d/real.cfg' });
  for (const format of ['gnu', 'pax']) assert.deepEqual(await firstEntry(archiveOf('long', format)), { link: LONG }, format);
  assert.equal(await firstEntry(archiveOf('conf.d')), null);
});

test('an archive of nothing has no entry, and one that is cut off is none', async () => {
  assert.equal(await firstEntry(Buffer.alloc(0)), null);
  assert.equal(await firstEntry(Buffer.alloc(1024)), null);
  await assert.rejects(firstEntry(Buffer.alloc(100)), /end of data/);
  await assert.rejects(firstEntry(archiveOf('haproxy.cfg').subarray(0, 1000)), /end of data/);
  await assert.rejects(firstEntry(Buffer.alloc(2048, 'no archive')), /Invalid tar header/);
});

test('an archive of one empty folder is what other programs read', async () => {
  const archive = await buffer(folderArchive({ name: 'data', mode: 0o2750, uid: 999, gid: 70 }));
  const listed = execFileSync('tar', ['--numeric-owner', '-tvf', '-'], { input: archive }).toString();
  assert.match(listed, /^drwxr-s--- 999\/70 +0 .* data\/\n$/);
});
