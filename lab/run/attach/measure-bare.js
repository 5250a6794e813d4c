/**
 * A user's own system without the lab. The copy has a project name of its own, as in every run, and what two projects cannot both have is
 * taken away; all else is as the files have it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entryUrls } from '../../catalog/project-schema.js';
import { labelledSystem } from '../../docker/containers.js';
import { writingUser } from '../../docker/scratch.js';
import { plainGeneratorFor } from '../../load/generator.js';
import { keptInside } from '../../load/user-script.js';
import { projectImages, writeRequests } from '../../target/generators.js';
import { GENERATOR, overlayText } from '../../target/overlay.js';
import { runBare } from '../run-bare.js';
import { checkSystem, systemOf } from './checked-system.js';
import { FILES, openView } from './open-view.js';
import { bringUpStack, prepareImages } from './prepare-images.js';

/**
 * @typedef {object} BareProject
 * @property {string} folder   of doubletake.yaml, absolute
 * @property {import('../../catalog/project-schema.js').Project} project
 * @property {Pick<import('./project-target.js').ProjectSettings, 'seed' | 'busy' | 'allowData'>} settings
 * @property {string} image    of k6
 * @property {import('../../load/user-script.js').UserScript | null} script  null where the load is no script
 *
 * @param {BareProject & { say: (text: string) => void, signal: AbortSignal }} options
 * @returns {Promise<any>} k6's summary; of a script in the form of --summary-export
 * @throws {import('../../base/errors.js').LabError} when the machine or the stack is not ready, or k6 fails
 */
export async function measureBareProject({ say, signal, ...given }) {
  return runBare(await bareProject(given), { say, signal });
}

/** @type {(given: BareProject) => Promise<import('../run-bare.js').BareTarget>} */
async function bareProject({ folder, project, settings, image, script }) {
  const checked = await checkSystem({ folder, project, arm: null, allowData: settings.allowData });
  const { runProject, models, requests, headers, mark, load, users, thinkTimeS, copy, supplies } = checked;
  /** @type {import('../../docker/http-answer.js').EngineView | null} */
  let view = null;
  return {
    project: runProject,
    needs: { disk: folder },
    busy: settings.busy,
    prepare: async ({ scratch, writtenFolder, say, signal }) => {
      view = await openView(copy.view, scratch);
      await writeRequests(join(scratch, GENERATOR), requests);
      const generator = await plainGeneratorFor({
        ...{ image, target: entryUrls(project)[0], shape: load, users, thinkTimeS, seed: settings.seed, dashboard: false, headers, mark },
        script: keptInside(script, copy.config),
        user: writingUser(),
      });
      // It may hold secrets.
      const overlay = join(scratch, 'overlay.yaml');
      // Services of a bare run write nothing, and nothing is laid over their configurations.
      const places = { writtenFolder, servicesFolder: scratch, copiesFolder: scratch };
      const images = projectImages(models, folder);
      const changes = copy.changes(join(scratch, FILES));
      await writeFile(overlay, overlayText({ models, project, parts: {}, run: { ...places, images, generator, changes, isBare: true } }));
      const system = systemOf({ project: runProject, folder, files: [...project.compose, overlay], arm: null, supplies });
      await prepareImages({ system, models, names: images, say, signal });
      return {
        loadSystem: system,
        generator: GENERATOR,
        down: labelledSystem(runProject),
        env: {},
        shape: script?.shape ?? checked.shape,
        bringUp: async () => {
          const { requests: asked } = await bringUpStack({ checked, project, system, image, scratch, say, signal });
          await writeRequests(join(scratch, GENERATOR), asked);
        },
      };
    },
    close: async () => view?.close(),
  };
}
