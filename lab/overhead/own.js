/**
 * What the lab costs on a user's own system: the whole of `doubletake run` against the user's Compose files and k6 alone. With CAPTURE=1
 * what recording the wire costs: `doubletake run` against the same without it.
 */
import { measuredOf, measuredOfScript, summaryOfExport } from '../analyse/overhead.js';
import { checkSystem } from '../attach/checked-system.js';
import { readOwnSettings, readProject } from '../attach/commands.js';
import { measureProject } from '../attach/measure.js';
import { measureBareProject } from '../attach/measure-bare.js';
import { readScript } from '../attach/own-script.js';
import { readOption } from '../define/accepted-options.js';
import { NotReadyError } from '../define/errors.js';
import { ensureGenerator } from '../measure/images.js';
import { benchOverhead, CAPTURE, CAPTURE_ARMS, GROUP, readSummary, WHOLE } from './bench.js';

const ARMS = { lab: 'the whole lab', plain: 'bare Compose and k6' };
const WHAT = 'bench-overhead of your own system';

/** @typedef {import('../define/project-schema.js').Project} Project */
/** @typedef {import('../attach/project-target.js').ProjectSettings} Settings */

/**
 * @param {string} folder  of doubletake.yaml
 * @param {Record<string, string | undefined>} env  REPEATS: pairs; CAPTURE=1: what recording the wire costs alone; SEED, IMAGES, BUSY
 * @param {{ allowData: boolean } & import('../reporter.js').Around} options
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} when the system cannot be measured, or not without the lab
 */
export async function benchOwn(folder, env, { allowData, ...around }) {
  const settings = { ...readOwnSettings(folder, env, allowData, { command: 'bench-overhead', what: WHAT }), group: GROUP };
  const ofCapture = readOption('CAPTURE', env);
  return benchOverhead(ownSubject(folder, await readProject(folder), settings, ofCapture), env, around);
}

/** @type {(folder: string, project: Project, settings: Settings, ofCapture: boolean) => import('./bench.js').Subject} */
function ownSubject(folder, project, settings, ofCapture) {
  const { name, seed, allowData } = settings;
  const { judged, base } = ofCapture ? CAPTURE : WHOLE;
  return {
    ...{ judged, base, arms: ofCapture ? CAPTURE_ARMS : ARMS },
    conditions: `${name}, SEED=${seed}`,
    prepare: async ({ progress, signal }) => {
      const { say } = progress;
      const { shape: listed, load } = await checkSystem({ folder, project, side: null, allowData });
      const images = await ensureGenerator({ mode: settings.images, say, signal });
      const image = images.variables.K6_IMAGE;
      // What there is to say of it each run of the lab says.
      const script = await readScript({ project, folder, image, say: () => {} });
      if (script) refuseUnlike(script, String(project.load.script));
      const shape = script?.shape ?? listed;
      const byLab = async (/** @type {boolean | undefined} */ capture) => {
        const run = await measureProject({ folder, project, settings: { ...settings, capture }, progress, signal });
        signal.throwIfAborted();
        return readSummary(run.folder);
      };
      const bare = async () => {
        const summary = await measureBareProject({ folder, project, settings, image, script, say, signal });
        return script ? summaryOfExport(summary) : summary;
      };
      return {
        about: { images_mode: images.mode, system: name, load, load_title: shape.title, seed },
        measure: async (arm) => {
          const summary = arm === WHOLE.base ? await bare() : await byLab(ofCapture ? arm === judged : settings.capture);
          return script ? measuredOfScript(summary) : measuredOf(summary, shape);
        },
      };
    },
  };
}

/**
 * What plain k6 would not do as the lab's does.
 * @param {Pick<import('../attach/own-script.js').OwnScript, 'aborting' | 'asksMachine'>} script
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
