/**
 * What the lab costs: a system measured by the whole lab, against the same under bare Compose and bare k6; or what one part of it costs,
 * against all else of it. The arms of a block take turns at being first, because the machine changes with time; the ratio of each block is
 * the sample.
 *
 * @typedef {object} Subject   what is measured with the lab and without
 * @property {Record<string, string>} arms  titles by id
 * @property {string} judged   the arm that must have enough of what the base serves
 * @property {string} base     the arm that the others are held against
 * @property {string} conditions  of all runs, in words
 * @property {(given: { progress: Progress, signal: AbortSignal }) => Promise<Prepared>} prepare  called while the lock is held
 *
 * @typedef {object} Prepared
 * @property {Record<string, unknown>} about  what the file says of the subject
 * @property {(arm: string) => Promise<Measured>} measure
 *
 * @typedef {import('./judge.js').Measured} Measured
 * @typedef {import('../../cli/progress.js').Progress} Progress
 */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { EXIT, RunFailedError } from '../../base/errors.js';
import { RAW, RECORD, REPORTS } from '../../base/paths.js';
import { readPrivate } from '../../base/private-file.js';
import { writeWhole } from '../../base/whole-file.js';
import { describeMachine } from '../../docker/describe-machine.js';
import { takeLock } from '../../docker/lock.js';
import { readOption } from '../../options/accepted-options.js';
import { readCommit } from '../../run/components.js';
import { LEAST_RATIO, overheadVerdict, p95RatioOf, ratioOf } from './judge.js';

const PAIRS = 8;
/** All of the lab, against none of it. */
export const WHOLE = { judged: 'lab', base: 'plain' };
/** What records the wire, against all else of the lab. */
export const CAPTURE = { judged: 'captured', base: 'uncaptured' };
export const CAPTURE_ARMS = { captured: 'the lab with the wire recorded', uncaptured: 'the lab without' };
/** Below reports/: where the runs of the whole lab lie. */
export const GROUP = 'bench-overhead';
const FILE = join(REPORTS, `${GROUP}.json`);

/**
 * @param {Subject} subject
 * @param {Record<string, string | undefined>} env  REPEATS: pairs
 * @param {import('../../cli/reporter.js').Around} around
 * @returns {Promise<number>} exit code
 */
export async function benchOverhead(subject, env, { reporter, signal }) {
  const pairs = readOption('REPEATS', env) ?? PAIRS;
  const { arms, conditions, judged, base } = subject;
  const { progress } = reporter;
  const release = await takeLock(progress.say);
  try {
    const { about, measure } = await subject.prepare({ progress, signal });
    const head = {
      date: new Date().toISOString(),
      machine: await describeMachine(),
      git: await readCommit(),
      ...about,
      pairs_wanted: pairs,
      least_ratio: LEAST_RATIO,
      arms,
    };
    await mkdir(REPORTS, { recursive: true });
    /** @type {Record<string, Measured>[]} */
    const blocks = [];
    const made = () => ({
      ...head,
      pairs: blocks,
      ratios: ratiosOf(blocks, base, ratioOf),
      p95_ratios: ratiosOf(blocks, base, p95RatioOf),
    });
    for (let pair = 0; pair < pairs; pair += 1) {
      blocks.push(await measureBlock({ order: orderOf(Object.keys(arms), pair), base, measure, signal }));
      progress.say(`pair ${pair + 1} of ${pairs}: ${blockLine(blocks[pair], base)}`);
      // After each pair, so that an interruption loses one at the most.
      await writeWhole(FILE, `${JSON.stringify(made(), null, 2)}\n`);
    }
    const { ratios, p95_ratios: p95Ratios } = made();
    for (const [arm, ratio] of Object.entries(ratios)) progress.say(ratioLine(arms[arm], GOOD_ANSWERS, arms[base], ratio));
    for (const [arm, ratio] of Object.entries(p95Ratios)) if (ratio) progress.say(ratioLine(arms[arm], P95, arms[base], ratio));
    const file = relative(process.cwd(), FILE);
    progress.say(`${conditions}: ${overheadVerdict(ratios[judged])}; ${file}`);
    reporter.give({ file, result: made() });
    return ratios[judged].median >= LEAST_RATIO ? EXIT.done : EXIT.thresholdNotMet;
  } finally {
    await release();
  }
}

const GOOD_ANSWERS = 'the good answers a second';
const P95 = 'the p95';

/**
 * @param {object} options
 * @param {string[]} options.order  of the arms
 * @param {string} options.base
 * @param {Prepared['measure']} options.measure
 * @param {AbortSignal} options.signal
 * @returns {Promise<Record<string, Measured>>} by arm
 * @throws {RunFailedError} when there is nothing to hold the others against
 */
export async function measureBlock({ order, base, measure, signal }) {
  /** @type {Record<string, Measured>} */
  const block = {};
  for (const arm of order) {
    block[arm] = await measure(arm);
    signal.throwIfAborted();
  }
  if (block[base].goodput_rps > 0) return block;
  throw new RunFailedError(`${base}: expected good answers, as k6 counts them; found none, and ${block[base].failed} failed requests.`);
}

/** What k6 wrote at the end of a run of the whole lab. @param {string} folder of the run */
export const readSummary = async (folder) => JSON.parse(String(readPrivate(join(folder, RECORD.raw, RAW.k6Summary)) ?? ''));

/** Each arm is first as often as any other. @param {string[]} arms @param {number} pair */
export const orderOf = (arms, pair) => arms.map((_, index) => arms[(index + pair) % arms.length]);

/**
 * @template T
 * @param {Record<string, Measured>[]} blocks
 * @param {string} base
 * @param {(blocks: Record<string, Measured>[], arm: string, base: string) => T} ratio
 * @returns {Record<string, T>} by arm
 */
const ratiosOf = (blocks, base, ratio) =>
  Object.fromEntries(
    Object.keys(blocks[0])
      .filter((arm) => arm !== base)
      .map((arm) => [arm, ratio(blocks, arm, base)]),
  );

/** @param {Record<string, Measured>} block @param {string} base */
export function blockLine(block, base) {
  const against = block[base].goodput_rps;
  return Object.entries(block)
    .map(([arm, { goodput_rps: rps, failed }]) => {
      const failures = failed > 0 ? `, ${failed} failed` : '';
      return `${arm} ${rps.toFixed(0)} rps${failures}${arm === base ? '' : ` (${(rps / against).toFixed(3)})`}`;
    })
    .join('; ');
}

/** @type {(title: string, what: string, base: string, ratio: import('./judge.js').Ratio) => string} base: title of what it is held against */
export function ratioLine(title, what, base, { median, low, high, n }) {
  const interval =
    low === null || high === null ? 'no interval with fewer than 6 pairs' : `95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}`;
  return `${title}: ${median.toFixed(3)} of ${what} of ${base} (median of ${n} pairs, ${interval})`;
}
