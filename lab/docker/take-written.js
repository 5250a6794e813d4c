/**
 * Takes what containers wrote into the record. They write into folders of their own, where a program under test can put what it likes: a
 * link to a file of this machine, a pipe, a name that the lab uses. So the lab writes nothing there, and takes only files.
 */
import { lstat, opendir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RECORD, SERVICE_RECORD } from '../base/paths.js';
import { READ_MOST_BYTES } from '../base/private-file.js';
import { placesIn } from './run-folder.js';

/** The preload of a Node service writes a few files for each process. The lab's own choice. */
const FILES_MOST = 1000;
/** What the lab itself keeps of a service, which is read packed too. */
const LABS_OWN = Object.values(SERVICE_RECORD).flatMap((name) => [name, `${name}.gz`]);

/**
 * When the containers have ended. What is left where it was is no part of the record.
 * @param {string} folder of the run
 * @returns {Promise<string[]>} a sentence for each thing that was not taken
 */
export async function takeWritten(folder) {
  const { rawFolder, writtenFolder, servicesFolder } = placesIn(folder);
  const missing = await takeInto(rawFolder, writtenFolder, null);
  for (const service of await namesIn(servicesFolder)) {
    missing.push(...(await takeInto(join(rawFolder, service), join(servicesFolder, service), service)));
  }
  await rename(join(rawFolder, RECORD.k6Report), join(folder, RECORD.k6Report)).catch(() => {});
  return missing;
}

/**
 * When no container can write there any more.
 * @param {string} folder of the run
 */
export async function removeWritten(folder) {
  const { writtenFolder, servicesFolder } = placesIn(folder);
  for (const own of [writtenFolder, servicesFolder]) await rm(own, { recursive: true, force: true });
}

/**
 * Each is moved first, and looked at where no container can change it any more. A move takes a link itself, and not what it points to.
 * @param {string} into
 * @param {string} from
 * @param {string | null} service  who wrote there; null: the lab's own containers
 * @returns {Promise<string[]>}
 */
async function takeInto(into, from, service) {
  const names = await namesIn(from);
  /** @type {string[]} */
  const missing = [];
  const note = (/** @type {string} */ what) => missing.push(`${service ?? 'the record'}: ${what}; it is not on record`);
  if (names.length > FILES_MOST)
    missing.push(`${service ?? 'the record'}: expected at most ${FILES_MOST} files that it wrote; found more, which are not on record`);
  for (const name of names.slice(0, FILES_MOST)) {
    const to = join(into, name);
    const isTaken = (service !== null && LABS_OWN.includes(name)) || (await lstat(to).catch(() => null)) !== null;
    if (isTaken) note(`it wrote ${JSON.stringify(name)}, which is the name of a file of the lab's`);
    else {
      await rename(join(from, name), to).catch(() => {});
      for (const what of await refusedAt(to, service === null)) note(`it wrote ${what}`);
    }
  }
  return missing;
}

/**
 * Removes what is no file of the record.
 * @param {string} path
 * @param {boolean} isOwn  of the lab's containers, some of which have a folder each, and talk by a socket
 * @returns {Promise<string[]>} what it was
 */
async function refusedAt(path, isOwn) {
  // It may have characters that mean something to a terminal.
  const name = JSON.stringify(basename(path));
  const found = await lstat(path).catch(() => null);
  if (found === null) return [`${name}, which cannot be moved`];
  if (found.isFile() && (isOwn || found.size <= READ_MOST_BYTES)) return [];
  if (found.isDirectory())
    return isOwn ? (await Promise.all((await namesIn(path)).map((child) => refusedAt(join(path, child), false)))).flat() : [];
  await rm(path);
  if (found.isFile()) return [`${name}, which is longer than ${READ_MOST_BYTES / 1e6} MB`];
  if (found.isSocket() && isOwn) return [];
  return [`${name}, which is ${found.isSymbolicLink() ? 'a link' : 'no file'}`];
}

/** @param {string} folder that may not be there @returns {Promise<string[]>} one more than are taken, where there are more */
async function namesIn(folder) {
  /** @type {string[]} */
  const names = [];
  const opened = await opendir(folder).catch(() => null);
  if (opened === null) return names;
  for await (const { name } of opened) if (names.push(name) > FILES_MOST) break;
  return names.sort();
}
