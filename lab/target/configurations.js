/**
 * The changed copies that are laid over services' own configurations: at level 2, with the user's consent, and for a fault of the self-test.
 * Each is made of what the service would run with, lies outside of the record while the run goes on, and is removed after it: it is the
 * user's, and may hold passwords.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 * @typedef {import('../adapters/configuration.js').Configuration} Configuration
 *
 * @typedef {object} Original   the configuration that a service would run with
 * @property {string} service
 * @property {string} path      in its container
 * @property {string | null} file  on this machine; null where it is the image's own
 * @property {Pick<Configuration, 'name' | 'overlaid'>} configuration
 * @property {Purpose} purpose
 *
 * @typedef {{ what: string, otherwise: string }} Purpose  what a copy is wanted for, as a refusal begins, and how to do without, as it ends
 *
 * @typedef {object} Copy
 * @property {string} service
 * @property {string} name     in a folder of the service's own
 * @property {string} text
 * @property {string[]} changes  a sentence for each
 */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { adapterOf } from '../adapters/registry.js';
import { NotReadyError } from '../base/errors.js';
import { PROJECT_FILE } from '../catalog/project-schema.js';
import { projectService } from './describe.js';

const LEVEL = 2;
/** The folder around them is the lab's alone; the program that reads one may run as any user. */
const READABLE = 0o644;

/**
 * @param {AttachedService[]} models
 * @param {import('../catalog/project-schema.js').Project} project
 * @returns {Original[]} of the services that are watched with a changed copy
 * @throws {NotReadyError} when one lies where no copy can be laid over it
 */
export function originalsOf(models, project) {
  return models.flatMap((model) => {
    const { product, watch } = projectService(project, model.service);
    const configuration = adapterOf(product)?.configuration;
    const path = watch >= LEVEL && configuration ? configuration.pathOf(model) : null;
    return path === null || !configuration ? [] : [originalAt(model, { path, configuration, purpose: purposeOf(model.service) })];
  });
}

/** @param {string} service */
const purposeOf = (service) => ({ what: `${PROJECT_FILE}, services.${service}.watch: level ${LEVEL}`, otherwise: 'watch at level 1' });

/**
 * @param {AttachedService} model
 * @param {{ path: string, configuration: Original['configuration'], purpose: Purpose }} wanted
 * @returns {Original}
 * @throws {NotReadyError} when it lies where no copy can be laid over it
 */
export const originalAt = (model, { path, configuration, purpose }) => ({
  service: model.service,
  path,
  file: fileOf(model, path, purpose),
  configuration,
  purpose,
});

/** @type {(model: AttachedService, path: string, purpose: Purpose) => string | null} */
function fileOf({ mounts, laid }, path, purpose) {
  if (laid.includes(path)) throw refusal(purpose, `a file or a mount at ${path}`, 'an entry of "configs"', 'mount the file under volumes');
  const [mount] = mounts
    .filter(({ target }) => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`))
    .toSorted((one, other) => other.target.length - one.target.length);
  if (mount === undefined) return null;
  if (mount.type !== 'bind') throw refusal(purpose, `a file of this machine at ${path}`, `a ${mount.type}`, 'mount the file itself');
  return posix.join(mount.source, posix.relative(mount.target, path));
}

/**
 * @param {Original[]} originals
 * @param {(original: Original) => Promise<string>} readImage  out of the image of its service; empty where it is not there
 * @returns {Promise<Copy[]>}
 * @throws {NotReadyError} when one is not there, or is none
 */
export async function copiesOf(originals, readImage) {
  const copies = [];
  for (const original of originals) {
    const { service, path, file, configuration, purpose } = original;
    const text = file === null ? await readImage(original) : await readFile(file, 'utf8').catch(() => '');
    if (text === '') throw refusal(purpose, `a configuration at ${file ?? `${path} in its image`}`, 'none', 'correct where it is mounted');
    copies.push({ service, name: configuration.name, ...configuration.overlaid(text) });
  }
  return copies;
}

/**
 * @param {Copy[]} copies
 * @param {string} folder  that nobody else can read, and that is removed after the run
 */
export async function writeCopies(copies, folder) {
  for (const { service, name, text } of copies) {
    await mkdir(join(folder, service), { recursive: true });
    await writeFile(join(folder, service, name), text, { flag: 'wx' });
    // Whatever the umask of the lab is.
    await chmod(join(folder, service, name), READABLE);
    await chmod(join(folder, service), 0o755);
  }
}

/** @type {(purpose: Purpose, expected: string, found: string, remedy: string) => NotReadyError} */
const refusal = ({ what, otherwise }, expected, found, remedy) =>
  new NotReadyError(`${what} expected ${expected}; found ${found}.`, `${remedy}, or ${otherwise}.`);
