/**
 * Who makes the load. A driver is given the stack when it is healthy, says when it is ready and when the load begins, and
 * returns when the load has ended.
 *
 * @typedef {object} Driver
 * @property {string[]} profiles   of Compose that it needs beside the architecture's
 * @property {string} livePage     what is said of it while the load runs
 * @property {(profiles: string[], env: Record<string, string>) => Promise<string | null>} image  whose version is asked; null
 *   where the load is made by a service of the stack
 * @property {(options: DriveOptions) => Promise<void>} drive
 *
 * @typedef {object} DriveOptions
 * @property {string[]} profiles
 * @property {Record<string, string>} env
 * @property {import('./docker.js').Service[]} stack
 * @property {import('../../k6/shapes.js').Shape} shape
 * @property {string} rawFolder
 * @property {import('./progress.js').Progress} progress
 * @property {AbortSignal} signal
 * @property {(services: import('./docker.js').Service[]) => Promise<void>} onReady  all services run, the generator's too
 * @property {(warmupBegan: number, loadBegins: number) => void} onWarmupBegan  seconds since 1970
 * @property {() => Promise<void>} onSettled  between warm-up and load, when no request is under way
 */
import { loadStart } from '../../k6/shapes.js';
import { readConfig } from './compose.js';
import { runLoad } from './load.js';
import { runProgram } from './program.js';

/** @type {Record<import('../define/scenarios.js').Scenario['driver'], Driver>} */
export const drivers = {
  k6: {
    profiles: ['load'],
    livePage: "; k6's own live page is on http://127.0.0.1:5665",
    image: async (profiles, env) => (await readConfig([...profiles, 'load'], env)).services.k6.image,
    drive: async ({ env, stack, onReady, onWarmupBegan, ...options }) => {
      await runLoad({
        ...options,
        env,
        onCreated: (generator) => onReady([...stack, generator]),
        onWarmupBegan: (began) => onWarmupBegan(began, began + loadStart(options.shape)),
      });
    },
  },
  program: {
    profiles: [],
    livePage: '',
    image: async () => null,
    drive: async ({ env, stack, shape, rawFolder, progress, signal, onReady, onWarmupBegan, onSettled }) => {
      await onReady(stack);
      await onSettled();
      await runProgram({
        services: stack,
        variables: env,
        shape,
        rawFolder,
        progress,
        signal,
        onBegan: (began) => onWarmupBegan(began, began),
      });
    },
  },
};
