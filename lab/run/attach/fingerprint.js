/**
 * Fingerprints of what two runs of a comparison must have in common: a text is not kept, and is known again. It may hold passwords, so
 * its hash is one that takes long to make: whoever has the record cannot try many guesses against it.
 */
import { scryptSync } from 'node:crypto';
import { resolve } from 'node:path';
import { attachScript } from '../../load/wrapper.js';

/** The same everywhere: comparisons are held against each other too, to find an A/A control. */
const SALT = 'doubletake';
const BYTES = 32;

/** @param {unknown} value of its JSON @returns {string} */
const fingerprintOf = (value) => scryptSync(JSON.stringify(value), SALT, BYTES).toString('hex');

/**
 * Of what Compose makes of the files.
 * @param {any} config
 * @param {{ runProject: string, root: string }} given  root: the folder that is another in each checkout of a revision
 */
export const configFingerprint = (config, { runProject, root }) =>
  fingerprintOf(JSON.stringify(config).replaceAll(runProject, '').replaceAll(root, ''));

/**
 * Of all that doubletake.yaml says beside its Compose files, with the files in which it says what is sent.
 * @param {import('../../catalog/project-schema.js').Project} project
 * @param {(path: string) => string | null} read  null where there is no such file
 * @param {string} folder  of doubletake.yaml
 * @throws {import('../../base/errors.js').NotReadyError} when a file of the script is not there
 */
export function loadFingerprint({ entry, services, edges, load, data }, read, folder) {
  const files = load.script === undefined ? [load.openapi ?? []].flat() : attachScript({ entry: resolve(folder, load.script), read }).files;
  return fingerprintOf({ entry, services, edges, load, data, files: files.map((file) => read(resolve(folder, file))) });
}
