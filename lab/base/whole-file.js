/**
 * Writes a file as a whole or not at all: what reads it may come when the lab was interrupted, or the disk was full.
 */
import { rename, rm } from 'node:fs/promises';
import { writePrivate } from './private-file.js';

/**
 * @param {string} path  what is there stays as it is until the new one is whole
 * @param {string | Uint8Array} text
 */
export async function writeWhole(path, text) {
  const draft = `${path}.new`;
  try {
    await writePrivate(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
