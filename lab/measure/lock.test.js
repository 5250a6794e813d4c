import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { NotReadyError } from '../define/errors.js';

// A scratch folder of its own, set before the module looks: a run that is going on keeps its lock.
const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-test-'));
process.env.TMPDIR = folder;
after(() => rmSync(folder, { recursive: true }));
const { takeLock } = await import('./lock.js');
const lock = join(folder, 'doubletake.lock');
/** Above the largest process number that Linux gives. */
const NO_PROCESS = 4_194_305;

test('the lock is there while it is held, and gone when it is given back', () => {
  const release = takeLock();
  assert.ok(existsSync(lock));
  release();
  assert.ok(!existsSync(lock));
});

test('a second run is refused with the process of the first', () => {
  const release = takeLock();
  assert.throws(takeLock, (error) => error instanceof NotReadyError && error.message.includes(String(process.pid)));
  release();
});

test('the lock of a process that is gone does not stop a run', () => {
  writeFileSync(lock, String(NO_PROCESS));
  takeLock()();
  assert.ok(!existsSync(lock));
});

test('an empty lock file, left by a full disk, does not stop a run', () => {
  writeFileSync(lock, '');
  takeLock()();
});
