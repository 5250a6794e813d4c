/**
 * A load on a user's own system without the lab: the user's Compose files and k6, nothing that observes. The copy has a project name of its
 * own, as in every run, and what two projects cannot both have is taken away; all else is as the files have it.
 */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAW, WRITTEN } from '../define/paths.js';
import { readPrivate } from '../define/private-file.js';
import { spell } from '../define/spelling.js';
import { runBareLoad } from '../measure/bare-load.js';
import { preflight } from '../measure/preflight.js';
import { writingUser } from '../measure/run-folder.js';
import { makeScratch } from '../measure/scratch.js';
import { takeDown } from '../measure/stack.js';
import { labelledSystem } from '../measure/system.js';
import { bringUpOwn } from './bring-up.js';
import { checkSystem, systemOf } from './checked-system.js';
import { FILES } from './fill-folders.js';
import { plainGeneratorFor } from './generator.js';
import { openView } from './open-view.js';
import { GENERATOR, LEAST_COMPOSE, overlayText } from './overlay.js';
import { ownImages } from './own-images.js';
import { writeRequests } from './own-record.js';
import { keptInside } from './own-script.js';
import { prepareImages } from './prepare-images.js';
import { entryUrls } from './project-schema.js';

/** The folder around them is the lab's alone. */
const WORLD_WRITABLE = 0o777;

/**
 * @param {object} options
 * @param {string} options.folder   of doubletake.yaml, absolute
 * @param {import('./project-schema.js').Project} options.project
 * @param {Pick<import('./project-target.js').ProjectSettings, 'seed' | 'busy' | 'allowData'>} options.settings
 * @param {string} options.image    of k6
 * @param {import('./own-script.js').OwnScript | null} options.script  null where the load is no script
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<any>} k6's summary; of a script in the form of --summary-export
 * @throws {import('../define/errors.js').LabError} when the machine or the stack is not ready, or k6 fails
 */
export async function measureBareProject({ folder, project, settings, image, script, say, signal }) {
  const checked = await checkSystem({ folder, project, side: null, allowData: settings.allowData });
  const { runProject, models, requests, headers, load, users, thinkTimeS, shape } = checked;
  // As quiet as before the run that it is held against.
  await preflight({
    project: runProject,
    leastCompose: LEAST_COMPOSE,
    disk: folder,
    published: async () => [],
    busy: settings.busy,
    say,
    signal,
  });
  const images = ownImages(models, folder);
  const scratch = await makeScratch('bare');
  /** @type {import('../measure/engine-view.js').EngineView | null} */
  let view = null;
  try {
    view = await openView(checked.copy.view, scratch);
    const writtenFolder = join(scratch, WRITTEN.own);
    await mkdir(writtenFolder);
    await chmod(writtenFolder, WORLD_WRITABLE);
    await writeRequests(join(scratch, GENERATOR), requests);
    const wanted = {
      image,
      target: entryUrls(project)[0],
      shape: load,
      users,
      thinkTimeS,
      seed: settings.seed,
      dashboard: false,
      headers,
      script: keptInside(script, checked.copy.config),
    };
    const generator = await plainGeneratorFor({ ...wanted, user: writingUser() });
    // It may hold secrets.
    const overlay = join(scratch, 'overlay.yaml');
    // Services of a bare run write nothing, and nothing is laid over their configurations.
    const places = { writtenFolder, servicesFolder: scratch, copiesFolder: scratch };
    const changes = checked.copy.changes(join(scratch, FILES));
    await writeFile(overlay, overlayText({ models, project, parts: {}, run: { ...places, images, generator, changes, isBare: true } }));
    const system = systemOf({ project: runProject, folder, files: [...project.compose, overlay], side: null, supplies: checked.supplies });
    await prepareImages({ system, models, names: images, say, signal });
    say('bringing the stack up, without the lab');
    const { requests: asked } = await bringUpOwn({ checked, project, system, image, scratch, say, signal });
    await writeRequests(join(scratch, GENERATOR), asked);
    say(`load, without the lab: ${(script?.shape ?? shape).title}`);
    await runBareLoad({ system, generator: GENERATOR, env: {}, shape: script?.shape ?? shape, signal });
    return JSON.parse(String(readPrivate(join(writtenFolder, RAW.k6Summary)) ?? ''));
  } finally {
    say('taking the stack down');
    const left = await takeDown({}, labelledSystem(runProject));
    if (left !== null) say(`${left}; "${spell(['clean'])}" tries again`);
    await view?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}
