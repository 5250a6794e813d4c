/**
 * Gets the images of a user's services before the stack comes up, so that what is wrong with one is told as that: those that are
 * built, then those that are missing.
 */
import { NotReadyError } from '../define/errors.js';
import { composeWith } from '../measure/compose.js';
import { isPresent } from '../measure/images.js';

const BUILD_LIMIT_MIN = 15;
const PULL_LIMIT_MIN = 10;
const LAST_LINES = 15;

/**
 * @param {object} options
 * @param {import('../measure/system.js').System} options.system  with the overlay, which names the images that are built
 * @param {import('./compose-model.js').AttachedService[]} options.models
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @throws {NotReadyError} when one can neither be built nor pulled
 */
export async function prepareImages({ system, models, say, signal }) {
  const get = async (/** @type {string} */ command, /** @type {string[]} */ services, /** @type {number} */ limitMin) => {
    const result = await composeWith(system, [command, ...services], { limitMs: limitMin * 60_000, signal });
    signal.throwIfAborted();
    return result.failed ? failureOf(String(result.all ?? ''), result.timedOut ? limitMin : null) : null;
  };
  const built = models.filter(({ isBuilt }) => isBuilt).map(({ service }) => service);
  if (built.length > 0) {
    say(`building ${built.join(', ')}`);
    const failure = await get('build', built, BUILD_LIMIT_MIN);
    if (failure !== null) throw new NotReadyError(`Building ${built.join(', ')} failed${failure}`, 'correct what the last lines name.');
  }
  const missing = await missingOf(models);
  if (missing.length === 0) return;
  const images = [...new Set(missing.map(({ image }) => image))].join(', ');
  say(`pulling ${images}`);
  const services = missing.map(({ service }) => service);
  const failure = await get('pull', services, PULL_LIMIT_MIN);
  if (failure !== null)
    throw new NotReadyError(`Pulling ${images} failed${failure}`, 'correct the name, check the network, or load the image by hand.');
}

/** @param {import('./compose-model.js').AttachedService[]} models */
async function missingOf(models) {
  const pulled = models.filter(({ isBuilt, image }) => !isBuilt && image !== '');
  const present = await Promise.all(pulled.map(({ image }) => isPresent(image)));
  return pulled.filter((_, index) => !present[index]);
}

/**
 * @param {string} output of Compose
 * @param {number | null} limitMin  null where it ended by itself
 * @returns {string} the end of a sentence, and the last lines
 */
export function failureOf(output, limitMin) {
  const lines = output.trim().split('\n').slice(-LAST_LINES).join('\n').replace(/^/gm, '    ');
  return `${limitMin === null ? '' : ` (it did not end in ${limitMin} min)`}; its last lines:\n${lines.trim() === '' ? '    (it wrote nothing)' : lines}`;
}
