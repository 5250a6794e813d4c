/**
 * A user's own k6 script as the load: what is mounted for it, and what it will do. The script itself stays as it is; k6 runs a wrapper
 * around it, which it gets by its standard input, in the script's folder (wrapper.js says why).
 *
 * @typedef {object} OwnScript
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {import('../adapters/contract.js').OverlayPart['mounts']} mounts  of the generator
 * @property {string} folder  in which k6 is to run
 * @property {string} entry   the script itself
 * @property {string} root    folder that holds all of its files
 * @property {string[]} [files]  its modules, and data whose paths are written out in them
 * @property {string[]} aborting  metrics whose thresholds may end it early
 * @property {boolean} isKnownAtOnce  its first seconds have requests of all its scenarios, and the lab sees all of them
 * @property {boolean} [isInside]  it names no host outside of the run, so that its load is to stay there whatever a redirect says
 * @property {Record<string, string>} [hosts]  names that its own option `hosts` leads to the user's machine, with the port there; empty where that
 *   is the one that is asked
 * @property {string[]} [blocked]  ranges of addresses that it blocks itself
 * @property {boolean} asksMachine  by its own names, which plain k6 in a container does not find
 * @property {string[]} notes  a sentence for each thing that the lab will not see, and why
 */
import { readFileSync, statSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { NotReadyError } from '../base/errors.js';
import { ROOT } from '../base/paths.js';
import { entryUrls, PROJECT_FILE } from '../catalog/project-schema.js';
import { runBounded } from '../docker/bounded.js';
import { labelOf } from '../docker/containers.js';
import { makeScratch } from '../docker/scratch.js';
import { labelledSystem, newRunProject } from '../docker/system.js';
import { ITSELF, machineAddresses } from '../target/machine-addresses.js';
import { hostsOf } from './choose-load.js';
import { abortingIn, beginsAtOnce, shapeOfScript } from './script-shape.js';
import { attachScript } from './wrapper.js';

/** In the container. */
export const WRAPPER = '/doubletake-wrapper.js';
const INSPECT_LIMIT_MS = 60_000;
const LAST_LINES = 8;
/** k6 runs as a user of its own. */
const READ_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o005;
const READABLE = 0o644;

/**
 * @param {{ folder: string, script: string, image: string, label: string, scratch: string }} options  folder: of doubletake.yaml;
 *   label: of what is run for it; scratch: a folder for copies, which is the caller's to remove
 * @returns {Promise<OwnScript>}
 * @throws {NotReadyError} when k6 cannot read the script, or it does not say when it ends
 */
async function prepareScript({ folder, script, image, label, scratch }) {
  const entry = resolve(folder, script);
  const attached = attachScript({ entry, read: textOf });
  refuseUnreadable(attached.root, attached.files);
  const copies = [{ path: WRAPPER, text: attached.wrapper }, ...attached.changed];
  const mounts = [
    { source: attached.root, target: attached.root, readOnly: true },
    ...(await Promise.all(
      copies.map(async ({ path, text }, index) => {
        const source = join(scratch, `script-${index}.js`);
        await writeFile(source, text);
        // It is mounted into a container whose user is another; the folder around it stays the lab's alone.
        await chmod(source, READABLE);
        return { source, target: path, readOnly: true };
      }),
    )),
  ];
  const place = { folder: dirname(entry), mounts };
  const inspected = await inspect({ ...place, image, label, script });
  const shape = shapeOfScript(inspected, basename(script));
  const { notes } = attached;
  const isKnownAtOnce = notes.length === 0 && beginsAtOnce(inspected);
  const asksMachine = attached.files.some((file) => machineAddresses(textOf(file) ?? '', {}).length > 0);
  return {
    ...place,
    entry,
    root: attached.root,
    files: attached.files,
    shape,
    aborting: abortingIn(inspected),
    isKnownAtOnce,
    hosts: machineHosts(inspected.hosts ?? {}),
    blocked: inspected.blacklistIPs ?? [],
    asksMachine,
    notes,
  };
}

/**
 * The script of doubletake.yaml.
 * @param {object} options
 * @param {import('../catalog/project-schema.js').Project} options.project
 * @param {string} options.folder   of doubletake.yaml
 * @param {string} options.runProject  Compose's name of the run that it is for
 * @param {string} options.image    of k6
 * @param {string} options.scratch  a folder for copies, which is the caller's to remove
 * @param {(text: string) => void} options.say
 * @returns {Promise<OwnScript | null>} null where the load is no script
 * @throws {NotReadyError}
 */
export async function scriptOfProject({ project, folder, runProject, image, scratch, say }) {
  if (project.load.script === undefined) return null;
  const label = labelOf(labelledSystem(runProject));
  const script = await prepareScript({ folder, script: project.load.script, image, label, scratch });
  for (const note of script.notes) say(`note: ${note}`);
  return { ...script, isInside: isInside(script.files ?? [], project) };
}

/** An address and a port, as k6 takes them. https://grafana.com/docs/k6/latest/using-k6/k6-options/reference/#hosts */
const ADDRESS = /^(?:\[([^\]]+)\]|([^:]+)|(::1))(?::(\d+))?$/;

/** In the container of k6 they would lead to k6. @param {Record<string, string>} hosts @returns {Record<string, string>} */
export const machineHosts = (hosts) =>
  Object.fromEntries(
    Object.entries(hosts).flatMap(([name, to]) => {
      const [, bracketed, plain, alone, port = ''] = ADDRESS.exec(to) ?? [];
      return ITSELF.test(bracketed ?? plain ?? alone ?? '') && !/[*:]/.test(name) ? [[name.toLowerCase(), port]] : [];
    }),
  );

/** As the engine gives them unless a file says otherwise. */
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd])/i;

/**
 * With whether only private addresses are to be asked: a file may give its networks others.
 * @template {OwnScript | null} S
 * @param {S} script @param {{ networks?: Record<string, any> }} config  as Compose has resolved it @returns {S}
 */
export function keptInside(script, { networks = {} }) {
  const subnets = Object.values(networks).flatMap((network) => network?.ipam?.config ?? []);
  const isPrivate = subnets.every(({ subnet = '10.' }) => PRIVATE.test(subnet));
  return script && { ...script, isInside: script.isInside === true && isPrivate };
}

/** @type {(files: string[], project: import('../catalog/project-schema.js').Project) => boolean} */
function isInside(files, project) {
  const system = { entries: entryUrls(project), hosts: Object.keys(project.hosts ?? {}), services: Object.keys(project.services) };
  return files.every((path) => hostsOf(textOf(path) ?? '', system).outside.length === 0);
}

/**
 * What there is to know of the script of doubletake.yaml before anything is run; the copies that its `mounts` name are gone again.
 * @param {Omit<Parameters<typeof scriptOfProject>[0], 'runProject' | 'scratch'>} options
 * @returns {Promise<OwnScript | null>} null where the load is no script
 * @throws {NotReadyError}
 */
export async function readScript(options) {
  const scratch = await makeScratch('plan');
  try {
    return await scriptOfProject({ ...options, runProject: newRunProject(), scratch });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** k6 by its standard input, which a container that nobody is attached to has no other way to get. @param {string} command of k6 */
export const fromWrapper = (command) => `exec k6 ${command} - <${WRAPPER}`;

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** @param {string} root @param {string[]} files @throws {NotReadyError} */
function refuseUnreadable(root, files) {
  const modeOf = (/** @type {string} */ path) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0o777;
  const closed =
    (modeOf(root) & ENTERED_BY_OTHERS) === ENTERED_BY_OTHERS ? files.find((path) => (modeOf(path) & READ_BY_OTHERS) === 0) : root;
  if (closed)
    throw new NotReadyError(
      `${PROJECT_FILE}, load.script: expected files that every user may read, because k6 runs as a user of its own; "${closed}" is not.`,
      `chmod o+rX "${closed}"`,
    );
}

/** What k6 itself says of the load. @param {{ image: string, label: string, folder: string, mounts: NonNullable<OwnScript['mounts']>, script: string }} options */
async function inspect({ image, label, folder, mounts, script }) {
  const all = [...mounts, { source: join(ROOT, 'k6'), target: '/scripts/k6', readOnly: true }];
  const volumes = all.flatMap(({ source, target }) => ['--mount', `type=bind,source=${source},target=${target},readonly`]);
  const flags = [
    '--rm',
    '--network',
    'none',
    '--label',
    label,
    '--read-only',
    '--workdir',
    folder,
    '--entrypoint',
    'sh',
    '--env',
    'RECORD_FOLDER=/raw',
  ];
  const asked = await runBounded('docker', ['run', ...flags, ...volumes, image, '-c', fromWrapper('inspect --execution-requirements')], {
    limitMs: INSPECT_LIMIT_MS,
  });
  if (asked.failed)
    throw new NotReadyError(
      `${script}: expected a script that k6 can read; it says:\n    ${lastOf(asked.stderr || asked.shortMessage)}`,
      'try it with k6 alone: k6 inspect.',
    );
  return JSON.parse(asked.stdout);
}

/** @param {string} text */
const lastOf = (text) => text.trim().split('\n').slice(-LAST_LINES).join('\n    ');
