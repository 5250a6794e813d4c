/**
 * Reads what Compose makes of a user's files where something that they need is not there: a file of variables, or a value. What others
 * publish lacks these on purpose, and comes with an example of them. The user's files stay as they are.
 *
 * @typedef {object} Supplies      what every later call of Compose has to be told too
 * @property {string[]} flags     of `docker compose`
 * @property {Record<string, string>} env
 * @property {import('./compose-changes.js').Changes} changes  to the files
 * @property {string[]} said      a sentence each
 */
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '../measure/compose.js';
import { missingVariableIn } from '../measure/compose-refusal.js';
import { makeScratch } from '../measure/scratch.js';
import { ownSystem } from '../measure/system.js';
import { override, reset, together } from './compose-changes.js';
import { madeUp } from './made-up.js';
import { changesText } from './overlay.js';

/** Each says one missing variable at a time. */
const TRIES_MOST = 40;
const SECRET = /pass(word|wd|phrase)?|secret|token|salt|credential|(^|_)(api_?)?key(_base)?$/i;
/** Names a host, by which nobody outside is reached. */
const HOST = /(^|_)(domain|host|hostname|fqdn)(_name)?$/i;
const UNSET = /The \\?"(\w+)\\?" variable is not set/;

/** @type {Supplies} */
const NOTHING = { flags: [], env: {}, changes: {}, said: [] };

/**
 * @param {Parameters<typeof ownSystem>[0]} given
 * @param {(file: string) => string | null} read  a file, by its whole path
 * @returns {Promise<{ config: any, supplies: Supplies, doubts: string[] }>} doubts: of Compose, a sentence each
 * @throws {import('../define/errors.js').NotReadyError} when Compose refuses the files all the same
 */
export async function readSupplied(given, read) {
  let supplies = beforehand(given, read);
  const made = /** @type {string[]} */ ([]);
  const scratch = await makeScratch('read');
  try {
    const file = join(scratch, 'supplied.yaml');
    await writeFile(file, changesText(supplies.changes));
    const files = Object.keys(supplies.changes).length > 0 ? [...given.files, file] : given.files;
    for (let tries = 0; ; tries += 1) {
      const doubts = /** @type {string[]} */ ([]);
      const system = suppliedSystem({ ...given, files }, supplies);
      const config = await readConfig(system, {}, (doubt) => doubts.push(doubt)).catch((error) => error);
      const names = config instanceof Error ? [missingVariableIn(config)] : doubts.map((doubt) => UNSET.exec(doubt)?.[1] ?? '');
      const values = Object.fromEntries(
        names.flatMap((name) => valueFor(name, { isNeeded: config instanceof Error, known: supplies.env })),
      );
      if (Object.keys(values).length === 0 || tries === TRIES_MOST) {
        if (config instanceof Error) throw config;
        const said = made.length > 0 ? [`Not set, and made up for the run: ${made.join(', ')}.`] : [];
        return { config, supplies: { ...supplies, said: [...supplies.said, ...said] }, doubts };
      }
      made.push(...Object.keys(values));
      supplies = { ...supplies, env: { ...supplies.env, ...values } };
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** @type {(given: Parameters<typeof ownSystem>[0], supplies: Pick<Supplies, 'flags' | 'env'>) => import('../measure/system.js').System} */
export function suppliedSystem(given, { flags, env }) {
  const system = ownSystem({ ...given, env: { ...env, ...given.env } });
  return { ...system, flags: [...flags, ...system.flags] };
}

/** @type {(name: string | null, given: { isNeeded: boolean, known: Record<string, string> }) => [string, string][]} */
function valueFor(name, { isNeeded, known }) {
  if (!name || Object.hasOwn(known, name)) return [];
  if (SECRET.test(name)) return [[name, madeUp(name)]];
  return isNeeded && HOST.test(name) ? [[name, 'localhost']] : [];
}

/**
 * What can be seen without Compose: files of variables that are not there, and examples of them that are.
 * @param {Pick<Parameters<typeof ownSystem>[0], 'folder' | 'files'>} given
 * @param {(file: string) => string | null} read
 * @returns {Supplies}
 */
export function beforehand({ folder, files }, read) {
  const isThere = (/** @type {string} */ file) => read(file) !== null;
  // Compose sees them all from the folder of the first.
  const at = dirname(resolve(folder, files[0] ?? ''));
  const example = isThere(join(at, '.env')) ? null : exampleOf(join(at, '.env'), isThere);
  const supplied = files.map((file) => ofEnvFiles(fileIn(read(resolve(folder, file))), at, isThere)).reduce(joined, NOTHING);
  if (example === null) return supplied;
  return {
    ...supplied,
    flags: ['--env-file', example],
    said: [`.env is not there: ${basename(example)} is read in its place.`, ...supplied.said],
  };
}

/** @type {(one: Supplies, other: Supplies) => Supplies} */
const joined = (one, other) => ({
  ...one,
  changes: together(one.changes, other.changes),
  said: [...new Set([...one.said, ...other.said])],
});

/** @type {(file: any, at: string, isThere: (file: string) => boolean) => Supplies} */
function ofEnvFiles(file, at, isThere) {
  /** @type {[string, object][]} */
  const services = [];
  const said = new Set();
  for (const [service, found] of Object.entries(file?.services ?? {})) {
    const listed = [found?.env_file ?? []].flat().map((one) => (typeof one === 'string' ? { path: one } : one));
    const missing = listed.filter(({ path, required = true }) => required && !path.includes('$') && !isThere(resolve(at, path)));
    if (missing.length === 0) continue;
    const kept = listed.flatMap((one) => {
      const path = resolve(at, one.path);
      const inPlace = missing.includes(one) ? exampleOf(path, isThere) : path;
      if (missing.includes(one))
        said.add(
          `${one.path} (env_file) is not there: ${inPlace ? `${basename(inPlace)} is read in its place` : 'nothing is read in its place'}.`,
        );
      return inPlace === null ? [] : [{ ...one, path: inPlace }];
    });
    services.push([service, { env_file: kept.length > 0 ? override(kept) : reset() }]);
  }
  return {
    ...NOTHING,
    changes: services.length > 0 ? { services: Object.fromEntries(services) } : {},
    said: [.../** @type {Set<string>} */ (said)],
  };
}

/** What others publish beside such a file. @type {(file: string, isThere: (file: string) => boolean) => string | null} */
function exampleOf(file, isThere) {
  const name = basename(file);
  const plain = name.replace(/^\./, '');
  const kinds = ['example', 'sample', 'template', 'dist', 'default'];
  const names = kinds.flatMap((kind) => [
    `${name}.${kind}`,
    `${plain}.${kind}`,
    `${kind}.${plain}`,
    `.${kind}.${plain}`,
    `${plain}-${kind}`,
  ]);
  const found = names.find((one) => isThere(join(dirname(file), one)));
  return found === undefined ? null : join(dirname(file), found);
}

/** What is no YAML Compose refuses. @param {string | null} text */
function fileIn(text) {
  try {
    return parse(text ?? '', { merge: true, logLevel: 'silent' });
  } catch {
    return null;
  }
}
