/**
 * A load on a target without the lab: its Compose files and k6, nothing that observes.
 *
 * @typedef {import('../docker/containers.js').System} System
 *
 * @typedef {object} BareTarget
 * @property {string} project      Compose's name of the run
 * @property {Pick<Parameters<typeof preflight>[0], 'leastCompose' | 'disk'>} needs  of the machine
 * @property {'refuse' | 'allow'} busy
 * @property {(given: { scratch: string, writtenFolder: string } & Around) => Promise<BareReady>} prepare  scratch: folder that is removed
 *   after the run; writtenFolder: in it, that the generator writes into
 * @property {() => Promise<void>} close  when its stack is gone, or never was there
 *
 * @typedef {{ say: (text: string) => void, signal: AbortSignal }} Around
 *
 * @typedef {object} BareReady
 * @property {System} loadSystem   that has the generator
 * @property {string} generator    Compose's name of its service
 * @property {System} down         by which the stack is taken down
 * @property {Record<string, string>} env  that Compose reads
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {() => Promise<unknown>} bringUp
 */

import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GRACEFUL_STOP_S, loadDuration, loadStart } from '../../k6/lib/shapes.js';
import { RunFailedError } from '../base/errors.js';
import { readPrivate } from '../base/files.js';
import { formatCommand } from '../base/format-command.js';
import { RAW, REPORTS, WRITTEN } from '../base/paths.js';
import { architectures, profileOf, scenarioOf } from '../catalog/architectures.js';
import { quotaVariables } from '../catalog/budgets.js';
import { scriptOf, shapeOf, shapes } from '../catalog/scenarios.js';
import { architectureSystem, labSystem } from '../docker/containers.js';
import { containerById, readLog } from '../docker/docker.js';
import { describeMachine } from '../docker/lock.js';
import { makeScratch } from '../docker/scratch.js';
import { bringUp, takeDown } from '../docker/stack.js';
import { startGenerators } from '../load/load.js';
import { conditionsOf } from '../options/calibration.js';
import { LEAST_COMPOSE, preflight } from './preflight.js';

/** The folder around it is the lab's alone. */
const WORLD_WRITABLE = 0o777;
/** k6 prepares its users before the load and writes its summary after it. */
const AROUND_LOAD_LIMIT_S = 180;
const LAST_LINES = 15;
/** Exit codes of k6; 99: a threshold was not met, which a script of the user's own may have. */
const ENDED_WELL = [0, 99];

/**
 * @param {BareTarget} target
 * @param {Around} around
 * @returns {Promise<any>} k6's summary; of a user's script in the form of --summary-export
 * @throws {import('../base/errors.js').LabError} when the machine or the stack is not ready, or k6 fails
 */
export async function runBare({ project, needs, busy, prepare, close }, { say, signal }) {
  // As quiet as before the run that it is compared with.
  await preflight({ ...needs, project, published: async () => [], busy, say, signal });
  const scratch = await makeScratch('bare');
  /** @type {BareReady | null} */
  let ready = null;
  try {
    const writtenFolder = join(scratch, WRITTEN.own);
    await mkdir(writtenFolder);
    await chmod(writtenFolder, WORLD_WRITABLE);
    ready = await prepare({ scratch, writtenFolder, say, signal });
    const { shape } = ready;
    say('bringing the stack up, without the lab');
    await ready.bringUp();
    say(`load, without the lab: ${shape.title}`);
    await load(ready, signal);
    return JSON.parse(String(readPrivate(join(writtenFolder, RAW.k6Summary)) ?? ''));
  } finally {
    if (ready !== null) await bringDown(ready, say);
    await close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** @type {(ready: BareReady, say: (text: string) => void) => Promise<void>} */
async function bringDown({ env, down }, say) {
  say('taking the stack down');
  const left = await takeDown(env, down);
  if (left !== null) say(`${left}; "${formatCommand(['clean'])}" tries again`);
}

/**
 * A k6 of which nothing is followed: from its start to its end.
 * @param {BareReady} ready
 * @param {AbortSignal} signal
 * @throws {RunFailedError} when k6 fails, or does not end in time
 */
async function load({ loadSystem: system, generator, env, shape }, signal) {
  const [created] = await startGenerators({ system, generators: [generator], env, signal });
  const limitS = AROUND_LOAD_LIMIT_S + loadStart(shape) + loadDuration(shape) + GRACEFUL_STOP_S;
  const inTime = new AbortController();
  const overdue = wait(limitS * 1000, null, { signal: AbortSignal.any([signal, inTime.signal]) });
  try {
    const ended = await Promise.race([containerById(created.id).wait(), overdue]);
    if (ended !== null && ENDED_WELL.includes(ended.StatusCode)) return;
    const how = ended === null ? `did not end in ${limitS} s` : `ended with exit code ${ended.StatusCode}`;
    throw new RunFailedError(`k6 ${how}; the last lines of its log:\n${await readLog(created.id, LAST_LINES)}`);
  } finally {
    // What is not waited for any more must not keep the lab from ending, nor be an unhandled rejection.
    overdue.catch(() => {});
    inTime.abort();
  }
}

/*
 * An architecture without the lab. App and generator are each the published one in its plainest form, or the lab's own, so that what each
 * of the lab's parts costs can be told.
 */

/** Its folder is called like its profile. */
const PLAIN = 'plain';
/** Profile and service of Compose. */
const GENERATORS = { plain: ['plain-load', 'k6-plain'], lab: ['load', 'k6'] };

/** @typedef {{ app: 'plain' | 'lab', generator: 'plain' | 'lab' }} Parts */

/** What an architecture is measured as without the whole lab, the plainest first. @type {Record<string, { title: string, parts: Parts }>} parts: that are the lab's */
export const BARE_ARMS = {
  plain: { title: 'the published app, bare k6', parts: { app: 'plain', generator: 'plain' } },
  app: { title: 'the lab’s app, bare k6', parts: { app: 'lab', generator: 'plain' } },
  generator: { title: 'the published app, the lab’s k6 scenario', parts: { app: 'plain', generator: 'lab' } },
  // What the whole lab costs beyond this are its observers.
  unobserved: { title: 'the lab’s app and k6 scenario, no observers', parts: { app: 'lab', generator: 'lab' } },
};

/**
 * @param {object} options
 * @param {Parts} options.parts
 * @param {import('../options/settings.js').Settings} options.settings
 * @param {import('../docker/images.js').Images} options.images
 * @param {import('../options/calibration.js').Calibration | null} options.calibration
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<any>} k6's summary
 * @throws {import('../base/errors.js').LabError} when the machine or the stack is not ready, or k6 fails
 */
export const measureBare = ({ say, signal, ...given }) => runBare(bareArchitecture(given), { say, signal });

/** @type {(given: Omit<Parameters<typeof measureBare>[0], 'say' | 'signal'>) => BareTarget} */
function bareArchitecture({ parts, settings, images, calibration }) {
  const { architecture, busy } = settings;
  const scenario = scenarioOf(architecture);
  const stack = parts.app === 'plain' ? PLAIN : architecture;
  const [profile, generator] = GENERATORS[parts.generator];
  return {
    project: labSystem().project,
    needs: { leastCompose: LEAST_COMPOSE, disk: REPORTS },
    busy,
    prepare: async ({ writtenFolder, signal }) => {
      const shapeId = shapeOf(scenario, settings.load);
      const { quotas, think_time_s: thinkTimeS } = conditionsOf(settings, (await describeMachine()).cores, calibration);
      const thinkTime = thinkTimeS === null ? '' : String(thinkTimeS);
      const env = {
        ...images.variables,
        ...quotaVariables(settings.budget, quotas),
        ...settings.variables,
        RAW_FOLDER: writtenFolder,
        RUN_ID: 'bare',
        ...scriptOf(scenario),
        SHAPE: shapeId,
        THINK_TIME_S: thinkTime,
        TARGET: architectures[architecture].entry ?? '',
        INTEGRITY: settings.integrity ? '1' : '',
        K6_WEB_DASHBOARD: 'false',
      };
      const system = architectureSystem(stack, [parts.app === 'plain' ? stack : profileOf(stack)]);
      return {
        loadSystem: architectureSystem(stack, [profile]),
        generator,
        down: labSystem(),
        env,
        shape: shapes[shapeId]({ ...settings.variables, THINK_TIME_S: thinkTime }),
        bringUp: () => bringUp({ system, env, signal }),
      };
    },
    close: async () => {},
  };
}
