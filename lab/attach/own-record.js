/**
 * The places of a run's record into which a user's services and the lab write, and what the generator reads there.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAW } from '../define/paths.js';
import { makeRunFolder } from '../measure/run-folder.js';

/** A service runs as whatever user its image says. */
const OPEN_TO_ALL = 0o777;

/**
 * @param {import('../measure/run-folder.js').RunFolder} run
 * @param {object} given
 * @param {string[]} given.services  each gets a folder of its own
 * @param {string[]} given.folders   besides, into which services write
 * @param {import('../../k6/lib/request-list.js').ListedRequest[]} given.requests  of the load
 * @param {import('./configurations.js').Copy[]} given.copies  each for the folder of its service
 */
export async function makeOwnRecord(run, { services, folders, requests, copies }) {
  await makeRunFolder(run);
  for (const folder of [...services.map((service) => join(run.rawFolder, service)), ...folders]) {
    await mkdir(folder, { recursive: true });
    // Whatever the umask of the lab is.
    await chmod(folder, OPEN_TO_ALL);
  }
  await writeFile(join(run.rawFolder, RAW.requests), JSON.stringify(requests));
  for (const { service, name, text } of copies) await writeFile(join(run.rawFolder, service, name), text);
}
