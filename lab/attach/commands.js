/**
 * `doubletake init` and `doubletake run` in the folder of a user's own Compose file.
 */
import { access, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { adapters } from '../adapters/registry.js';
import { EXIT, NotReadyError } from '../define/errors.js';
import { readExpect } from '../define/expect.js';
import { BUSY, oneOf, readImageMode, readSeed } from '../define/settings.js';
import { readConfig } from '../measure/compose.js';
import { newRunProject, ownSystem } from '../measure/system.js';
import { serviceModels } from './compose-model.js';
import { dangersOf } from './dangers.js';
import { detectTiers } from './detect.js';
import { chooseProject, describeProject } from './init.js';
import { parseProject, writeProject } from './project-file.js';
import { PROJECT_FILE } from './project-schema.js';

/** Names that Compose looks for by itself, in its order. https://docs.docker.com/compose/intro/compose-application-model/ */
const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
/** Variables of the front door that change nothing about a user's own system. */
const WITHOUT_EFFECT = ['LOAD', 'BUDGET', 'RATE', 'THINK', 'DELAY', 'INTEGRITY'];

/**
 * Writes doubletake.yaml, and says what was taken for what.
 * @param {string} folder of the Compose file
 * @returns {Promise<number>} the exit code
 * @throws {NotReadyError} when there is no Compose file, or a doubletake.yaml that would be lost
 */
export async function init(folder) {
  const path = join(folder, PROJECT_FILE);
  if (await isThere(path))
    throw new NotReadyError(
      `init: expected no ${PROJECT_FILE} in ${folder}; found one.`,
      `correct it as it is, or delete it and run this again.`,
    );
  const file = await composeFileIn(folder);
  const config = await readConfig(ownSystem({ project: newRunProject(), folder, files: [file] }), {});
  const models = serviceModels(config);
  const detections = detectTiers(models, adapters);
  const project = chooseProject(detections, models, [file]);
  await writeFile(path, writeProject(project), { flag: 'wx' });
  process.stdout.write(describeProject({ detections, project, dangers: dangersOf(config) }));
  return EXIT.done;
}

/** @param {string} folder */
async function composeFileIn(folder) {
  for (const name of COMPOSE_FILES) if (await isThere(join(folder, name))) return name;
  throw new NotReadyError(
    `init: expected one of ${COMPOSE_FILES.join(', ')} in ${folder}; found none.`,
    'run this in the folder of a Compose file.',
  );
}

/** Whether the folder has a doubletake.yaml. @param {string} folder */
export const hasProject = (folder) => isThere(join(folder, PROJECT_FILE));

/** @param {string} path */
const isThere = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * @param {string} folder
 * @param {{ command: string, or: string }} [asked]  by which command, and what it would take instead, for the error
 * @returns {Promise<import('./project-schema.js').Project>}
 * @throws {NotReadyError} when there is none, or it is at fault
 */
export async function readProject(folder, { command, or } = { command: 'run', or: 'the name of an architecture' }) {
  const text = await readFile(join(folder, PROJECT_FILE), 'utf8').catch(() => null);
  if (text === null)
    throw new NotReadyError(
      `${command}: expected ${PROJECT_FILE} in ${folder}, or ${or}; found neither.`,
      '"doubletake init" writes it from a Compose file; "doubletake list" names the architectures.',
    );
  return parseProject(text, PROJECT_FILE);
}

/**
 * @param {string} folder
 * @param {Record<string, string | undefined>} env
 * @param {boolean} allowData
 * @returns {import('./measure.js').ProjectSettings & { expect: import('../define/expect.js').Expectation[] }}
 * @throws {NotReadyError} naming the variable that is wrong or changes nothing
 */
export function readOwnSettings(folder, env, allowData) {
  const idle = WITHOUT_EFFECT.find((name) => env[name]);
  if (idle)
    throw new NotReadyError(
      `${idle}: expected none, because it changes nothing about your own system; found "${env[idle]}".`,
      `leave it out; the load is in ${PROJECT_FILE}.`,
    );
  const seed = readSeed(env);
  return {
    name: nameOf(folder),
    seed,
    images: readImageMode(env),
    busy: oneOf('BUSY', env.BUSY || 'refuse', BUSY),
    allowData,
    command: `SEED=${seed} doubletake run${allowData ? ' --allow-data' : ''}`,
    budget: 'none',
    expect: readExpect(env.EXPECT),
  };
}

/** A folder's name as the name of its reports. @param {string} folder */
const nameOf = (folder) =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'own';
