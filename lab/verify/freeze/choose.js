/**
 * How much of a record is kept: as little as leaves every failed request that is kept where it was placed in the whole.
 *
 * @typedef {import('./files.js').RecordFiles} RecordFiles
 * @typedef {import('./placed.js').PlacedRequest} PlacedRequest
 *
 * @typedef {object} Chosen
 * @property {Buffer} packed  its files
 * @property {import('../../diagnose/read-raw.js').Raw} raw  what of it is read again
 * @property {PlacedRequest[]} placed
 * @property {Left} left
 *
 * @typedef {object} Left      what a fixture says of what it leaves out
 * @property {string} sentence
 * @property {{ requests: number, failures: number }} whole
 * @property {{ requests: number, failures: number }} kept
 * @property {string[]} moved  requests that stand elsewhere than in the whole record, one sentence for each kind; none is the rule
 */

import { NotReadyError } from '../../base/errors.js';
import { readRaw } from '../../diagnose/read-raw.js';
import { windowOf } from '../../diagnose/time/window.js';
import { packFiles, packJson, unpackFiles } from './archive.js';
import { clean } from './clean.js';
import { withFiles } from './files.js';
import { placedRequests } from './placed.js';
import { requestMoves } from './request-moves.js';
import { thin } from './thin.js';

/** Requests of each kind of failure that are kept at least: the first with which all stay in their places is taken. The last is all. */
const EACH = [10, 20, 40, 80, 160, Number.POSITIVE_INFINITY];
/** Where they stay in none that is small enough, fewer may move in this. */
const FEWER = 5;

/** Of an archive: that a hundred of them are light to get. The lab's own choice. */
const BYTES_MOST = 64_000;
/** Where in none so small all stay in their places. */
const BYTES_AT_MOST = 2 * BYTES_MOST;

/**
 * @param {RecordFiles} given  a record as it was measured
 * @param {import('../../diagnose/read-raw.js').Raw} raw  the same
 * @returns {Promise<Chosen>}
 * @throws {NotReadyError} where its load never began
 */
export async function choose(given, raw) {
  const window = windowOf(raw);
  if (window === null) throw new NotReadyError(`${raw.manifest.run}: expected a run whose load began.`, 'freeze another run.');
  const whole = { files: clean(given), raw, window, placed: placedRequests(raw) };
  /** @type {Tried[]} */
  const tried = [];
  for (const each of EACH) {
    const one = await tryOut(whole, each);
    tried.push(one);
    if (one.moved === 0 && one.packed.length <= BYTES_MOST) return one;
    if (one.packed.length > BYTES_AT_MOST) break;
  }
  const still = tried.find(({ moved, packed }) => moved === 0 && packed.length <= BYTES_AT_MOST);
  if (still) return still;
  tried.push(await tryOut(whole, FEWER));
  const [least] = tried.toSorted((one, other) => one.packed.length - other.packed.length);
  const fitting = tried.filter(({ packed }) => packed.length <= BYTES_MOST);
  const [best = least] = fitting.sort((one, other) => one.moved - other.moved);
  return best;
}

/** @typedef {Chosen & { moved: number }} Tried  moved: share of the failed requests that are kept */

/** @param {import('./thin.js').Whole} whole @param {number} each @returns {Promise<Tried>} */
async function tryOut(whole, each) {
  const packing = packFiles(thin(whole, each));
  const files = unpackFiles(packing);
  const [raw, packed] = [await withFiles(files, readRaw), await packJson(packing)];
  const now = placedRequests(raw);
  const before = new Map(whole.placed.map(({ id, kind }) => [id, kind]));
  const moves = requestMoves(
    now.map(({ id }) => ({ id, kind: before.get(id) ?? '' })),
    now,
  );
  const sizes = { whole: sizeOf(whole.raw), kept: sizeOf(raw) };
  return {
    ...{ packed, raw, placed: now, moved: now.length === 0 ? 0 : moves.reduce((total, { count }) => total + count, 0) / now.length },
    left: { sentence: sentenceOf(sizes), ...sizes, moved: moves.map(({ text }) => text) },
  };
}

/** @param {import('../../diagnose/read-raw.js').Raw} raw */
const sizeOf = ({ written, failures, summary }) => ({
  requests: written?.written ?? summary?.metrics.lab_finished?.values.count ?? 0,
  failures: failures.length,
});

/** @param {{ whole: Left['whole'], kept: Left['kept'] }} sizes */
const sentenceOf = ({ whole, kept }) =>
  kept.requests === whole.requests
    ? 'All requests are kept. Of what services wrote, lines that name no request are kept in part.'
    : `${kept.requests} of ${whole.requests} requests are kept, ${kept.failures} of ${whole.failures} that failed. What the others left in logs and on the wire is gone, and is taken off what services counted of requests, of the time of their good answers, and of documents; of lines that name no request some of each kind are kept. All that was measured by the second is as it was, so that it tells of a larger load.`;
