/**
 * A volume of a run that is filled from a folder of this machine. The engine itself reads the folder, mounted read-only, and writes the
 * volume: by containers that are made and never started. So no program runs, owners and modes stay whoever the lab is run by, and of the
 * folder nothing is changed but the time at which it was last read.
 */
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { labelOf, SERVICE_LABEL, VOLUME_LABEL } from './containers.js';
import { docker, ignoreGone } from './docker.js';
import { folderArchive } from './tar.js';
import { TooLargeError, tarFilter } from './tar-filter.js';

/** In each of the two containers: by one name, so that the entry of the folder itself is one too, which has its owner and mode. */
const PLACE = '/copy/data';
const NAME = basename(PLACE);
const PERMISSIONS = 0o7777;
/** For one folder. The lab's own choice. */
const COPY_LIMIT_MS = 300_000;

/**
 * @typedef {object} Filling
 * @property {import('./system.js').System} system  whose volume it is, so that it goes with it
 * @property {string} volume   as its Compose file calls it
 * @property {string} image    that is there; of it nothing is run
 * @property {string} folder   of this machine
 * @property {string[]} [without]  folders in it, as seen from it, that are left out
 * @property {number} mostBytes  it may hold
 * @property {AbortSignal} signal
 */

/**
 * @param {Filling} filling
 * @returns {Promise<boolean>} whether it fitted; else the volume is as of makeEmpty
 */
export async function fillVolume({ mostBytes, signal, without = [], ...given }) {
  const { folder } = given;
  const left = without.map((inside) => `${NAME}/${inside}/`);
  const isWanted = (/** @type {string} */ name) => !left.some((begin) => name.startsWith(begin));
  try {
    await withWriter(given, (writer) =>
      withContainer({ ...given, mount: readOnly(folder) }, async (reader) => {
        const archive = /** @type {import('node:stream').Readable} */ (await reader.getArchive({ path: PLACE }));
        const filter = tarFilter({ isWanted, mostBytes });
        const read = pipeline(archive, filter, { signal: AbortSignal.any([signal, AbortSignal.timeout(COPY_LIMIT_MS)]) });
        const written = writer.putArchive(filter, { path: dirname(PLACE) });
        // Whichever fails first, the other ends with it; what failed in reading says more.
        written.catch((error) => filter.destroy(error));
        await read;
        await written;
      }),
    );
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TooLargeError)) throw error;
    // Half of a folder is worse than none.
    await docker.getVolume(nameOf(given)).remove();
    await makeEmpty(given);
    return false;
  }
}

/**
 * A volume with nothing in it but what the folder itself has: owner and mode.
 * @param {Pick<Filling, 'system' | 'volume' | 'image' | 'folder'>} given  folder: it may be missing
 */
export async function makeEmpty(given) {
  const found = await stat(given.folder).catch(() => null);
  await withWriter(given, async (writer) => {
    if (found === null) return;
    const { mode, uid, gid } = found;
    await writer.putArchive(folderArchive({ name: NAME, mode: mode & PERMISSIONS, uid, gid }), { path: dirname(PLACE) });
  });
}

/** @param {Pick<Filling, 'system' | 'volume'>} given */
const nameOf = ({ system, volume }) => `${system.project}_${volume}`;

/**
 * Makes the volume, and gives a container that has it.
 * @param {Pick<Filling, 'system' | 'volume' | 'image'>} given
 * @param {(container: import('dockerode').Container) => Promise<void>} use
 */
async function withWriter(given, use) {
  const name = nameOf(given);
  await docker.createVolume({ Name: name, Labels: labelsOf(given.system, given.volume) });
  await withContainer({ ...given, mount: writable(name) }, use);
}

/**
 * Reader and writer are two, because an engine answers nothing else about one whose files it is sending.
 * @param {Parameters<typeof copierOptions>[0]} options
 * @param {(container: import('dockerode').Container) => Promise<void>} use
 */
async function withContainer(options, use) {
  const container = await docker.createContainer(copierOptions(options));
  try {
    await use(container);
  } finally {
    await container.remove({ force: true, v: true }).catch(ignoreGone);
  }
}

/** As Compose would label it: it takes it for its own, and removes it with the rest. @type {(system: import('./system.js').System, volume: string) => Record<string, string>} */
const labelsOf = (system, volume) => ({ ...projectLabel(system), [VOLUME_LABEL]: volume });

/** @param {import('./system.js').System} system */
function projectLabel(system) {
  const [label, project] = labelOf(system).split('=');
  return { [label]: project };
}

/** @typedef {import('dockerode').MountSettings} Mount */

/** @param {string} folder @returns {Mount} */
const readOnly = (folder) => ({ Type: 'bind', Source: folder, Target: PLACE, ReadOnly: true });

/** What an image has at that place is not wanted. @param {string} volume @returns {Mount} */
const writable = (volume) => ({ Type: 'volume', Source: volume, Target: PLACE, VolumeOptions: /** @type {any} */ ({ NoCopy: true }) });

/**
 * With the labels of a service's, Compose removes it with the run where the lab was ended by force.
 * @param {{ system: import('./system.js').System, image: string, mount: Mount }} options
 */
export const copierOptions = ({ system, image, mount }) => ({
  Image: image,
  // An image without a command could not be made a container of otherwise.
  Cmd: ['true'],
  Labels: {
    ...projectLabel(system),
    [SERVICE_LABEL]: 'doubletake-copier',
    'com.docker.compose.config-hash': 'none',
    'com.docker.compose.oneoff': 'False',
  },
  HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'], Mounts: [mount] },
});
