/**
 * The places of a run's record into which a user's services and the lab write, and what the generator reads, which is none of the record:
 * bodies and queries are the user's.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivate } from '../base/private-file.js';
import { makeRunFolder } from '../docker/run-folder.js';
import { makeGeneratorFolders } from './generators.js';

/**
 * A service runs as whatever user its image says, and opens its files by their names. Nobody but that service comes there: the folders
 * around it are the lab's alone.
 */
const OPEN_TO_WRITERS = 0o733;
export const REQUESTS_NAME = 'requests.json';
/** The generator's user is another. */
const READABLE = 0o644;

/**
 * @param {import('../docker/run-folder.js').RunFolder} run
 * @param {object} given
 * @param {string[]} given.services  each gets a folder of its own, which the lab alone writes into
 * @param {number} given.generators  that make the load together
 * @param {string[]} given.folders   into which services write
 */
export async function makeOwnRecord(run, { services, generators, folders }) {
  await makeRunFolder(run);
  if (generators > 1) await makeGeneratorFolders(generators, run.writtenFolder);
  for (const service of services) await mkdir(join(run.rawFolder, service), { mode: 0o700 });
  for (const folder of folders) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Whatever the umask of the lab is.
    await chmod(folder, OPEN_TO_WRITERS);
  }
}

/**
 * @param {string} folder  apart from the record
 * @param {import('../../k6/lib/request-list.js').ListedRequest[]} requests  of the load
 */
export async function writeRequests(folder, requests) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const listed = join(folder, REQUESTS_NAME);
  await writePrivate(listed, JSON.stringify(requests));
  await chmod(listed, READABLE);
}
