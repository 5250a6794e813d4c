/**
 * The folder that a run leaves its record in.
 */
import { chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newFolderName, RECORD, REPORTS, WRITTEN } from '../base/paths.js';

/** Containers run as this user when the lab runs as root, as the lab's own user otherwise: both can write into their folder. */
const UNPRIVILEGED_ID = 10_001;
/** A record is its owner's alone: it has what the programs under test logged. */
const PRIVATE = 0o700;

/**
 * @typedef {object} RunFolder
 * @property {string} id        below reports/
 * @property {string} folder
 * @property {string} rawFolder      into which the lab writes, and nobody else
 * @property {string} writtenFolder  into which the lab's containers write; what they wrote is taken from there into raw/
 * @property {string} servicesFolder  the same of a user's services: a folder for each
 * @property {string} user      uid:gid of the lab's containers that write
 */

/**
 * Names it; nothing is made yet.
 * @param {string} group folder below reports/ that it is made in
 * @returns {RunFolder}
 */
export function nameRunFolder(group) {
  const id = `${group}/${newFolderName()}`;
  const folder = join(REPORTS, id);
  return { id, folder, ...placesIn(folder), user: writingUser() };
}

/** @param {string} folder of a run */
export const placesIn = (folder) => ({
  rawFolder: join(folder, RECORD.raw),
  writtenFolder: join(folder, WRITTEN.own),
  servicesFolder: join(folder, WRITTEN.services),
});

/** @returns {string} uid:gid of containers that write what the lab is to read */
export function writingUser() {
  const own = process.getuid?.() ?? UNPRIVILEGED_ID;
  const user = own === 0 ? UNPRIVILEGED_ID : own;
  return `${user}:${user}`;
}

/** @param {RunFolder} run */
export async function makeRunFolder({ folder, rawFolder, writtenFolder, servicesFolder }) {
  await mkdir(dirname(folder), { recursive: true });
  for (const own of [folder, rawFolder, writtenFolder, servicesFolder]) await mkdir(own, { mode: PRIVATE });
  await giveToContainers(writtenFolder);
}

/** @param {string} folder  that containers are to write into */
export async function giveToContainers(folder) {
  if (process.getuid?.() === 0) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
}
