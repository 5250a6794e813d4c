import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { TooLargeError, tarFilter } from './ask-container.js';

const LONG = `${'long-'.repeat(30)}name`;

/** @param {string} format */
function archiveOf(format) {
  const folder = mkdtempSync(join(os.tmpdir(), 'tar-filter-'));
  try {
    mkdirSync(join(folder, 'data/reports/shop'), { recursive: true });
    mkdirSync(join(folder, 'data/src'));
    writeFileSync(join(folder, 'data/src/a b.js'), 'x'.repeat(700));
    writeFileSync(join(folder, `data/src/${LONG}`), 'long');
    writeFileSync(join(folder, `data/reports/shop/${LONG}`), 'report');
    return execFileSync('tar', ['--format', format, '--sort=name', '-C', folder, '-cf', '-', 'data']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @type {(archive: Buffer, chunkBytes: number, isWanted: (name: string) => boolean, mostBytes?: number) => Promise<Buffer>} */
async function filtered(archive, chunkBytes, isWanted, mostBytes = 1e6) {
  const chunks = Array.from({ length: Math.ceil(archive.length / chunkBytes) }, (_, index) =>
    archive.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  const filter = tarFilter({ isWanted, mostBytes });
  const [, passed] = await Promise.all([pipeline(Readable.from(chunks), filter), buffer(filter)]);
  return passed;
}

const listed = (/** @type {Buffer} */ archive) => execFileSync('tar', ['-tf', '-'], { input: archive }).toString().trim().split('\n');

for (const format of ['gnu', 'pax'])
  for (const chunkBytes of [100, 512, 65_536])
    test(`what is not wanted is left out, with what belongs to it, and the rest is as it was: ${format}, ${chunkBytes}`, async () => {
      const passed = await filtered(archiveOf(format), chunkBytes, (name) => !name.startsWith('data/reports/'));
      assert.deepEqual(listed(passed).toSorted(), ['data/', 'data/src/', 'data/src/a b.js', `data/src/${LONG}`].toSorted());
      const text = execFileSync('tar', ['-xOf', '-', `data/src/${LONG}`], { input: passed }).toString();
      assert.equal(text, 'long');
    });

test('more than may pass is an error of its own', async () => {
  await assert.rejects(
    filtered(archiveOf('gnu'), 512, () => true, 2000),
    TooLargeError,
  );
});
