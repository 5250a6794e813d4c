/**
 * Which Compose files a folder is run by: those that `docker compose` itself would take there.
 */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { NotReadyError } from '../base/errors.js';

/** In the order in which Compose looks for them (compose-go, cli/options.go). */
const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
/** Of these it lays the first over the file, whatever that is called. */
const OVERRIDES = ['compose.override.yml', 'compose.override.yaml', 'docker-compose.override.yml', 'docker-compose.override.yaml'];

/**
 * @param {string} folder
 * @param {string[]} given  files as the user named them; none: those that Compose finds
 * @param {Record<string, string | undefined>} env
 * @returns {string[]} in their order
 * @throws {NotReadyError} when there are none, or one is not there
 */
export function composeFilesIn(folder, given, env) {
  const named = given.length > 0 ? given : filesOfVariable(folder, env);
  const missing = named.find((file) => !existsSync(resolve(folder, file)));
  if (missing !== undefined)
    throw new NotReadyError(`init: expected a Compose file "${missing}" in ${folder}; found none.`, 'correct its name.');
  if (named.length > 0) return named;
  const isThere = thereIn(folder);
  const found = NAMES.find(isThere);
  if (found !== undefined) return [found, ...OVERRIDES.filter(isThere).slice(0, 1)];
  throw new NotReadyError(
    `init: expected one of ${NAMES.join(', ')} in ${folder}; found none.`,
    'run this in the folder of a Compose file, or name its files in their order: doubletake init deploy/compose.yaml.',
  );
}

/** @param {string} folder @param {Record<string, string | undefined>} env  as of composeFilesIn */
export const hasComposeFile = (folder, env) => filesOfVariable(folder, env).length > 0 || NAMES.some(thereIn(folder));

/** @param {string} folder @returns {(name: string) => boolean} */
const thereIn = (folder) => (name) => existsSync(join(folder, name));

/** Of the shell, else of `.env`. @type {(folder: string, env: Record<string, string | undefined>) => string[]} */
function filesOfVariable(folder, env) {
  const text = existsSync(join(folder, '.env')) ? readFileSync(join(folder, '.env'), 'utf8') : '';
  const given = (/** @type {string} */ name) => env[name] || valueIn(text, name);
  const between = given('COMPOSE_PATH_SEPARATOR') || delimiter;
  return given('COMPOSE_FILE')
    .split(between)
    .filter((file) => file !== '');
}

/** Of a file of variables. @type {(text: string, name: string) => string} */
export const valueIn = (text, name) =>
  new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(['"]?)(.*?)\\1[ \\t\\r]*(?:#.*)?$`, 'm').exec(text)?.[2] ?? '';
