/**
 * Files in containers, running or not, and in images.
 */
import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { labelOf } from './containers.js';
import { containerById, docker, endingInTime } from './docker.js';
import { firstEntry } from './tar.js';
import { ANSWER_LIMIT_MS } from './time-limit.js';

/** A link to a link is usual in Debian; more of them are a circle. */
const LINKS_MOST = 8;
const NOT_FOUND = 404;

/**
 * @param {string} containerId
 * @param {string} path
 * @returns {Promise<string>} empty where there is no such file
 */
export async function readContainerFile(containerId, path) {
  let place = path;
  for (let links = 0; links < LINKS_MOST; links += 1) {
    const entry = await entryAt(containerId, place);
    if (entry === null) return '';
    if ('content' in entry) return entry.content.toString('utf8');
    place = posix.resolve(posix.dirname(place), entry.link);
  }
  return '';
}

/** @param {string} containerId @param {string} path */
async function entryAt(containerId, path) {
  try {
    const archive = /** @type {import('node:stream').Readable} */ (await containerById(containerId).getArchive({ path }));
    return firstEntry(await buffer(endingInTime(archive, ANSWER_LIMIT_MS, `The Docker Engine did not send all of ${path}`)));
  } catch (error) {
    if (/** @type {{ statusCode?: number }} */ (error).statusCode === NOT_FOUND) return null;
    throw error;
  }
}

/**
 * A file of an image, which is there. A container is made for it and removed, and never runs.
 * @param {import('./system.js').System} system
 * @param {string} image
 * @param {string} path
 * @returns {Promise<string>} empty where there is no such file
 */
export async function readImageFile(system, image, path) {
  const [label, project] = labelOf(system).split('=');
  // An image without a command could not be made a container of otherwise.
  const container = await docker.createContainer({ Image: image, Cmd: ['true'], Labels: { [label]: project } });
  try {
    return await readContainerFile(container.id, path);
  } finally {
    await container.remove({ force: true });
  }
}
