/**
 * What the lab tells Compose about a stack: under which name it is up, and which files it is made of. Every call of Compose and
 * every question about containers takes one.
 *
 * @typedef {object} System
 * @property {string} project  name of Compose's project, which its containers, networks and volumes carry as a label
 * @property {string} cwd      folder in which Compose is called
 * @property {string[]} flags  between `docker compose` and the command
 * @property {Record<string, string>} [env]  what its files read, beside the shell's own variables
 * @property {boolean} [isClosed]  what the shell tells Compose (COMPOSE_FILE and the like) is not about it
 * @property {Deployment} [deployment]  who runs it, where that is not Compose on this machine's engine alone
 *
 * @typedef {{ write: (line: object) => void }} Lines
 * @typedef {Record<'containers' | 'kernel' | 'host' | 'events', Lines>} Records  of the observers
 *
 * @typedef {object} Deployment
 * @property {(given: { system: System, env: Record<string, string> }) => Promise<void>} bringUp  all but the generators
 * @property {(names: string[], writtenFolder: string) => Promise<void>} startGenerators
 * @property {() => Promise<import('dockerode').ContainerInfo[]>} listContainers  each with the label doubletake.host
 * @property {(services: import('./containers.js').Service[], records: Records) => Promise<() => Promise<void>>} observe  gives what stops it
 * @property {(writtenFolder: string) => Promise<string[]>} fetch  what containers wrote, when they have ended; gives a sentence for each thing
 *   that is not on record
 * @property {(service: string) => Promise<void>} update  replaces its container by a new one
 * @property {(host: string, availability: 'active' | 'drain') => Promise<void>} setAvailability
 * @property {() => Promise<string[]>} takeDown  gives what is still there
 * @property {object[]} outages  of its hosts, while they were watched
 */
import { randomBytes } from 'node:crypto';
import { delimiter } from 'node:path';
import { PROJECT, ROOT, RUN_PROJECT_PREFIX } from '../base/paths.js';
import { composeFileOf, LAB_FILE } from '../catalog/shipped-services.js';

const ID_BYTES = 2;

/** @type {(files: string[], profiles: string[]) => System} */
const shippedSystem = (files, profiles) => ({
  project: PROJECT,
  cwd: ROOT,
  flags: profiles.flatMap((profile) => ['--profile', profile]),
  // A fault has a file beside this one.
  isClosed: true,
  env: { COMPOSE_FILE: files.join(delimiter), COMPOSE_PROJECT_NAME: PROJECT, COMPOSE_PROFILES: '' },
});

/**
 * A shipped architecture: the Compose file of its folder, which has the lab's own services too.
 * @param {string} id
 * @param {string[]} profiles  that start
 * @param {string[]} [files]  beside its own
 * @returns {System}
 */
export const architectureSystem = (id, profiles, files = []) => shippedSystem([composeFileOf(id), ...files], profiles);

/**
 * What every shipped architecture has, whichever is up: the lab's own services, network and volumes.
 * @param {string[]} [profiles]
 * @returns {System}
 */
export const labSystem = (profiles = []) => shippedSystem([LAB_FILE], profiles);

/**
 * A user's own Compose files.
 * @param {{ project: string, folder: string, files: string[], env?: Record<string, string> }} given  files: as seen from the folder, in
 *   their order
 * @returns {System}
 */
export const ownSystem = ({ project, folder, files, env = {} }) => ({
  project,
  cwd: folder,
  flags: ['--project-name', project, ...files.flatMap((file) => ['--file', file])],
  // As in a shell in that folder; the lab's own is another, and files may mount "${PWD}/...".
  env: { PWD: folder, ...env },
});

/**
 * A stack by its labels alone, to be taken down. Without files Compose removes what the project made and nothing else; with them
 * also a volume of a fixed name that was there before.
 * @param {string} project
 * @returns {System}
 */
export const labelledSystem = (project) => ({
  project,
  cwd: ROOT,
  flags: ['--project-name', project],
  // Nor does a .env of the folder in which it is called.
  isClosed: true,
  env: { COMPOSE_DISABLE_ENV_FILE: '1' },
});

/** A name for the project of one run. */
export const newRunProject = () => `${RUN_PROJECT_PREFIX}${randomBytes(ID_BYTES).toString('hex')}`;

const RUN_PROJECT = new RegExp(`^${RUN_PROJECT_PREFIX}[0-9a-f]{${2 * ID_BYTES}}$`);

/** Whether the project has a name that the lab gives. @param {string | undefined} project */
export const isOfLab = (project) => project === PROJECT || RUN_PROJECT.test(project ?? '');
