import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { firstEntry, folderArchive } from './tar.js';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-test-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'haproxy.cfg'), 'global\n'.repeat(200));
writeFileSync(join(folder, 'empty'), '');
symlinkSync('conf.d/real.cfg', join(folder, 'link'));
mkdirSync(join(folder, 'conf.d'));

/** @type {(name: string, format?: string) => Buffer} */
const archiveOf = (name, format = 'ustar') => execFileSync('tar', [`--format=${format}`, '-C', folder, '-cf', '-', name]);

test('a file’s content is read to its end, whatever records stand before it', () => {
  for (const format of ['ustar', 'gnu', 'pax']) {
    const entry = firstEntry(archiveOf('haproxy.cfg', format));
    assert.ok(entry && 'content' in entry, format);
    assert.equal(entry.content.toString(), 'global\n'.repeat(200), format);
  }
  assert.deepEqual(firstEntry(archiveOf('empty')), { content: Buffer.alloc(0) });
});

test('a symbolic link says where it points, and a folder is no file', () => {
  assert.deepEqual(firstEntry(archiveOf('link')), { link: 'conf.d/real.cfg' });
  assert.equal(firstEntry(archiveOf('conf.d')), null);
});

test('an archive of nothing has no entry', () => {
  assert.equal(firstEntry(Buffer.alloc(0)), null);
  assert.equal(firstEntry(Buffer.alloc(100)), null);
});

test('an archive of one empty folder is what other programs read', () => {
  const archive = folderArchive({ name: 'data', mode: 0o2750, uid: 999, gid: 70 });
  const listed = execFileSync('tar', ['--numeric-owner', '-tvf', '-'], { input: archive }).toString();
  assert.match(listed, /^drwxr-s--- 999\/70 +0 .* data\/\n$/);
});
