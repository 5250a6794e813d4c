/**
 * The private place of a run's capture files, and what an earlier run left of its own: one that was killed could not clear them.
 */
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { LABEL } from './recorder.js';

const PREFIX = 'doubletake-capture-';
/** The recorder's user is another one, and may write into the file and nothing else. */
const FOR_ALL = 0o666;

/** @returns {Promise<string>} a folder that only this user can open, with the number of this process in its name */
export const makeScratch = () => mkdtemp(join(os.tmpdir(), `${PREFIX}${process.pid}-`));

/** @param {string} folder @param {number} number @returns {Promise<string>} an empty file in it that a recorder can write */
export async function makeFile(folder, number) {
  const file = join(folder, `${number}.pcap`);
  await writeFile(file, '');
  await chmod(file, FOR_ALL);
  return file;
}

/**
 * Removes recorders and capture files of processes that are no more.
 * @param {Pick<import('dockerode'), 'listContainers' | 'getContainer'>} engine
 * @param {{ folder?: string, isAlive?: (pid: number) => boolean }} [options]
 */
export async function clearEarlier(engine, { folder = os.tmpdir(), isAlive = isProcess } = {}) {
  const recorders = await engine.listContainers({ all: true, filters: JSON.stringify({ label: [LABEL] }) });
  for (const { Id: id, Labels: labels } of recorders)
    if (!isAlive(Number(labels[LABEL])))
      await engine
        .getContainer(id)
        .remove({ force: true })
        .catch(() => {});
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isProcess(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
