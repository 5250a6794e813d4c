/**
 * Files of variables that a Compose file names: Compose puts what is in them into a service's environment, or into the file itself, and what it
 * resolves says nothing of where that is from.
 */

import { join, resolve } from 'node:path';
import { isMap, isSeq, parseDocument } from 'yaml';
import { NotReadyError } from '../base/errors.js';
import { graveOf } from './grave-places.js';

/** Files that include others end in no circle: Compose refuses one. The lab's own choice. */
const FILES_MOST = 200;

/**
 * Refuses what Compose would fill in from elsewhere before it is asked to: `.env` beside the files, and what they give to those that they include.
 * @param {{ folder: string, files: string[] }} given  as Compose is called
 * @param {(file: string) => string | null} read  by its whole path
 * @throws {NotReadyError} naming the file
 */
export function refuseGraveVariables({ folder, files }, read) {
  const base = resolve(folder, files[0] ?? '', '..');
  for (const path of [join(base, '.env'), ...includedVariables(folder, files, read)]) {
    const grave = graveOf(path, { writes: false, from: base, around: { folder } });
    if (grave === null) continue;
    throw new NotReadyError(
      `${path}: expected a file of variables of this system’s own; found ${grave.path}: ${grave.why}.`,
      'write what the system needs into a file of its own.',
    );
  }
}

/** @type {(folder: string, files: string[], read: (file: string) => string | null) => string[]} */
function includedVariables(folder, files, read) {
  const base = resolve(folder, files[0] ?? '', '..');
  const open = files.map((file) => ({ file: resolve(folder, file), from: base }));
  const found = [];
  for (const { file, from } of open) {
    if (open.length > FILES_MOST) break;
    for (const { paths, variables, place } of includesIn(read(file) ?? '')) {
      found.push(...variables.map((path) => within(from, path)));
      const at = paths[0] === undefined ? from : within(from, paths[0]);
      open.push(...paths.map((path) => ({ file: within(from, path), from: place ? within(from, place) : resolve(at, '..') })));
    }
  }
  return found;
}

/** A home is no folder of this one. @type {(from: string, path: string) => string} */
const within = (from, path) => (path.startsWith('~') ? path : resolve(from, path));

/** @param {string} text @returns {{ paths: string[], variables: string[], place: string }[]} */
function includesIn(text) {
  if (!/^["']?include/m.test(text)) return [];
  const document = parseDocument(text, { logLevel: 'silent' });
  const all = document.errors.length === 0 && isMap(document.contents) ? document.get('include') : null;
  if (!isSeq(all)) return [];
  return all.items.map((one) => {
    const { path = [], env_file: variables = [], project_directory: place = '' } = isMap(one) ? one.toJSON() : { path: String(one) };
    return { paths: [path].flat().map(String), variables: [variables].flat().map(String), place: String(place) };
  });
}

/** In files in which none of these stands, no service has one. */
const NAMES_ONE = /env_file|label_file|include|extends/;

/**
 * @param {any} config  as Compose has resolved it
 * @param {object} given
 * @param {string[]} given.texts  of the files
 * @param {() => Promise<any>} given.readModel  what Compose makes of the files with no variable replaced; null where it refuses
 * @param {(path: string) => string} given.replaced  with variables replaced
 * @returns {Promise<any>} with `env_file` of each service
 */
export async function withVariableFiles(config, { texts, readModel, replaced }) {
  if (!texts.some((text) => NAMES_ONE.test(text))) return config;
  const model = await readModel();
  const services = Object.entries(config.services ?? {}).map(([service, found]) => {
    const { env_file: variables = [], label_file: labels = [] } = model?.services?.[service] ?? {};
    const files = [variables, labels].flat().map((file) => ({ path: replaced(String(file?.path ?? file)) }));
    return [service, files.length > 0 ? { ...found, env_file: files } : found];
  });
  return { ...config, services: Object.fromEntries(services) };
}
