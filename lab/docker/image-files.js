/**
 * The files of a folder that an image is made of: one hash of all of them, and a copy of them.
 */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const HASH_LENGTH = 10;
/** What is installed, and what only tests read. The folder itself may lie in any other, such as node_modules. */
const LEFT_OUT = /(^|\/)(node_modules|fixtures)\/|\.test\.js$/;

/** @param {string} folder @returns {Promise<string[]>} their paths below it, sorted */
async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !LEFT_OUT.test(file))
    .sort();
}

/**
 * @param {string} folder
 * @param {string} [seed]
 * @returns {Promise<string>} the same for the same files, wherever the folder is
 */
export async function hashOf(folder, seed = '') {
  const hash = createHash('sha256').update(seed);
  for (const file of await filesIn(folder)) hash.update(`/${file}`).update(await readFile(join(folder, file)));
  return hash.digest('hex').slice(0, HASH_LENGTH);
}

/**
 * @param {string} folder
 * @param {string} into
 */
export async function copyFiles(folder, into) {
  for (const file of await filesIn(folder)) {
    await mkdir(dirname(join(into, file)), { recursive: true });
    await copyFile(join(folder, file), join(into, file));
  }
}
