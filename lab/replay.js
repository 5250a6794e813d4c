/**
 * The command `replay`: analyses stored raw records again, in memory, and says which failed requests the rules of today place elsewhere than
 * the stored result does. Nothing is written unless asked.
 *
 * @typedef {import('./analyse/moves.js').PlacedRow} PlacedRow
 * @typedef {import('./analyse/moves.js').Move} Move
 *
 * @typedef {object} Stored      what a record was last said to show
 * @property {PlacedRow[]} placements
 * @property {string | null} headline  null of a frozen one, which has placements alone
 *
 * @typedef {object} Replayed
 * @property {string} record     its folder
 * @property {'same' | 'moved' | 'unread' | 'failed'} outcome  unread: an earlier version wrote it, or it is not whole; failed: the analysis did
 * @property {string} [reason]   of one that is unread or failed
 * @property {Move[]} [moves]    of one that moved
 * @property {{ before: string, now: string }} [headline]  of one that moved, where it has another
 * @property {PlacedRow[]} [placements]  of one that moved, as they are now
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { movesOf, placedRows } from './analyse/moves.js';
import { readRaw } from './analyse/read-raw.js';
import { resultOf } from './analyse/result.js';
import { acceptedBy, readOption, refuseAllBut } from './define/accepted-options.js';
import { EXIT, NotReadyError } from './define/errors.js';
import { FROZEN, FROZEN_PLACEMENTS, IS_MAKEFILE_HERE, RECORD, REPORTS } from './define/paths.js';
import { spell } from './define/spelling.js';
import { writeWhole } from './define/whole-file.js';
import { formatReplayed, formatTotal } from './render/replayed.js';
import { finishRun, writeIndex } from './reports.js';

/** Folders one in another: those of an experiment's runs are four below reports/. */
const DEPTH_MOST = 6;

/**
 * @param {string | undefined} path  below which records are looked for; all that there are unless given
 * @param {Record<string, string | undefined>} env  WRITE=1: what moved is written
 * @param {import('./reporter.js').Reporter} reporter
 * @returns {Promise<number>} exit code: that of a look, whatever moved, unless an analysis failed
 * @throws {NotReadyError} when there is no record
 */
export async function replay(path, env, reporter) {
  refuseAllBut('replay', acceptedBy('replay'), env);
  const isWriting = readOption('WRITE', env);
  const { folders, without } = await recordsBelow(path ? [resolve(path)] : [REPORTS, ...(IS_MAKEFILE_HERE ? [FROZEN] : [])]);
  if (folders.length === 0)
    throw new NotReadyError(
      `replay: expected runs with a raw record and a result below ${shown(path ? resolve(path) : REPORTS)}; found none.`,
      `"${spell(['list'])}" names the runs that there are.`,
    );
  /** @type {Replayed[]} */
  const all = [];
  // One after another: a large record takes hundreds of megabytes.
  for (const folder of folders) {
    const replayed = await analysedAgain(folder);
    all.push(replayed);
    reporter.tell(formatReplayed(replayed));
    if (isWriting && replayed.outcome === 'moved') await accept(folder, replayed);
  }
  if (isWriting) await writeIndex();
  reporter.tell(formatTotal(all, without));
  const of = (/** @type {Replayed['outcome']} */ outcome) => all.filter((replayed) => replayed.outcome === outcome);
  reporter.give({ result: { records: all.length, moved: of('moved'), unread: of('unread'), failed: of('failed') } });
  return of('failed').length > 0 ? EXIT.invalidRun : EXIT.done;
}

/** @param {string} folder */
const shown = (folder) => relative(process.cwd(), folder) || '.';

/** @typedef {{ folders: string[], without: number }} Found  without: raw records that have no result to compare with */

/** @param {string[]} roots @param {number} [depth] @returns {Promise<Found>} no link is followed: `latest` names what is there already */
async function recordsBelow(roots, depth = 0) {
  /** @type {Found} */
  const found = { folders: [], without: 0 };
  for (const folder of roots) {
    const has = (/** @type {string} */ name) => existsSync(join(folder, name));
    if (has(RECORD.manifest) && has(RECORD.raw)) {
      if (has(RECORD.result) || has(FROZEN_PLACEMENTS)) found.folders.push(folder);
      else found.without += 1;
    } else if (depth < DEPTH_MOST) {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
      const { folders, without } = await recordsBelow(below.sort(), depth + 1);
      found.folders.push(...folders);
      found.without += without;
    }
  }
  return found;
}

/** @param {string} folder @returns {Promise<Replayed>} */
async function analysedAgain(folder) {
  const record = shown(folder);
  let read;
  try {
    read = { stored: await storedIn(folder), raw: await readRaw(folder) };
  } catch (error) {
    return { record, outcome: 'unread', reason: reasonOf(error) };
  }
  try {
    const result = resultOf(read.raw);
    const { stored } = read;
    const placements = placedRows(result);
    const moves = movesOf(stored.placements, placements);
    const isOther = stored.headline !== null && stored.headline !== result.headline;
    if (moves.length === 0 && !isOther) return { record, outcome: 'same' };
    return {
      ...{ record, outcome: 'moved', moves, placements },
      ...(isOther ? { headline: { before: String(stored.headline), now: result.headline } } : {}),
    };
  } catch (error) {
    if (error instanceof NotReadyError) return { record, outcome: 'unread', reason: reasonOf(error) };
    return { record, outcome: 'failed', reason: String(error instanceof Error ? error.stack : error) };
  }
}

/** @param {unknown} error @returns {string} */
const reasonOf = (error) => (error instanceof NotReadyError ? error.problem : String(error));

/** @param {string} folder @returns {Promise<Stored>} */
async function storedIn(folder) {
  const read = async (/** @type {string} */ name) => JSON.parse(await readFile(join(folder, name), 'utf8'));
  if (existsSync(join(folder, FROZEN_PLACEMENTS))) return { placements: await read(FROZEN_PLACEMENTS), headline: null };
  const result = await read(RECORD.result);
  return { placements: placedRows(result), headline: result.headline };
}

/** @param {string} folder @param {Replayed} replayed */
async function accept(folder, { placements }) {
  if (existsSync(join(folder, FROZEN_PLACEMENTS)))
    await writeWhole(join(folder, FROZEN_PLACEMENTS), `${JSON.stringify(placements, null, 2)}\n`);
  else await finishRun(folder);
}
