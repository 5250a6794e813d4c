/**
 * Names for images that a user's Compose file builds and gives no name to. Compose would name them after the project, which is
 * another one in each run, and build them anew each time. Those with a name keep it: other services may ask for it.
 *
 * The sides of a comparison may build other images under the names of the same file. Each side's therefore get names of their own, and
 * what the user's names stand for stays as it is.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

const HASH_LENGTH = 6;

/** @typedef {import('./compose-model.js').AttachedService} AttachedService */

/**
 * @param {AttachedService[]} models
 * @param {string} folder of doubletake.yaml
 * @param {string} [arm]  of a comparison
 * @returns {Record<string, string>} by service
 */
export function ownImages(models, folder, arm) {
  const prefix = `doubletake-own/${slugOf(basename(folder))}${arm === undefined ? '' : `-${hashOf(arm)}`}`;
  const nameOf = (/** @type {string} */ service) => `${prefix}-${slugOf(service)}`;
  const built = models.filter(({ isBuilt, image }) => isBuilt && (image === '' || arm !== undefined));
  const images = built.map(({ service }) => [service, nameOf(service)]);
  if (arm === undefined) return Object.fromEntries(images);
  // What runs the image of another service has to run that of its side.
  const others = models.flatMap(({ service, isBuilt, image }) => {
    const source = isBuilt ? undefined : built.find((other) => other.image !== '' && other.image === image);
    return source ? [[service, nameOf(source.service)]] : [];
  });
  return Object.fromEntries([...images, ...others]);
}

/** What the name of an image may hold; two texts never become one. @param {string} text */
function slugOf(text) {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (plain === text && text !== '') return plain;
  return plain === '' ? hashOf(text) : `${plain}-${hashOf(text)}`;
}

/** @param {string} text */
const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
