/**
 * Opens the view of the engine that services of a copy have in the place of the engine's socket (engine-sockets.js).
 *
 * @typedef {import('../../target/engine-sockets.js').View} View
 * @typedef {import('../../docker/engine-view.js').EngineView} EngineView
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../docker/compose.js';
import { engineSocket } from '../../docker/docker.js';
import { serveEngineView } from '../../docker/engine-view.js';
import { mountsSocket, VIEW_FILE } from '../../target/engine-sockets.js';
import { suppliedSystem } from '../../target/supplied-config.js';
import { FILES } from './fill-folders.js';

/**
 * Compose's name of the user's own stack, where a service would see it.
 * @param {any} config  as Compose has resolved the files under another name
 * @param {Parameters<typeof suppliedSystem>[0]} given
 * @param {Parameters<typeof suppliedSystem>[1]} supplies
 * @returns {Promise<string>}
 */
export async function ownNameOf(config, given, supplies) {
  if (!Object.values(config.services ?? {}).some(mountsSocket)) return config.name;
  const system = suppliedSystem(given, supplies);
  const at = system.flags.indexOf('--project-name');
  const { name } = await readConfig({ ...system, flags: system.flags.toSpliced(at, 2) }, {}).catch(() => config);
  return name;
}

/**
 * @param {View | null} view
 * @param {string} scratch  folder of the run
 * @returns {Promise<EngineView | null>} to be closed when the copy is gone
 */
export async function openView(view, scratch) {
  const engine = await engineSocket();
  if (view === null || engine === null) return null;
  const folder = join(scratch, FILES);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return serveEngineView({ path: join(folder, VIEW_FILE), engine, names: view.names });
}

/**
 * @param {View | null} view
 * @param {EngineView | null} opened
 * @returns {string[]} a sentence, where a service wanted more of the engine than it could have
 */
export function refusedNotes(view, opened) {
  const refused = opened?.refused() ?? [];
  if (view === null || refused.length === 0) return [];
  return [`${view.services.join(', ')} asked the engine for more than a run gives, and was refused: ${refused.join(', ')}.`];
}
