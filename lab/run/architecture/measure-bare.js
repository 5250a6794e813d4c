/**
 * An architecture without the lab. App and generator are each the published one in its plainest form, or the lab's own, so that what each
 * of the lab's parts costs can be told.
 */
import { REPORTS } from '../../base/paths.js';
import { architectures, profileOf, scenarioOf } from '../../catalog/architectures.js';
import { quotaVariables } from '../../catalog/budgets.js';
import { scriptOf, shapeOf, shapes } from '../../catalog/scenarios.js';
import { architectureSystem, labSystem } from '../../docker/containers.js';
import { describeMachine } from '../../docker/lock.js';
import { bringUp } from '../../docker/stack.js';
import { conditionsOf } from '../../options/calibration.js';
import { runBare } from '../run-bare.js';

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
 * @param {import('../../options/settings.js').Settings} options.settings
 * @param {import('../../docker/images.js').Images} options.images
 * @param {import('../../options/calibration.js').Calibration | null} options.calibration
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<any>} k6's summary
 * @throws {import('../../base/errors.js').LabError} when the machine or the stack is not ready, or k6 fails
 */
export const measureBare = ({ say, signal, ...given }) => runBare(bareArchitecture(given), { say, signal });

/** @type {(given: Omit<Parameters<typeof measureBare>[0], 'say' | 'signal'>) => import('../run-bare.js').BareTarget} */
function bareArchitecture({ parts, settings, images, calibration }) {
  const { architecture, busy } = settings;
  const scenario = scenarioOf(architecture);
  const stack = parts.app === 'plain' ? PLAIN : architecture;
  const [profile, generator] = GENERATORS[parts.generator];
  return {
    project: labSystem().project,
    needs: { disk: REPORTS },
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
