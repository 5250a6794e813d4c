/**
 * Makes the copies of the user's folders and files that a run has in their place, before its first service starts.
 *
 * @typedef {import('../../target/copied-folders.js').CopiedFolder} CopiedFolder
 */
import { chmod, chown, copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { fillVolume, makeEmpty } from '../../docker/fill-volume.js';
import { COPY_MOST_BYTES } from '../../target/copied-folders.js';
import { madeUp } from '../../target/made-up.js';
import { secretFile } from '../../target/own-copy.js';

/** Of a scratch folder: in it, copies of single files. */
export const FILES = 'files';
/** Whoever a service runs as; the folder around them is the lab's alone. */
const OPEN_FILE = 0o666;
const READABLE = 0o644;

/**
 * @param {object} options
 * @param {CopiedFolder[]} options.folders
 * @param {string[]} options.secrets  that are made up
 * @param {import('../../docker/system.js').System} options.system
 * @param {string} options.image    that is there; of it nothing is run
 * @param {string} options.scratch  folder of this run
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<string[]>} a sentence for each that is not what it was to be
 * @throws {NotReadyError} when one can not be made
 */
export async function fillFolders({ folders, secrets, system, image, scratch, say, signal }) {
  // A part is filled with what it is a part of.
  const wanted = folders.filter(({ data, device }) => data !== 'live' && device === '');
  const copied = wanted.filter(({ data }) => data === 'copy');
  if (copied.length > 0) say(`copying ${copied.map(({ name }) => name).join(', ')}`);
  await mkdir(join(scratch, FILES), { recursive: true, mode: 0o700 });
  for (const name of secrets) await writeFile(join(scratch, FILES, secretFile(name)), madeUp(name), { mode: READABLE });
  const said = [];
  for (const folder of wanted) {
    try {
      const isWhole = folder.isFile
        ? await copyOneFile(folder, join(scratch, FILES))
        : await copyOneFolder(folder, { system, image, signal });
      if (!isWhole && folders.some(({ device }) => device.includes(`_${folder.volume}/`)))
        throw new Error(`it is more than the ${COPY_MOST_BYTES / 1e9} GB that a run copies, and a part of it is mounted by itself`);
      if (!isWhole)
        said.push(
          `${folder.name}: empty in the run; ${folder.isFile ? 'it cannot be read' : `it is more than the ${COPY_MOST_BYTES / 1e9} GB that a run copies`}.`,
        );
    } catch (error) {
      signal.throwIfAborted();
      throw new NotReadyError(
        `${folder.name}: expected to copy it for the run; ${error instanceof Error ? error.message.trim() : error}.`,
        `write "${folder.name}": empty under "data" in doubletake.yaml, or free some disk.`,
      );
    }
  }
  return said;
}

/** @type {(folder: CopiedFolder, given: Pick<Parameters<typeof fillFolders>[0], 'system' | 'image' | 'signal'>) => Promise<boolean>} */
async function copyOneFolder({ source: folder, volume, data, without }, given) {
  if (data === 'copy') return fillVolume({ ...given, volume, folder, without, mostBytes: COPY_MOST_BYTES });
  await makeEmpty({ ...given, volume, folder });
  return true;
}

/** Its owner is kept where the lab may give it away. @type {(folder: CopiedFolder, into: string) => Promise<boolean>} whether it could be read */
async function copyOneFile({ source, volume, data }, into) {
  const place = join(into, volume);
  const { mode, uid, gid } = await stat(source);
  const isWhole =
    data !== 'copy' ||
    (await copyFile(source, place).then(
      () => true,
      () => false,
    ));
  if (data !== 'copy' || !isWhole) await writeFile(place, '');
  const isGiven = await chown(place, uid, gid).then(
    () => true,
    () => false,
  );
  await chmod(place, isGiven ? mode : OPEN_FILE);
  return isWhole;
}
