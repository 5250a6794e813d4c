/**
 * Folders and files of this machine into which services may write: of each a run has a copy, so that what is written under load does not
 * stay. Here it is decided which; lab/run/attach/fill-folders.js makes them.
 *
 * @typedef {'copy' | 'empty' | 'live'} Data  live: the service writes into the user's own
 *
 * @typedef {object} CopiedFolder
 * @property {string} source     of this machine
 * @property {string} name       as doubletake.yaml has it
 * @property {string[]} services  that may write; of a part that others only read none
 * @property {Data} data         what becomes of it
 * @property {string} why        it is empty though nobody wrote so, as a clause; empty where that is not so
 * @property {boolean} isFile
 * @property {string} volume     of the run, in its place; of a file its name in a folder of the run's
 * @property {string[]} without  folders in it that are left out, as seen from it
 * @property {string} device     of a part of another copy, where the engine has that; empty where it is none
 *
 * @typedef {object} Asked
 * @property {Record<string, Data>} data    by name
 * @property {string} folder                that names are seen from
 * @property {import('./folder-state.js').Look} look
 * @property {(service: string) => boolean} keepsData  whether it is a database, a queue or a cache
 */
import os from 'node:os';
import { join, relative, resolve } from 'node:path';
import { REPORTS } from '../base/paths.js';
import { isWholeMachine, SOCKET, SOCKET_FOLDERS } from './grave-mounts.js';
import { isMissing } from './missing-files.js';

/** For all folders of a run together: preflight asks for 3 GiB of disk. The lab's own choice. */
export const COPY_MOST_BYTES = 2e9;
/** Of the kernel and of what runs now: a copy of these would be of no use to anybody. */
const OF_MACHINE = /^\/(proc|sys|dev|boot|run|var\/run|lib\/modules)(\/|$)/;
/** What a store is given to start with, and does not write: configurations, and scripts for its first start. */
const GIVEN = /^\/(etc|config|docker-entrypoint[^/]*)(\/|$)|\/(etc|conf|conf\.d|config|initdb\.d)(\/|$)/;
const PREFIX = 'doubletake-copy-';

/** @typedef {{ service: string, mount: any }} Mounting */

/**
 * @param {any} config  as Compose has resolved it
 * @param {Asked} asked
 * @returns {CopiedFolder[]} each once, in the order of services
 */
export function copiedFolders(config, { data, folder, look, keepsData }) {
  const chosen = Object.fromEntries(Object.entries(data).map(([name, choice]) => [resolve(folder, name), choice]));
  /** @type {Map<string, Mounting[]>} */
  const bySource = new Map();
  for (const mounting of writableMounts(config)) {
    const source = sourceOf(mounting, config);
    if (source !== null && look.kindOf(source) !== 'other' && !isMissing(mounting.mount, look))
      bySource.set(source, [...(bySource.get(source) ?? []), mounting]);
  }
  let left = COPY_MOST_BYTES;
  const folders = [...bySource].map(([source, mountings], index) => {
    const services = [...new Set(mountings.map(({ service }) => service))];
    const keeps = (/** @type {Mounting} */ { service, mount }) => keepsData(service) && !GIVEN.test(mount.target);
    const isStore = mountings.some(keeps) || look.isStore(source);
    const choice = chosen[source] ?? 'copy';
    const why = choice === 'copy' ? whyEmpty(source, { look, isStore, left }) : '';
    const isCopied = choice === 'copy' && why === '';
    if (isCopied) left -= look.sizeOf(source, left);
    const own = mountings.find(({ mount }) => mount.type === 'volume');
    return {
      ...{ source, name: nameOf(source, folder), services, why, isFile: look.kindOf(source) === 'file' },
      data: why === '' ? choice : 'empty',
      volume: own ? own.mount.source : `${PREFIX}${index + 1}`,
      without: REPORTS.startsWith(`${source.replace(/\/$/, '')}/`) ? [relative(source, REPORTS)] : [],
      device: '',
    };
  });
  return withParts(folders, config, { folder, look });
}

/**
 * What is mounted of a folder that the run has a copy of is of that copy, so that who reads it sees what others write.
 * @type {(folders: CopiedFolder[], config: any, given: Pick<Asked, 'folder' | 'look'>) => CopiedFolder[]}
 */
function withParts(folders, config, { folder, look }) {
  const copied = folders.filter(({ data, isFile }) => data === 'copy' && !isFile);
  const partOf = (/** @type {string} */ source) => {
    const outer = copied.find((one) => source.startsWith(`${one.source.replace(/\/$/, '')}/`));
    if (outer === undefined || look.volumesRoot === '') return '';
    return join(look.volumesRoot, `${config.name}_${outer.volume}`, '_data', relative(outer.source, source));
  };
  const known = new Set(folders.map(({ source }) => source));
  const read = bindSources(config).filter(
    (source) => !known.has(source) && partOf(source) !== '' && ['folder', 'file'].includes(look.kindOf(source) ?? ''),
  );
  const parts = read.map((source, index) => ({
    ...{ source, name: nameOf(source, folder), services: [], data: /** @type {const} */ ('copy'), why: '' },
    ...{ isFile: look.kindOf(source) === 'file', volume: `${PREFIX}part-${index + 1}`, without: [], device: '' },
  }));
  // A file is copied by itself; a volume that is named in the file stays one.
  const isPart = (/** @type {CopiedFolder} */ { data, isFile, volume }) => data === 'copy' && !isFile && volume.startsWith(PREFIX);
  return [...folders, ...parts].map((one) => (isPart(one) ? { ...one, device: partOf(one.source) } : one));
}

/** @param {any} config @returns {string[]} each once */
const bindSources = ({ services = {} }) => [
  ...new Set(
    Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.flatMap((/** @type {any} */ { type, source }) => (type === 'bind' ? [literal(source)] : [])),
    ),
  ),
];

/** @param {any} config @returns {Mounting[]} */
const writableMounts = ({ services = {} }) =>
  Object.entries(services).flatMap(([service, { volumes = [] }]) =>
    volumes.filter((/** @type {any} */ mount) => mount.read_only !== true).map((/** @type {any} */ mount) => ({ service, mount })),
  );

/** The folder of this machine that it is; null where there is none, or one that no copy is made of. @type {(mounting: Mounting, config: any) => string | null} */
function sourceOf({ mount: { type, source = '' } }, config) {
  const place = type === 'bind' ? literal(source) : type === 'volume' ? deviceOf(config.volumes?.[source]) : null;
  return place === null || SOCKET.test(place) || isWholeMachine(place, os.homedir()) || isOfMachine(place) ? null : place;
}

/** A volume that is a folder of this machine by another name. @param {any} volume */
export function deviceOf(volume) {
  const { device = '', o = '' } = volume?.driver_opts ?? {};
  return device.startsWith('/') && String(o).split(',').includes('bind') ? literal(device) : null;
}

/** @param {string} source */
export const isOfMachine = (source) => OF_MACHINE.test(source) && !SOCKET.test(source) && !SOCKET_FOLDERS.includes(source);

/** @type {(source: string, given: { look: Asked['look'], isStore: boolean, left: number }) => string} */
function whyEmpty(source, { look, isStore, left }) {
  if (look.kindOf(source) === null) return 'is not there';
  const open = isStore ? look.openBy(source) : null;
  if (open !== null) return open;
  return look.sizeOf(source, left) > left ? `is more than is left of the ${COPY_MOST_BYTES / 1e9} GB that a run copies` : '';
}

/** @type {(source: string, folder: string) => string} */
function nameOf(source, folder) {
  const seen = relative(folder, source);
  if (seen === '') return '.';
  return seen.startsWith('..') ? source : `./${seen}`;
}

/** `config` doubles every dollar sign. @param {unknown} value */
const literal = (value) => String(value ?? '').replaceAll('$$', () => '$');

/**
 * @param {CopiedFolder[]} folders
 * @returns {string[]} a sentence for those that are copied, one for those that are empty, one for those that are not
 */
export function aboutFolders(folders) {
  const of = (/** @type {Data} */ data) => folders.filter((one) => one.data === data && one.services.length > 0);
  const [copied, empty, live] = [of('copy'), of('empty'), of('live')];
  const because = (/** @type {CopiedFolder} */ { name, why }) => (why === '' ? name : `${name} (${why})`);
  return [
    ...(copied.length > 0 ? [`${listed(copied)}: services write into a copy of the run’s; yours stays as it is.`] : []),
    ...(empty.length > 0 ? [`${empty.map(because).join(', ')}: empty in the run; yours stays as it is.`] : []),
    ...(live.length > 0 ? [`${listed(live)}: services write into your own (data: live), and what a run writes stays there.`] : []),
  ];
}

/** @param {CopiedFolder[]} folders */
const listed = (folders) => folders.map(({ name }) => name).join(', ');
