/**
 * How a folder or file of this machine stands into which services of a user's system may write: how large it is, whether it is a
 * database's, and who has it open. It is only looked at.
 *
 * @typedef {object} Look
 * @property {(path: string) => 'folder' | 'file' | 'other' | null} kindOf  other: a socket, a device; null: not there
 * @property {(path: string, mostBytes: number) => number} sizeOf  in bytes; more than the most where it has more
 * @property {(path: string) => boolean} isStore  whether a database's files lie in it
 * @property {string[]} takenSubnets  of networks that are not the lab's
 * @property {(path: string) => boolean} isEmptyFolder
 * @property {string} volumesRoot  folder in which the engine has its volumes; empty where that is not known
 * @property {boolean} sharesSockets  of this program with containers: the engine is on this machine, and listens at a socket of it
 * @property {(path: string) => string | null} openBy  who has it open as a database, as a clause; null: nobody that is known
 *
 * @typedef {{ container: string, source: string }} Mounted  by a running container that is none of the lab's
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dataIn } from '../adapters/open-data.js';
import { REPORTS } from '../base/paths.js';

/** Of a folder with more files than these it takes too long to look at all. The lab's own choice. */
const ENTRIES_MOST = 200_000;
/** https://man7.org/linux/man-pages/man5/proc_locks.5.html */
const LOCKS = '/proc/locks';
const LOCKED = /([0-9a-f]+:[0-9a-f]+:\d+)/;

/** @param {{ mounted?: Mounted[], subnets?: string[], volumesRoot?: string, sharesSockets?: boolean }} [engine]  what it tells @returns {Look} */
export const lookWith = ({ mounted = [], subnets = [], volumesRoot = '', sharesSockets = true } = {}) => ({
  takenSubnets: subnets,
  volumesRoot,
  sharesSockets,
  kindOf,
  sizeOf: sizeOfPath,
  isEmptyFolder: (path) => entriesIn(path)?.length === 0,
  isStore: (path) => dataIn(filesIn(path) ?? []).isStore,
  openBy: (path) => openBy(path, mounted),
});

/** @param {string} path @returns {ReturnType<Look['kindOf']>} */
function kindOf(path) {
  const found = statOf(path);
  if (found === undefined) return null;
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'other';
}

/** What cannot be looked into counts nothing. @type {Look['sizeOf']} */
function sizeOfPath(path, mostBytes) {
  let bytes = statOf(path)?.size ?? 0;
  const open = kindOf(path) === 'folder' ? [path] : [];
  let entries = 0;
  for (const folder of open) {
    for (const entry of entriesIn(folder) ?? []) {
      entries += 1;
      if (bytes > mostBytes || entries > ENTRIES_MOST) return Number.POSITIVE_INFINITY;
      const at = join(folder, entry.name);
      if (entry.isDirectory() && at !== REPORTS) open.push(at);
      if (entry.isFile()) bytes += sizeOf(at);
    }
  }
  return bytes;
}

/** @type {(path: string, mounted: Mounted[]) => string | null} */
function openBy(path, mounted) {
  // A file by itself is no store's folder: what gives a store its configuration or its first content is often mounted so.
  if (kindOf(path) === 'file') return locksHere().has(inodeOf(path)) ? 'a process has locked it' : null;
  const holder = mounted.find(({ source }) => source === path || path.startsWith(`${source}/`) || source.startsWith(`${path}/`));
  if (holder !== undefined) return `${holder.container} has it open`;
  const files = filesIn(path);
  if (files === null) return 'nobody but its owner can see whether it is open';
  const { openedBy } = dataIn(files);
  if (openedBy !== null) return `${openedBy} in it says that it is open`;
  const locked = locksHere();
  return files.some(({ name }) => locked.has(inodeOf(join(path, name)))) ? 'a process has locked a file in it' : null;
}

/** @param {string} path @returns {import('node:fs').Dirent[] | null} null where it may not be looked into */
function entriesIn(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return null;
  }
}

/** @param {string} path @returns {import('../adapters/open-data.js').Found[] | null} */
function filesIn(path) {
  const files = entriesIn(path)?.filter((entry) => entry.isFile());
  return files?.map(({ name }) => ({ name, bytes: sizeOf(join(path, name)) })) ?? null;
}

/** What is gone by now, or may not be asked for, is not there. @param {string} path */
function statOf(path) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** @param {string} path */
const sizeOf = (path) => statOf(path)?.size ?? 0;

/** Device and inode of what processes have locked, as the kernel writes them; none where it has no such list. */
function locksHere() {
  try {
    return new Set(
      readFileSync(LOCKS, 'utf8')
        .split('\n')
        .map((line) => LOCKED.exec(line)?.[1] ?? ''),
    );
  } catch {
    return new Set();
  }
}

/** Of each device number, as the kernel packs it. https://man7.org/linux/man-pages/man3/makedev.3.html @param {string} path */
function inodeOf(path) {
  const found = statOf(path);
  if (found === undefined) return 'none';
  const major = (found.dev >> 8) & 0xfff;
  const minor = (found.dev & 0xff) | ((found.dev >> 12) & 0xfff00);
  const hex = (/** @type {number} */ number) => number.toString(16).padStart(2, '0');
  return `${hex(major)}:${hex(minor)}:${found.ino}`;
}
