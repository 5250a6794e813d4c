/**
 * The files of a run's record, read as they are and put down again: its manifest, and all that lies in `raw/`.
 *
 * @typedef {Record<string, string>} RecordFiles  text by path below the run's folder; of a packed file unpacked, by its name without the ending
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { RAW, RECORD } from '../../base/paths.js';

const PACKED = '.gz';
/** The record of the wire is read packed alone. */
export const WIRE = join(RECORD.raw, RAW.wire);

/** @param {string} folder of a run @returns {Promise<RecordFiles>} */
export async function readFiles(folder) {
  const names = (await readdir(join(folder, RECORD.raw), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(relative(folder, entry.parentPath), entry.name));
  /** @type {RecordFiles} */
  const files = { [RECORD.manifest]: await readFile(join(folder, RECORD.manifest), 'utf8') };
  for (const name of names.sort()) {
    const bytes = await readFile(join(folder, name));
    if (name.endsWith(PACKED)) files[name.slice(0, -PACKED.length)] = String(gunzipSync(bytes));
    else files[name] = String(bytes);
  }
  return files;
}

/** @param {string} folder  made where it is not there @param {RecordFiles} files */
export async function putFiles(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await (name === WIRE ? writeFile(`${path}${PACKED}`, gzipSync(text, { level: 1 })) : writeFile(path, text));
  }
}

/** @template T @param {RecordFiles} files @param {(folder: string) => Promise<T>} use  a folder that is gone afterwards @returns {Promise<T>} */
export async function withFiles(files, use) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-frozen-'));
  try {
    await putFiles(folder, files);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
