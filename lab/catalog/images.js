/**
 * The base images, pinned by exact tag. The registry's and the ones built from packages carry the same versions, so that
 * a run means the same on both. An image that is in no registry is built from packages on every machine.
 *
 * @typedef {object} BaseImage
 * @property {string} variable  the variable by which Compose files name it
 * @property {string} [hub]     name and tag in the registry; none when it is in no registry
 * @property {string} version   of the component; the manifest holds what the component reports of itself
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { COMPOSE_FOLDER } from '../base/paths.js';
import { composeFileOf, LAB_FILE, servicesIn } from './shipped-services.js';

/** @type {Record<string, BaseImage>} */
export const baseImages = parse(readFileSync(join(COMPOSE_FOLDER, 'images.yaml'), 'utf8'));

/** What an image that is in no registry is built on, on a machine that reaches one. */
export const DEBIAN_HUB = 'debian:bookworm-20251229-slim';

/** The app's own image is built on this one. */
const BASE_OF = { APP_IMAGE: 'NODE_IMAGE' };

/**
 * @param {string[]} [architectures]  all of them unless given
 * @returns {string[]} keys of the images that one of them needs, by its Compose file
 */
export function imagesFor(architectures) {
  if (!architectures) return Object.keys(baseImages);
  const files = [LAB_FILE, ...architectures.map(composeFileOf)];
  const named = JSON.stringify(files.map(servicesIn));
  const variables = [...named.matchAll(/\$\{(\w+_IMAGE):-/g)].map(
    ([, variable]) => BASE_OF[/** @type {keyof typeof BASE_OF} */ (variable)] ?? variable,
  );
  return Object.keys(baseImages).filter((name) => variables.includes(baseImages[name].variable));
}
