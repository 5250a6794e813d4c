/**
 * Frozen records in the repository: a folder for each group of them, in which each has an archive of its own, and all their results are one, because
 * they are much alike and change when a rule does.
 *
 * @typedef {object} Frozen     of one record, beside its files
 * @property {any} result       as the analysis gave it
 * @property {import('./placed.js').PlacedRequest[]} placed  its failed requests
 * @property {import('./choose.js').Left} left
 *
 * @typedef {Record<string, Frozen>} Group  by the names of its records
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromColumns, toColumns } from '../../base/columns.js';
import { NotReadyError } from '../../base/errors.js';
import { writeWhole } from '../../base/whole-file.js';
import { packJson, unpackFiles, unpackJson } from './archive.js';

const ENDING = '.br';
const RESULTS = `results${ENDING}`;

/** @param {string} folder */
export const isGroup = (folder) => existsSync(join(folder, RESULTS));

/** @param {string} folder of a group @returns {Promise<string[]>} */
export const namesIn = async (folder) =>
  (await readdir(folder))
    .filter((file) => file.endsWith(ENDING) && file !== RESULTS)
    .map((file) => file.slice(0, -ENDING.length))
    .sort();

/** @param {string} folder @param {string} name @returns {Promise<import('./files.js').RecordFiles>} */
export const readFrozenFiles = async (folder, name) => unpackFiles(await unpackJson(await readFile(join(folder, `${name}${ENDING}`))));

/** @param {string} folder @param {string} group @returns {Promise<Group>} */
export async function readGroup(folder, group) {
  const path = join(folder, group, RESULTS);
  return existsSync(path) ? fromColumns(await unpackJson(await readFile(path))) : {};
}

/** @param {string} folder @param {string} name @returns {Promise<Frozen>} @throws {NotReadyError} where its result is not stored */
export async function readFrozen(folder, name) {
  const frozen = (await readGroup(folder, groupOf(name)))[recordOf(name)];
  if (frozen) return frozen;
  throw new NotReadyError(`${name}: expected its result in ${RESULTS} beside it; found none.`, 'freeze it again.');
}

/** @param {string} folder @param {string} name @param {Frozen} frozen @param {Uint8Array} [archive]  of a record that is new */
export async function writeFrozen(folder, name, frozen, archive) {
  const path = join(folder, `${name}${ENDING}`);
  await mkdir(dirname(path), { recursive: true });
  if (archive) await writeWhole(path, archive);
  const group = { ...(await readGroup(folder, groupOf(name))), [recordOf(name)]: frozen };
  const sorted = Object.fromEntries(Object.entries(group).sort(([one], [other]) => one.localeCompare(other)));
  await writeWhole(join(dirname(path), RESULTS), await packJson(toColumns(sorted)));
}

/** @param {string} name */
const groupOf = (name) => name.split('/')[0];

/** @param {string} name */
const recordOf = (name) => name.split('/')[1];
