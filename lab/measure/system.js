/**
 * What the lab tells Compose about a stack: under which name it is up, and which files it is made of. Every call of Compose and
 * every question about containers takes one.
 *
 * @typedef {object} System
 * @property {string} project  name of Compose's project, which its containers, networks and volumes carry as a label
 * @property {string} cwd      folder in which Compose is called
 * @property {string[]} flags  between `docker compose` and the command
 * @property {Record<string, string>} [env]  what its files read, beside the shell's own variables
 */
import { randomBytes } from 'node:crypto';
import { PROJECT, ROOT, RUN_PROJECT_PREFIX } from '../define/paths.js';

const ID_BYTES = 2;

/**
 * A shipped architecture, by its profiles. Compose finds the files in the root by itself, and others by COMPOSE_FILE.
 * @param {string[]} profiles
 * @returns {System}
 */
export const architectureSystem = (profiles) => ({
  project: PROJECT,
  cwd: ROOT,
  flags: profiles.flatMap((profile) => ['--profile', profile]),
});

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
export const labelledSystem = (project) => ({ project, cwd: ROOT, flags: ['--project-name', project] });

/** A name for the project of one run. */
export const newRunProject = () => `${RUN_PROJECT_PREFIX}${randomBytes(ID_BYTES).toString('hex')}`;

/** Whether the lab made the project. @param {string | undefined} project */
export const isOfLab = (project) => project === PROJECT || project?.startsWith(RUN_PROJECT_PREFIX) === true;
