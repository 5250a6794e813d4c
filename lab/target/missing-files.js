/**
 * Files of this machine that a Compose file hands to its services, and that are not there. The engine would make an empty folder of the
 * superuser's of each, in the user's own, and the service would fail at that. A run has an example of it in its place where there is one;
 * else it leaves the mount out, so that the service has what its image has there.
 *
 * @typedef {object} Missing
 * @property {Map<string, any[]>} mounts   by service, all that it has then, of those that lack one
 * @property {Map<string, any[]>} configs  the same of Compose's configs
 * @property {string[]} said               a sentence each
 *
 * @typedef {import('./folder-state.js').Look} Look
 */
import { basename, relative } from 'node:path';
import { isNamedAsFile } from '../adapters/file-names.js';
import { exampleOf } from './example-file.js';
import { SOCKET } from './grave-mounts.js';

/**
 * Whether a mount is of a file that is not there. Of what a service may write to, that is known by its name alone: a folder is made on purpose.
 * @param {any} mount
 * @param {Look} look
 */
export function isMissing({ type, source = '', target = '', read_only: readOnly = false }, look) {
  const place = literal(source);
  if (type !== 'bind' || SOCKET.test(place)) return false;
  const isOfFile = isNamedAsFile(place) && isNamedAsFile(literal(target));
  if (look.kindOf(place) === null) return readOnly || isOfFile;
  // An engine made it of a file that was not there when somebody started the stack.
  return isOfFile && look.isEmptyFolder(place);
}

/**
 * @param {any} config  as Compose has resolved it
 * @param {{ look: Look, folder: string, isCopied: (source: string) => boolean }} given  isCopied: a folder that the run has in another's place
 * @returns {Missing}
 */
export function missingFiles({ services = {}, configs = {} }, { look, folder, isCopied }) {
  /** @type {Missing} */
  const missing = { mounts: new Map(), configs: new Map(), said: [] };
  const isThere = (/** @type {string} */ path) => look.kindOf(path) === 'file';
  /** @type {(what: string, place: string, service: string) => string | null} what is in its place */
  const inPlaceOf = (what, place, service) => {
    const example = place === '' ? null : exampleOf(place, isThere);
    missing.said.push(
      example === null
        ? `${what}: ${service} runs without it, with what its image has there.`
        : `${what}: ${basename(example)} is read in its place.`,
    );
    return example;
  };
  for (const [service, { volumes = [], configs: given = [] }] of Object.entries(services)) {
    const isGone = (/** @type {any} */ mount) => isMissing(mount, look) && !isCopied(literal(mount.source));
    if (volumes.some(isGone))
      missing.mounts.set(
        service,
        volumes.flatMap((/** @type {any} */ mount) => {
          const plain = { ...mount, source: literal(mount.source), target: literal(mount.target) };
          if (!isGone(mount)) return [mount.source === undefined ? mount : plain];
          const example = inPlaceOf(`${shown(plain.source, folder)} is not there`, plain.source, service);
          return example === null ? [] : [{ type: 'bind', source: example, target: plain.target, read_only: true }];
        }),
      );
    const lost = given.filter((/** @type {any} */ { source }) => whyLost(configs[source], look) !== null);
    if (lost.length === 0) continue;
    missing.configs.set(
      service,
      given.filter((/** @type {any} */ one) => !lost.includes(one)),
    );
    for (const { source } of lost) missing.said.push(`The config ${source} ${whyLost(configs[source], look)}: ${service} runs without it.`);
  }
  missing.said = [...new Set(missing.said)];
  return missing;
}

/** @type {(config: any, look: Look) => string | null} as a clause; null where it is there */
function whyLost({ external = false, file } = {}, look) {
  if (external) return 'is kept elsewhere';
  return file !== undefined && look.kindOf(literal(file)) === null ? 'is not there' : null;
}

/** @type {(path: string, folder: string) => string} */
function shown(path, folder) {
  const seen = relative(folder, path);
  return seen.startsWith('..') ? path : `./${seen}`;
}

/** `config` doubles every dollar sign. @param {unknown} value */
const literal = (value) => String(value ?? '').replaceAll('$$', () => '$');
