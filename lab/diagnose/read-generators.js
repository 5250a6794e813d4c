/**
 * Reads what k6 left of a load, or each of several k6 that made it together. Every request is on record by itself, so counts add up and
 * percentiles are those of all requests, as if one had made the load.
 */
import { join } from 'node:path';
import { RAW } from '../base/paths.js';
import { parseLines } from '../options/json-lines.js';
import { K6Record, withTotals } from '../record/k6-record.js';
import { countedByK6, readRequests, tellsRequests, withWritten } from '../record/k6-requests.js';
import { disturbancesOf } from './disturbances.js';
import { lineOnTime, onTime, onTimeSummary, startDelay } from './intended-start.js';
import { withLoadOfAll } from './own-scenarios.js';
import { summaryOfAll } from './summaries.js';
import { isScript } from './time/load-end.js';
import { plannedSpans } from './time/stages.js';

/**
 * @typedef {object} One  of the generators
 * @property {any[]} said     what its scenario wrote into its log
 * @property {string[]} errors  of k6 itself
 * @property {any | null} summary
 * @property {number} delayMs of the clock from which it counted
 */

/**
 * @param {any} manifest
 * @param {(name: string) => Promise<string>} text  of a file in `raw/`; empty where there is none
 * @returns {Promise<Pick<import('./read-raw.js').Raw, 'snapshots' | 'summary' | 'written' | 'disturbed' | 'byStage' | 'ending' | 'errorSamples' | 'failures' | 'acknowledgedIds'>>}
 */
export async function readGenerators(manifest, text) {
  const folders = /** @type {{ name: string }[] | undefined} */ (manifest.generators)?.map(({ name }) => name) ?? [''];
  const all = await Promise.all(folders.map((folder) => readOne((name) => text(join(folder, name)))));
  const said = all.flatMap((one) => one.said);
  return {
    ...(await readSeconds(manifest, all, text)),
    errorSamples: said.filter(({ kind, code }) => typeof kind === 'string' && typeof code === 'number'),
    acknowledgedIds: said.flatMap(({ acknowledged }) => acknowledged ?? []),
    failures: all.flatMap(failuresOf),
  };
}

/** @param {(name: string) => Promise<string>} text @returns {Promise<One>} */
async function readOne(text) {
  const lines = parseLines(await text(RAW.k6Log), RAW.k6Log);
  const said = parseK6Log(lines);
  const errors = lines.flatMap(({ msg, source }) => (typeof msg === 'string' && source === undefined ? msg : []));
  const summary = await text(RAW.k6Summary);
  return {
    said,
    errors,
    summary: summary === '' ? null : withLoadOfAll(withoutWait(JSON.parse(summary), said)),
    delayMs: startDelay(said),
  };
}

/** What it waited for the others was no time of its load. @param {any} summary @param {any[]} said */
function withoutWait(summary, said) {
  const waitedMs = said.find(({ event }) => event === 'waited')?.ms;
  if (waitedMs === undefined) return summary;
  return { ...summary, state: { ...summary.state, testRunDurationMs: summary.state.testRunDurationMs - waitedMs } };
}

/**
 * What k6 left of each second and of the whole: what its users wrote down, or in an earlier record what its dashboard did.
 * @param {any} manifest
 * @param {One[]} all
 * @param {(name: string) => Promise<string>} text
 * @returns {Promise<Pick<import('./read-raw.js').Raw, 'snapshots' | 'summary' | 'written' | 'disturbed' | 'byStage' | 'ending'>>}
 */
async function readSeconds(manifest, all, text) {
  const lines = all.flatMap(({ said, delayMs }) => said.filter(tellsRequests).map((line) => lineOnTime(line, delayMs)));
  const told = all.flatMap(({ said }) => said.flatMap(({ event, t }) => (event === 'end' && typeof t === 'number' ? t : [])));
  const ending = { at_s: told.at(-1) ?? null, last_s: null, said: all.flatMap(({ errors }) => errors) };
  if (lines.length === 0) {
    const [{ summary, delayMs }] = all;
    const record = new K6Record();
    record.feed(await text(RAW.k6Record));
    return {
      snapshots: record.snapshots.map(({ t, metrics }) => ({ t, metrics: onTime(metrics, delayMs) })),
      summary: summary && onTimeSummary(withTotals(summary), delayMs),
      written: null,
      disturbed: null,
      byStage: null,
      ending,
    };
  }
  const from = manifest.load_began_s;
  const spans = disturbancesOf(manifest).map(({ began, ended }) => ({ from: from + (began ?? 0), to: from + (ended ?? 0) }));
  const stages = plannedSpans(manifest.shape ?? { stages: [] }).map(({ from_s, to_s }) => ({ from: from + from_s, to: from + to_s }));
  const { snapshots, totals, ended, byStage, last } = readRequests(lines, {
    ...{ from, to: ending.at_s ?? manifest.load_ended_s, spans, stages },
    isScript: isScript(manifest),
  });
  const summary = summaryOfAll(all.flatMap((one) => one.summary ?? []));
  // One that left no summary said nothing of what it had counted.
  const counted = all.every((one) => one.summary !== null) ? summary && countedByK6(summary) : null;
  return {
    snapshots,
    summary: summary && withWritten(summary, totals),
    written: { written: totals.lab_finished.values.count, counted },
    disturbed: ended,
    byStage,
    ending: { ...ending, last_s: last },
  };
}

/** @param {One} one @returns {import('./ledger/requests.js').Failed[]} */
const failuresOf = ({ said, delayMs }) =>
  said
    .flatMap(({ failed }) => (Array.isArray(failed) ? failed.filter(Array.isArray) : []))
    .map(([id, endedMs, waitedMs, status, code, kind]) => ({
      id,
      t: endedMs / 1000,
      waited_s: Math.max(0, waitedMs - delayMs) / 1000,
      status,
      code,
      kind,
    }));

/** @param {any[]} lines of k6's log; the scenario writes its own JSON into `msg`, where a user's script may write anything @returns {any[]} */
const parseK6Log = (lines) => lines.flatMap(({ msg }) => (msg?.startsWith('{') ? parsedOrNone(msg) : []));

/** @param {string} text */
function parsedOrNone(text) {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
