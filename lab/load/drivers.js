/**
 * Who makes the load. A driver is given the stack when it is healthy, says when it is ready and when the load begins, and
 * returns when the load has ended.
 *
 * @typedef {import('../docker/system.js').System} System
 *
 * @typedef {object} Driver
 * @property {string[]} profiles   of Compose that it needs beside the architecture's
 * @property {string} livePage     what is said of its own page, where that is on
 * @property {(images: Record<string, string>) => string | null} image  whose version is asked, among the variables that name them; null where
 *   the load is made by a service of the stack
 * @property {(options: DriveOptions) => Promise<import('./followed-generator.js').Generated[]>} drive  gives how each generator ended;
 *   none where the load is made by a service of the stack
 *
 * @typedef {object} DriveOptions
 * @property {System} system       with the profile of the generator
 * @property {string[]} [generators]  Compose's names of k6's services; the lab's one unless given
 * @property {Record<string, string>} env
 * @property {import('../docker/containers.js').Service[]} stack
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {string} rawFolder      of the run
 * @property {string} writtenFolder  that the containers write into
 * @property {import('../cli/progress.js').Progress} progress
 * @property {AbortSignal} signal
 * @property {(services: import('../docker/containers.js').Service[]) => Promise<void>} onReady  all services run, the generator's too
 * @property {(warmupBegan: number, loadBegins: number) => void} onWarmupBegan  seconds since 1970
 * @property {() => Promise<void>} onSettled  between warm-up and load, when no request is under way
 */
import { loadStart } from '../../k6/lib/shapes.js';
import { runLoad } from './load.js';
import { runProgram } from './program.js';

/** Its service in compose/lab.yaml. */
const K6 = 'k6';

/** @type {Record<import('../catalog/scenarios.js').Scenario['driver'], Driver>} */
export const drivers = {
  k6: {
    profiles: ['load'],
    livePage: "; k6's own live page is on http://127.0.0.1:5665",
    image: ({ K6_IMAGE: image }) => image,
    drive: ({ generators = [K6], stack, onReady, onWarmupBegan, writtenFolder, ...options }) =>
      runLoad({
        ...options,
        // What they say is followed where they write it.
        rawFolder: writtenFolder,
        generators,
        onCreated: (created) => onReady([...stack, ...created]),
        onWarmupBegan: (began) => onWarmupBegan(began, began + loadStart(options.shape)),
      }),
  },
  program: {
    profiles: [],
    livePage: '',
    image: () => null,
    drive: async ({ env, stack, shape, rawFolder, writtenFolder, progress, signal, onReady, onWarmupBegan, onSettled }) => {
      await onReady(stack);
      await onSettled();
      await runProgram({
        services: stack,
        variables: env,
        shape,
        rawFolder,
        writtenFolder,
        progress,
        signal,
        onBegan: (began) => onWarmupBegan(began, began),
      });
      return [];
    },
  },
};
