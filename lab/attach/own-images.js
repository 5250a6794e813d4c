/**
 * Names for images that a user's Compose file builds and gives no name to. Compose would name them after the project, which is
 * another one in each run, and build them anew each time. Those with a name keep it: other services may ask for it.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

const HASH_LENGTH = 6;

/**
 * @param {import('./compose-model.js').AttachedService[]} models
 * @param {string} folder of doubletake.yaml
 * @returns {Record<string, string>} by service
 */
export const ownImages = (models, folder) =>
  Object.fromEntries(
    models
      .filter(({ isBuilt, image }) => isBuilt && image === '')
      .map(({ service }) => [service, `doubletake-own/${slugOf(basename(folder))}-${slugOf(service)}`]),
  );

/** What the name of an image may hold; two texts never become one. @param {string} text */
function slugOf(text) {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (plain === text && text !== '') return plain;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
  return plain === '' ? hash : `${plain}-${hash}`;
}
