/**
 * The folder that a run leaves its record in.
 */
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolderName, RECORD, REPORTS } from '../define/paths.js';

/** Containers run as this user when the lab runs as root, as the lab's own user otherwise: both can write raw/. */
const UNPRIVILEGED_ID = 10_001;

/**
 * @typedef {object} RunFolder
 * @property {string} id        below reports/
 * @property {string} folder
 * @property {string} rawFolder
 * @property {string} user      uid:gid of containers that write into raw/
 */

/**
 * Names it; nothing is made yet.
 * @param {string} group folder below reports/ that it is made in
 * @returns {RunFolder}
 */
export function nameRunFolder(group) {
  const id = `${group}/${newFolderName()}`;
  const folder = join(REPORTS, id);
  return { id, folder, rawFolder: join(folder, RECORD.raw), user: writingUser() };
}

/** @returns {string} uid:gid of containers that write what the lab is to read */
export function writingUser() {
  const own = process.getuid?.() ?? UNPRIVILEGED_ID;
  const user = own === 0 ? UNPRIVILEGED_ID : own;
  return `${user}:${user}`;
}

/** @param {RunFolder} run */
export async function makeRunFolder({ rawFolder }) {
  await mkdir(rawFolder, { recursive: true });
  await giveToContainers(rawFolder);
}

/** @param {string} folder  that containers are to write into */
export async function giveToContainers(folder) {
  if (process.getuid?.() === 0) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
}
