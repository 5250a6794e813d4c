/**
 * One run at a time on a machine: two at once would measure each other.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { NotReadyError } from '../define/errors.js';

/** In the machine's scratch folder, not in the checkout: two checkouts share the machine. */
const LOCK = join(os.tmpdir(), 'doubletake.lock');
const ATTEMPTS = 2;

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @returns {() => void} gives the lock back
 * @throws {NotReadyError} when another run holds it
 */
export function takeLock() {
  mkdirSync(os.tmpdir(), { recursive: true });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return () => rmSync(LOCK, { force: true });
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    const holder = Number(readFileSync(LOCK, 'utf8'));
    if (holder > 0 && isAlive(holder)) {
      throw new NotReadyError(
        `Another run of the lab is going on (process ${holder}).`,
        'wait until it ends, or stop it with Ctrl-C there.',
      );
    }
    rmSync(LOCK, { force: true });
  }
  throw new NotReadyError(`The lock ${LOCK} could not be taken.`, 'remove that file if no run is going on.');
}
