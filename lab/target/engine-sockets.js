/**
 * Services that mount the engine's socket and stay in a run, as a proxy that finds its servers there: each has in its place a view of the
 * engine (lab/docker/engine-view.js) that can only read, and sees the run's own copy. Here it is decided which, and what they see. Pure.
 *
 * @typedef {import('./compose-changes.js').Changes} Changes
 * @typedef {import('../docker/engine-view-question.js').Names} Names
 * @typedef {{ services: string[], names: Names }} View
 */
import { join } from 'node:path';
import { ENGINE_API_SOCKET, writesRoutes } from '../adapters/found-servers.js';
import { serviceModels } from './compose-model.js';

/** The view in the folder of the run's own files; as a socket it would be one of this machine's. */
export const VIEW_FILE = 'engine-view';

/** @param {any} found of a service */
export const mountsSocket = ({ volumes = [] }) => volumes.some(isSocket);

/** @param {any} mount */
const isSocket = ({ type, source = '' }) => type === 'bind' && ENGINE_API_SOCKET.test(source);

/**
 * @param {any} config   of the copy, as Compose would resolve it
 * @param {object} given
 * @param {any} given.original  as Compose has resolved the user's files
 * @param {string[]} given.without  services that are left out
 * @param {string} given.own   Compose's name of the user's own stack
 * @returns {View | null} null where none needs it
 */
export function viewFor(config, { original, without, own }) {
  const staying = Object.entries(config.services).filter(([service]) => !without.includes(service));
  const services = staying.filter(([, found]) => mountsSocket(found)).map(([service]) => service);
  if (services.length === 0) return null;
  const writers = serviceModels(config).filter((model) => services.includes(model.service) && writesRoutes(model));
  return { services, names: { ...namesFor(config, original, own), ...(writers.length > 0 ? { reloads: true } : {}) } };
}

/** @type {(config: any, original: any, own: string) => Names} */
function namesFor({ name: project, networks = {} }, original, own) {
  const known = Object.entries(original.networks ?? {}).flatMap(([key, { name = '' }]) =>
    name === '' || name.includes(project) ? [] : [[networks[key]?.name ?? `${project}_${key}`, name]],
  );
  const contained = Object.entries(original.services).flatMap(([service, { container_name: name }]) =>
    name ? [[`${project}-${service}-1`, name]] : [],
  );
  return { project, own, known: Object.fromEntries([...known, ...contained]) };
}

/**
 * Names of the run's own project, as a network's in a command, are what they are in the user's stack: under these they are seen.
 * @param {any} config
 * @param {View | null} view
 * @param {string} filesFolder  of this run
 * @returns {Changes}
 */
export function withView(config, view, filesFolder) {
  if (view === null) return {};
  const { project, own } = view.names;
  const services = Object.entries(config.services).flatMap(([service, { volumes = [], command, entrypoint, environment = {} }]) => {
    const mounts = view.services.includes(service) ? volumes.filter(isSocket).map(inPlace(filesFolder)) : [];
    const variables = Object.entries(environment).filter(([, value]) => String(value).includes(project));
    const changes = {
      ...(mounts.length > 0 ? { volumes: mounts } : {}),
      ...Object.fromEntries(Object.entries({ command, entrypoint }).flatMap(([key, words]) => renamed(key, words, { project, own }))),
      ...(variables.length > 0
        ? { environment: Object.fromEntries(variables.map(([name, value]) => [name, value.replaceAll(project, () => own)])) }
        : {}),
    };
    return Object.keys(changes).length > 0 ? [[service, changes]] : [];
  });
  return { services: Object.fromEntries(services) };
}

/** @param {string} filesFolder */
const inPlace =
  (filesFolder) =>
  (/** @type {any} */ { target, read_only: readOnly = false }) => ({
    type: 'bind',
    source: join(filesFolder, VIEW_FILE),
    target,
    read_only: readOnly,
    bind: { create_host_path: false },
  });

/** @type {(key: string, words: unknown, names: { project: string, own: string }) => [string, string[]][]} */
const renamed = (key, words, { project, own }) =>
  Array.isArray(words) && words.some((word) => word.includes(project))
    ? [[key, words.map((word) => word.replaceAll(project, () => own))]]
    : [];

/** @param {View | null} view @returns {string[]} a sentence */
export const aboutView = (view) =>
  view === null
    ? []
    : [
        `${view.services.join(', ')}: in place of the engine’s socket one of the run’s, which can only read, and sees the run’s own containers${view.names.reloads ? '; with it a proxy of the run is told to read its configuration again' : ''}.`,
      ];
