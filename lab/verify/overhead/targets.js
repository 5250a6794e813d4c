/**
 * What the bench is made on. Of the lab it is the published app on an architecture that it brings along, of a user the system of a folder, each
 * against bare Compose and bare k6. With CAPTURE=1 it is what recording the wire costs, against the same without it: of the lab on an
 * architecture of several hops.
 *
 * @typedef {import('./bench.js').BenchTarget} BenchTarget
 * @typedef {import('./bench.js').Measured} Measured
 * @typedef {Record<string, string | undefined>} Env
 *
 * @typedef {object} BenchedSystem       a system, ready to be measured
 * @property {Record<string, unknown>} about  what the file says of it
 * @property {(capture: boolean | undefined) => Promise<{ folder: string }>} run  with the whole lab; capture: whether the wire is recorded,
 *   as ever unless given
 * @property {(arm: string) => Promise<any>} bare  without it, as an arm has it; k6's summary
 * @property {(summary: any, isBare: boolean) => Measured} read  what k6 counted
 */

import { NotReadyError } from '../../base/errors.js';
import { scenarioOf } from '../../catalog/architectures.js';
import { shapeOf, shapes } from '../../catalog/scenarios.js';
import { calibrationFor } from '../../compare/calibrate.js';
import { measurableArchitecture, measurableFolder } from '../../compare/systems.js';
import { ensureGenerator, ensureImages } from '../../docker/images.js';
import { readScript } from '../../load/user-script.js';
import { acceptedBy, readOption, refuseAllBut } from '../../options/accepted-options.js';
import { readSettings } from '../../options/settings.js';
import { checkSystem } from '../../run/attach/checked-system.js';
import { hasProject, readProject, readProjectSettings } from '../../run/attach/commands.js';
import { measureBareProject } from '../../run/attach/measure-bare.js';
import { measureBare } from '../../run/run-bare.js';
import { benchOverhead, CAPTURE, CAPTURE_ARMS, GROUP, measuredOf, measuredOfScript, readSummary, summaryOfExport, WHOLE } from './bench.js';

const ARCHITECTURE = 'a';
/** Of several hops, and with room in every table: what fails would not be compared with what is served. */
const CAPTURED_ARCHITECTURE = '2a-slots';
const WHOLE_LAB = 'the whole lab';
/** @type {Record<string, { title: string, parts: import('../../run/run-bare.js').Parts }>} parts: that are the lab's */
const PLAIN = { plain: { title: 'the published app, bare k6', parts: { app: 'plain', generator: 'plain' } } };
/** Only with PARTS=1. What the whole lab costs beyond `unobserved` are its observers. @type {typeof PLAIN} */
const PARTS = {
  app: { title: 'the lab’s app, bare k6', parts: { app: 'lab', generator: 'plain' } },
  generator: { title: 'the published app, the lab’s k6 scenario', parts: { app: 'plain', generator: 'lab' } },
  unobserved: { title: 'the lab’s app and k6 scenario, no observers', parts: { app: 'lab', generator: 'lab' } },
};
/** The published app and the bare k6 know no delay and no rate: an arm that had them would be compared with one that has not. */
const TAKEN = acceptedBy('bench-overhead');
const PROJECT_BENCH = 'bench-overhead of your own system';
const PROJECT_PLAIN = { plain: 'bare Compose and k6' };

/**
 * Of the system of a folder, where one is described there, else of an architecture.
 * @param {string} folder
 * @param {Env} env
 * @param {{ allowData: boolean } & import('../../cli/reporter.js').Around} options
 * @returns {Promise<number>} exit code
 */
export const bench = async (folder, env, { allowData, ...around }) =>
  (await hasProject(folder)) ? benchProject(folder, env, { allowData, ...around }) : benchShipped(env, around);

/**
 * @param {Env} env  LOAD and BUDGET as for a run, `hold` and `none` when not given; REPEATS: pairs; PARTS=1: what each part costs too
 * @param {import('../../cli/reporter.js').Around} around
 * @returns {Promise<number>} exit code
 */
export async function benchShipped(env, around) {
  refuseAllBut('bench-overhead', TAKEN, env);
  const ofCapture = readOption('CAPTURE', env);
  const takenWithIt = TAKEN.filter((name) => name !== 'PARTS');
  if (ofCapture) refuseAllBut('bench-overhead with CAPTURE=1', takenWithIt, env);
  return benchOverhead(architectureTarget(env, ofCapture), env, around);
}

/**
 * @param {string} folder  of doubletake.yaml
 * @param {Env} env  REPEATS: pairs; CAPTURE=1: what recording the wire costs alone; SEED, IMAGES, BUSY
 * @param {{ allowData: boolean } & import('../../cli/reporter.js').Around} options
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} when the system cannot be measured, or not without the lab
 */
export async function benchProject(folder, env, { allowData, ...around }) {
  const settings = readProjectSettings(folder, env, allowData, { command: 'bench-overhead', what: PROJECT_BENCH });
  const ofCapture = readOption('CAPTURE', env);
  return benchOverhead(projectTarget(folder, await readProject(folder), settings, ofCapture), env, around);
}

/**
 * @param {object} given
 * @param {boolean} given.ofCapture
 * @param {Record<string, string>} given.without  the arms without the lab, with their titles
 * @param {string} given.conditions
 * @param {(around: Parameters<BenchTarget['prepare']>[0]) => Promise<BenchedSystem>} given.prepare
 * @returns {BenchTarget}
 */
const targetOf = ({ ofCapture, without, conditions, prepare }) => ({
  ...(ofCapture ? CAPTURE : WHOLE),
  arms: ofCapture ? CAPTURE_ARMS : { [WHOLE.judged]: WHOLE_LAB, ...without },
  conditions,
  prepare: async (around) => {
    const { about, run, bare, read } = await prepare(around);
    return {
      about,
      measure: async (arm) => {
        if (!ofCapture && arm !== WHOLE.judged) return read(await bare(arm), true);
        const { folder } = await run(ofCapture ? arm === CAPTURE.judged : undefined);
        around.signal.throwIfAborted();
        return read(await readSummary(folder), false);
      },
    };
  },
});

/** @type {(env: Env, ofCapture: boolean) => BenchTarget} */
function architectureTarget(env, ofCapture) {
  const architecture = ofCapture ? CAPTURED_ARCHITECTURE : ARCHITECTURE;
  const settings = readSettings(architecture, { ...env, LOAD: env.LOAD || 'hold', BUDGET: env.BUDGET || 'none' });
  const without = readOption('PARTS', env) ? { ...PLAIN, ...PARTS } : PLAIN;
  const { load, budget, integrity } = settings;
  return targetOf({
    ofCapture,
    without: Object.fromEntries(Object.entries(without).map(([id, { title }]) => [id, title])),
    conditions: `${ofCapture ? `${architecture}, ` : ''}LOAD=${load} BUDGET=${budget}`,
    prepare: async ({ progress, signal }) => {
      const images = await ensureImages({ mode: settings.images, architectures: [architecture], say: progress.say, signal });
      const calibration = await calibrationFor({ settings, progress, signal });
      const shape = shapes[shapeOf(scenarioOf(architecture), load)](settings.variables);
      const system = measurableArchitecture(settings, { calibration });
      return {
        about: { images_mode: images.mode, architecture, load, budget, integrity },
        run: (capture) => system.measure({ capture, group: GROUP, progress, signal }),
        bare: (arm) => measureBare({ parts: without[arm].parts, settings, images, calibration, say: progress.say, signal }),
        read: (summary) => measuredOf(summary, shape),
      };
    },
  });
}

/** @type {(folder: string, project: import('../../catalog/project-schema.js').Project, settings: import('../../run/attach/project-target.js').ProjectSettings, ofCapture: boolean) => BenchTarget} */
function projectTarget(folder, project, settings, ofCapture) {
  const { name, seed, allowData } = settings;
  return targetOf({
    ofCapture,
    without: PROJECT_PLAIN,
    conditions: `${name}, SEED=${seed}`,
    prepare: async ({ progress, signal }) => {
      const { say } = progress;
      const { shape: listed, load } = await checkSystem({ folder, project, arm: null, allowData });
      const images = await ensureGenerator({ mode: settings.images, say, signal });
      const image = images.variables.K6_IMAGE;
      // What there is to say of it each run of the lab says.
      const script = await readScript({ project, folder, image, say: () => {} });
      if (script) refuseUnlike(script, String(project.load.script));
      const shape = script?.shape ?? listed;
      return {
        about: { images_mode: images.mode, system: name, load, load_title: shape.title, seed },
        run: (capture) => measurableFolder({ folder, project, settings }).measure({ capture, group: GROUP, progress, signal }),
        bare: () => measureBareProject({ folder, project, settings, image, script, say, signal }),
        read: (summary, isBare) => {
          if (!script) return measuredOf(summary, shape);
          return measuredOfScript(isBare ? summaryOfExport(summary) : summary);
        },
      };
    },
  });
}

/**
 * What plain k6 would not do as the lab's does.
 * @param {Pick<import('../../load/user-script.js').UserScript, 'aborting' | 'asksMachine'>} script
 * @param {string} name
 * @throws {NotReadyError}
 */
export function refuseUnlike({ aborting, asksMachine }, name) {
  if (asksMachine)
    throw new NotReadyError(
      `${name}: expected a script that asks services by their names, with the lab and without; found localhost in it, which to plain k6 in its container is k6 itself.`,
      'let it ask the address that it finds in __ENV.TARGET.',
    );
  if (aborting.length === 0) return;
  throw new NotReadyError(
    `${name}: expected a script that runs to its end, with the lab and without; found abortOnFail in its thresholds of ${aborting.join(', ')}.`,
    'leave abortOnFail out while this is measured.',
  );
}
