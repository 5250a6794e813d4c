/**
 * The capture of one run, as far as this machine allows it.
 */
import { docker } from '../../docker/docker.js';
import { ensureRecorder } from '../../docker/images.js';
import { Capture } from './capture.js';
import { clearEarlier } from './scratch.js';

/** Beside the load: to bring a stack up, to warm it up, and to collect its record. */
const AROUND_LOAD_S = 900;

/**
 * @param {object} options
 * @param {boolean} options.isWanted
 * @param {string} options.project  of the run
 * @param {number} options.loadS    how long the load is
 * @param {import('../../options/settings.js').ImageMode} options.images
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<Capture | null>} null where it is not wanted
 */
export async function captureOf({ isWanted, project, loadS, images, say, signal }) {
  // What a run that was killed has left is private, wherever this one is not recorded.
  await clearEarlier(docker).catch(() => {});
  if (!isWanted) return null;
  try {
    const image = await ensureRecorder({ mode: images, say, signal });
    return new Capture({ project, image, limitS: loadS + AROUND_LOAD_S });
  } catch (error) {
    signal.throwIfAborted();
    return new Capture({ project, unable: error instanceof Error ? error.message.split('\n')[0] : String(error) });
  }
}
