/**
 * Gets the images of a user's services before the stack comes up, so that what is wrong with one is told as that: those that are
 * built, then those that are missing.
 *
 * @typedef {import('../../target/compose-model.js').AttachedService} AttachedService
 */
import { NotReadyError } from '../../base/errors.js';
import { composeWith } from '../../docker/compose.js';
import { imageId, isPresent } from '../../docker/images.js';

const BUILD_LIMIT_MIN = 15;
const PULL_LIMIT_MIN = 10;
const LAST_LINES = 15;

/**
 * @param {object} options
 * @param {import('../../docker/system.js').System} options.system  with the overlay, which names the images that are built
 * @param {AttachedService[]} options.models
 * @param {Record<string, string>} options.names  that the overlay gives them, by service
 * @param {Record<string, string>} [options.kept]  ids of images that were built before, by service: what still has its name is not
 *   built again
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<Record<string, string>>} ids of the images that are built, by service
 * @throws {NotReadyError} when one can neither be built nor pulled
 */
export async function prepareImages({ system, models, names, kept = {}, say, signal }) {
  const get = async (/** @type {string} */ command, /** @type {string[]} */ services, /** @type {number} */ limitMin) => {
    const result = await composeWith(system, [command, ...services], { limitMs: limitMin * 60_000, signal });
    signal.throwIfAborted();
    return result.failed ? failureOf(String(result.all ?? ''), result.timedOut ? limitMin : null) : null;
  };
  const built = models.filter(({ isBuilt }) => isBuilt);
  const toBuild = staleOf(
    built.map(({ service }) => service),
    kept,
    await idsOf(built, names),
  );
  if (toBuild.length > 0) {
    say(`building ${toBuild.join(', ')}`);
    const failure = await get('build', toBuild, BUILD_LIMIT_MIN);
    if (failure !== null) throw new NotReadyError(`Building ${toBuild.join(', ')} failed${failure}`, remedyOfBuild(failure));
  }
  await pullMissing(
    models.filter(({ service }) => !Object.hasOwn(names, service)),
    get,
    say,
  );
  return idsOf(built, names);
}

/**
 * Services whose image is not the one that was built before.
 * @param {string[]} services
 * @param {Record<string, string>} kept
 * @param {Record<string, string>} present
 */
export const staleOf = (services, kept, present) => services.filter((service) => !kept[service] || kept[service] !== present[service]);

/** Those that the engine has. @param {AttachedService[]} models @param {Record<string, string>} names @returns {Promise<Record<string, string>>} */
async function idsOf(models, names) {
  const ids = await Promise.all(models.map(({ service, image }) => imageId(names[service] ?? image)));
  return Object.fromEntries(models.map(({ service }, index) => [service, ids[index]]).filter(([, id]) => id !== null));
}

/** @type {(models: AttachedService[], get: (command: string, services: string[], limitMin: number) => Promise<string | null>, say: (text: string) => void) => Promise<void>} */
async function pullMissing(models, get, say) {
  const missing = await missingOf(models);
  if (missing.length === 0) return;
  say(`pulling ${[...new Set(missing.map(({ image }) => image))].join(', ')}`);
  const services = missing.map(({ service }) => service);
  const failure = await get('pull', services, PULL_LIMIT_MIN);
  if (failure === null) return;
  const { problem, remedy } = refusalOfPull(await missingOf(missing), failure);
  throw new NotReadyError(problem, remedy);
}

/** What registries say of an image that they do not give to this user. */
const [DENIED, UNKNOWN] = [/pull access denied|unauthorized|denied:/i, /manifest unknown|not found|does not exist/i];

/**
 * @param {Pick<AttachedService, 'service' | 'image'>[]} missing  still
 * @param {string} failure  of failureOf
 * @returns {{ problem: string, remedy: string }}
 */
export function refusalOfPull(missing, failure) {
  const named = missing.map(({ service, image }) => `${image} for ${service}`).join(', ');
  const ways = [
    DENIED.test(failure) ? 'log in to its registry (docker login), if it is private' : '',
    UNKNOWN.test(failure) ? 'correct its name in the Compose file' : '',
    'load it by hand (docker load)',
    `have it built (give ${missing[0]?.service ?? 'the service'} "build" in a second Compose file)`,
  ];
  return {
    problem: `Images: expected ${named || 'what the Compose file names'}; it is not on this machine, and to pull it failed${failure}`,
    remedy: `${ways.filter((way) => way !== '').join(', or ')}.`,
  };
}

/** @param {AttachedService[]} models */
async function missingOf(models) {
  const pulled = models.filter(({ isBuilt, image }) => !isBuilt && image !== '');
  const present = await Promise.all(pulled.map(({ image }) => isPresent(image)));
  return pulled.filter((_, index) => !present[index]);
}

/** How BuildKit names the image that a Dockerfile begins with when its registry does not answer. */
const BASE_IMAGE = /\bHead "https?:\/\/[^/]+\/v2\/(?:library\/)?(\S+?)\/manifests\/([^"\s]+)"/;

/** What a builder says of a file that asks for what only later ones do. */
const TOO_OLD = /unsupported frontend capability|requires? BuildKit|the --mount option requires/i;
const NO_CONTEXT = /unable to prepare context|failed to read dockerfile|Cannot locate specified Dockerfile/i;

/** @param {string} failure  the last lines @returns {string} the end of "To do: ..." */
export function remedyOfBuild(failure) {
  if (TOO_OLD.test(failure)) return 'install a newer Docker: what its "build" asks for, that of this machine cannot do.';
  if (NO_CONTEXT.test(failure))
    return 'correct "context" or "dockerfile" of its "build" in the Compose file, or get what lies there (a submodule, another repository).';
  const [, name, tag] = BASE_IMAGE.exec(failure) ?? [];
  if (name === undefined) return 'correct what the last lines name.';
  const image = `${name}${tag.includes(':') ? '@' : ':'}${tag}`;
  return `get ${image}, with which its Dockerfile begins, onto this machine (docker pull or docker load), or have it begin with an image that is there.`;
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
