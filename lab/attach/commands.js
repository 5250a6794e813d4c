/**
 * `doubletake init` and `doubletake run` in the folder of a user's own Compose file.
 */
import { access, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { adapters } from '../adapters/registry.js';
import { refuseAllBut } from '../define/effects.js';
import { EXIT, NotReadyError } from '../define/errors.js';
import { readExpect } from '../define/expect.js';
import { BUSY, oneOf, readImageMode, readSeed } from '../define/settings.js';
import { variableNames } from '../define/variables.js';
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
/** What the lab's own architectures call theirs may be variables of a user's Compose file too, such as WORKERS. */
const TAKEN = ['SEED', 'EXPECT', ...variableNames()];

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

/** @param {string} path */
const isThere = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * @param {string} folder
 * @returns {Promise<import('./project-schema.js').Project | null>} null where there is no doubletake.yaml
 * @throws {NotReadyError} when it is at fault
 */
export async function projectIn(folder) {
  const text = await readFile(join(folder, PROJECT_FILE), 'utf8').catch(() => null);
  return text === null ? null : parseProject(text, PROJECT_FILE);
}

/**
 * @param {string} folder
 * @returns {Promise<import('./project-schema.js').Project>}
 * @throws {NotReadyError} when there is none, or it is at fault
 */
export async function readProject(folder) {
  const project = await projectIn(folder);
  if (project === null)
    throw new NotReadyError(
      `run: expected ${PROJECT_FILE} in ${folder}, or the name of an architecture; found neither.`,
      '"doubletake init" writes it from a Compose file; "doubletake list" names the architectures.',
    );
  return project;
}

/**
 * @param {string} folder
 * @param {Record<string, string | undefined>} env
 * @param {boolean} allowData
 * @returns {import('./measure.js').ProjectSettings & { expect: import('../define/expect.js').Expectation[] }}
 * @throws {NotReadyError} naming the variable that is wrong or changes nothing
 */
export function readOwnSettings(folder, env, allowData) {
  refuseAllBut(`your own system, whose load is in ${PROJECT_FILE}`, TAKEN, env);
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
export const nameOf = (folder) =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'own';
