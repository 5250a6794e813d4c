/**
 * Gets the images: the base images from the registry or built from packages, then the app's own. What is there already is
 * not made again. The names go to .env, which Compose reads by itself.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { NotReadyError } from '../define/errors.js';
import { baseImages } from '../define/images.js';
import { ENV_FILE, ROOT } from '../define/paths.js';
import { docker } from './docker.js';

const BUILD_FOLDER = join(ROOT, 'compose', 'images');
const APP_FOLDER = join(ROOT, 'app');
const PULL_LIMIT_MS = 600_000;
const BUILD_LIMIT_MS = 900_000;
const HASH_LENGTH = 10;

/** @typedef {{ mode: 'hub' | 'local', variables: Record<string, string> }} Images */

/**
 * @param {{ mode: import('../define/settings.js').ImageMode, say: (text: string) => void, signal?: AbortSignal }} options
 * @returns {Promise<Images>} the variables of compose.yaml that name the images
 * @throws {NotReadyError} when an image can neither be pulled nor built
 */
export async function ensureImages({ mode, say, signal }) {
  const bases = await ensureBases(mode, say, signal);
  const app = await ensureApp(bases.variables.NODE_IMAGE, say, signal);
  const images = { mode: bases.mode, variables: { ...bases.variables, APP_IMAGE: app } };
  await writeFile(ENV_FILE, envText(images));
  return images;
}

/** @param {Images} images */
function envText({ mode, variables }) {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `# Written by the lab: the images that this machine uses (${mode}). Compose reads it.\n${lines.join('\n')}\n`;
}

/** @type {(mode: string, say: (text: string) => void, signal?: AbortSignal) => Promise<Images>} */
async function ensureBases(mode, say, signal) {
  const hub = Object.fromEntries(Object.values(baseImages).map((image) => [image.variable, image.hub]));
  const local = await localNames();
  // What a machine has once got stays its choice until the user says otherwise.
  if (mode !== 'local' && (await allPresent(Object.values(hub)))) return { mode: 'hub', variables: hub };
  if (mode !== 'hub' && (await allPresent(Object.values(local.variables)))) return { mode: 'local', variables: local.variables };
  if (mode !== 'local') {
    const refusal = await pullAll(Object.values(hub), say, signal);
    if (refusal === null) return { mode: 'hub', variables: hub };
    if (mode === 'hub')
      throw new NotReadyError(`IMAGES=hub: ${refusal}`, 'check the network, or use IMAGES=local to build the images from packages.');
    say(`no image registry here (${refusal.split('\n')[0]}); building the images from packages`);
  }
  await buildAll(local, say, signal);
  return { mode: 'local', variables: local.variables };
}

/** @param {string} tag */
async function isPresent(tag) {
  return docker
    .getImage(tag)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

/** @param {string[]} tags */
async function allPresent(tags) {
  return (await Promise.all(tags.map(isPresent))).every(Boolean);
}

/** @type {(tags: string[], say: (text: string) => void, signal?: AbortSignal) => Promise<string | null>} null when all are there, else why not */
async function pullAll(tags, say, signal) {
  for (const tag of tags) {
    if (await isPresent(tag)) continue;
    say(`pulling ${tag} ...`);
    const result = await execa('docker', ['pull', '--quiet', tag], {
      reject: false,
      timeout: PULL_LIMIT_MS,
      cancelSignal: signal,
      all: true,
    });
    signal?.throwIfAborted();
    if (result.failed) return `docker pull ${tag} failed: ${String(result.all ?? '').trim()}`;
  }
  return null;
}

/** The names of the images built from packages carry a hash of what they are built from. */
async function localNames() {
  const hashes = await hashOf(BUILD_FOLDER);
  const base = `doubletake/debian:bookworm-${hashes}`;
  const variables = Object.fromEntries(
    Object.entries(baseImages).map(([name, image]) => [image.variable, `doubletake/${name}:${image.version}-${hashes}`]),
  );
  return { base, variables };
}

/** @type {(local: { base: string, variables: Record<string, string> }, say: (text: string) => void, signal?: AbortSignal) => Promise<void>} */
async function buildAll({ base, variables }, say, signal) {
  const build = async (/** @type {string} */ image, /** @type {string} */ tag, /** @type {string[]} */ rest) => {
    if (await isPresent(tag)) return;
    const started = Date.now();
    say(`building ${tag} ...`);
    const result = await execa(join(BUILD_FOLDER, 'build.sh'), [image, tag, ...rest], {
      reject: false,
      timeout: BUILD_LIMIT_MS,
      cancelSignal: signal,
      all: true,
    });
    signal?.throwIfAborted();
    if (result.failed)
      throw new NotReadyError(
        `Building ${tag} failed:\n${tailOf(String(result.all ?? ''))}`,
        'mend what the last lines name, then run this again.',
      );
    say(`built ${tag} in ${Math.round((Date.now() - started) / 1000)} s`);
  };
  await build('base', base, []);
  await Promise.all(Object.entries(baseImages).map(([name, image]) => build(name, variables[image.variable], [base])));
}

/** @type {(nodeImage: string, say: (text: string) => void, signal?: AbortSignal) => Promise<string>} the app image's name */
async function ensureApp(nodeImage, say, signal) {
  const tag = `doubletake/app:${await hashOf(APP_FOLDER, nodeImage)}`;
  if (await isPresent(tag)) return tag;
  say(`building ${tag} ...`);
  // On the host, where npm has the user's settings: a company's own certificate authority is unknown inside a build.
  const install = await execa('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: APP_FOLDER,
    reject: false,
    timeout: BUILD_LIMIT_MS,
    cancelSignal: signal,
    all: true,
  });
  signal?.throwIfAborted();
  if (install.failed)
    throw new NotReadyError(`npm ci in app/ failed:\n${tailOf(String(install.all ?? ''))}`, 'check that npm reaches its registry.');
  const result = await execa('docker', ['build', '--quiet', '--build-arg', `NODE_IMAGE=${nodeImage}`, '--tag', tag, APP_FOLDER], {
    env: { DOCKER_BUILDKIT: '0' },
    reject: false,
    timeout: BUILD_LIMIT_MS,
    cancelSignal: signal,
    all: true,
  });
  signal?.throwIfAborted();
  if (result.failed)
    throw new NotReadyError(`Building ${tag} failed:\n${tailOf(String(result.all ?? ''))}`, 'mend what the last lines name.');
  return tag;
}

const TAIL_LINES = 12;
/** @param {string} text */
const tailOf = (text) => text.trim().split('\n').slice(-TAIL_LINES).join('\n');

/**
 * @param {string} folder  every file below it counts, but for what is installed and what only tests read
 * @param {string} [seed]
 */
async function hashOf(folder, seed = '') {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('node_modules') && !file.endsWith('.test.js'))
    .sort();
  const hash = createHash('sha256').update(seed);
  for (const file of files) hash.update(file.slice(folder.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, HASH_LENGTH);
}
