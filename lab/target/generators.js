/**
 * Several k6 that make one load: each has a segment of its users and arrivals (https://grafana.com/docs/k6/latest/using-k6/k6-options/reference/#execution-segment),
 * a container and a folder of the record. They are started paused, and begin at one moment.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RunFailedError } from '../base/errors.js';
import { GENERATOR_NAME, RAW, ROOT } from '../base/paths.js';
import { writePrivate } from '../base/private-file.js';
import { scriptFolderOf } from '../catalog/scenarios.js';
import { executeToEnd } from '../docker/docker.js';
import { giveToContainers } from '../docker/run-folder.js';

const PROFILE = 'load-parts';
/** The service that each extends (compose/base.yaml). */
const TEMPLATE = { file: join(ROOT, 'compose', 'base.yaml'), service: 'k6' };
/**
 * Each waits for the next multiple of so many seconds. The lab lets them go on just after one, so that they are told within the same
 * span; an engine takes a second for the last on a busy machine, and has four.
 */
const BEAT_S = 5;
const AFTER_BEAT_S = 1;
const POLL_MS = 1000;
/** k6's `paused before the run`: its users are prepared (execution/status in k6's sources). */
const PREPARED = /^status: 4$/m;

/** @param {number} count @returns {string[]} names, which are their Compose services' too */
export const generatorNames = (count) => Array.from({ length: count }, (_, index) => `${GENERATOR_NAME}-${index + 1}`);

/**
 * What each of them is told, beside what one is told that makes the load alone.
 * @param {number} count at least two
 * @returns {{ name: string, flags: string[], environment: Record<string, string> }[]}  flags: of k6 run
 */
export function generatorParts(count) {
  const cuts = Array.from({ length: count + 1 }, (_, at) => (at === 0 || at === count ? String(at / count) : `${at}/${count}`));
  return generatorNames(count).map((name, index) => ({
    name,
    flags: ['--paused', '--execution-segment', `${cuts[index]}:${cuts[index + 1]}`, '--execution-segment-sequence', cuts.join(',')],
    environment: {
      START_BEAT_S: String(BEAT_S),
      RECORD_FOLDER: `/raw/${name}`,
      K6_LOG_OUTPUT: `file=/raw/${name}/${RAW.k6Log},level=error`,
    },
  }));
}

/**
 * The Compose file that has them, beside the architecture's own.
 * @param {number} count at least two
 * @param {string} scenario
 */
export function generatorsFile(count, scenario) {
  const services = generatorParts(count).map(({ name, flags, environment }) => [
    name,
    {
      extends: TEMPLATE,
      profiles: [PROFILE],
      labels: { 'doubletake.name': name },
      command: ['run', '--quiet', ...flags, `/scripts/${scriptFolderOf(scenario)}/${scenario}.js`],
      environment,
    },
  ]);
  return { services: Object.fromEntries(services) };
}

/**
 * @param {{ count: number, scenario: string, rawFolder: string, writtenFolder: string }} given
 * @returns {Promise<{ file: string, profiles: string[], services: string[] }>} file: for Compose
 */
export async function prepareGenerators({ count, scenario, rawFolder, writtenFolder }) {
  const services = generatorNames(count);
  await makeGeneratorFolders(count, writtenFolder);
  const file = join(rawFolder, RAW.generators);
  // JSON is YAML.
  await writePrivate(file, JSON.stringify(generatorsFile(count, scenario), null, 1));
  return { file, profiles: [PROFILE], services };
}

/** Each writes into one of its own. @param {number} count @param {string} writtenFolder */
export async function makeGeneratorFolders(count, writtenFolder) {
  for (const name of generatorNames(count)) {
    await mkdir(join(writtenFolder, name));
    await giveToContainers(join(writtenFolder, name));
  }
}

/**
 * Lets them go on when all have their users prepared.
 * @param {import('../docker/containers.js').Service[]} generators
 * @param {{ limitS: number, signal: AbortSignal }} options  limitS: for all of them to be prepared
 * @throws {RunFailedError} when one is not prepared in time, or does not go on
 */
export async function beginTogether(generators, { limitS, signal }) {
  const endsAt = Date.now() + limitS * 1000;
  let waiting = generators;
  while (waiting.length > 0) {
    await wait(POLL_MS, undefined, { signal });
    const prepared = await Promise.all(waiting.map(({ id }) => isPrepared(id)));
    waiting = waiting.filter((_, index) => !prepared[index]);
    if (waiting.length > 0 && Date.now() > endsAt)
      throw new RunFailedError(`Expected every generator to have its users prepared in ${limitS} s; ${namesOf(waiting)} had not.`);
  }
  await wait(untilAfterBeat(Date.now()), undefined, { signal });
  const told = await Promise.all(generators.map(({ id }) => executeToEnd(id, ['k6', 'resume'])));
  const deaf = generators.filter((_, index) => told[index].exitCode !== 0);
  if (deaf.length > 0) throw new RunFailedError(`${namesOf(deaf)} did not go on: ${told.map(({ output }) => output.trim()).join(' ')}`);
}

/** @param {string} id of its container */
async function isPrepared(id) {
  const { output } = await executeToEnd(id, ['k6', 'status']).catch(() => ({ output: '' }));
  return PREPARED.test(output);
}

/** @param {number} nowMs since 1970 @returns {number} milliseconds until they may be told */
export function untilAfterBeat(nowMs) {
  const since = (nowMs / 1000) % BEAT_S;
  const until = since <= AFTER_BEAT_S ? AFTER_BEAT_S - since : BEAT_S - since + AFTER_BEAT_S;
  return until * 1000;
}

/** @param {import('../docker/containers.js').Service[]} generators */
const namesOf = (generators) => generators.map(({ name }) => name).join(', ');
