/**
 * Reads the raw record of a run from disk. Nothing else in this room touches files, so the analysis can be run again at
 * any time, without Docker.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { RAW, RECORD } from '../define/paths.js';
import { scenarios } from '../define/scenarios.js';
import { K6Record } from '../measure/k6-record.js';

const unzip = promisify(gunzip);

/**
 * @typedef {object} Raw
 * @property {any} manifest
 * @property {import('../measure/k6-record.js').Snapshot[]} snapshots
 * @property {any | null} summary            k6's own, null when k6 was killed
 * @property {{ t: number, code: number, kind: string, error: string }[]} errorSamples what k6's scenario said of failures
 * @property {any[]} accessLines             of the balancer; empty without one
 * @property {{ t: number, level: string, text: string }[]} errorLines  of the balancer's error log
 * @property {string[]} acknowledgedIds     with INTEGRITY=1: requests that k6 had a good answer for
 * @property {string[]} documentIds         with INTEGRITY=1: requests whose document MongoDB holds, as often as it holds it
 * @property {string} balancerConf
 * @property {any[]} balancerStatus          connection totals: at the start, before the load, after it
 * @property {Record<string, any[]>} nodes   a node's record of itself, by its name
 * @property {any[]} database                the observer's record of MongoDB
 * @property {number[]} databaseRefusals     moments at which MongoDB logged that it refused a connection
 * @property {any[]} containers
 * @property {any[]} kernel
 * @property {any[]} host
 * @property {any[]} finalStates             every container when the load had ended
 * @property {number[] | null} tickets       the numbers of the tickets that were sold, as MongoDB holds them; null where none are
 * @property {any | null} program            what a program that made the load says of it; null where k6 did
 */

/**
 * @param {string} folder of the run
 * @returns {Promise<Raw>}
 * @throws {Error} when there is no manifest, or a file holds something else than its record
 */
export async function readRaw(folder) {
  const text = (/** @type {string} */ name) => readFile(join(folder, RECORD.raw, name), 'utf8').catch(() => '');
  const lines = async (/** @type {string} */ name) => parseLines(await text(name), name);
  const manifest = JSON.parse(await readFile(join(folder, RECORD.manifest), 'utf8'));
  const services = /** @type {{ name: string, tier: string }[]} */ (manifest.services ?? []);
  const nodeNames = services.filter(({ tier }) => tier === 'app').map(({ name }) => name);
  const record = new K6Record();
  record.feed(await text(RAW.k6Record));
  const summary = await text(RAW.k6Summary);
  const k6Log = parseK6Log(await text(RAW.k6Log));
  const finalStates = await text(RAW.finalStates);
  const program = await text(RAW.program);
  return {
    manifest,
    snapshots: record.snapshots,
    summary: summary === '' ? null : JSON.parse(summary),
    errorSamples: k6Log.filter((line) => line.kind !== undefined),
    acknowledgedIds: k6Log.flatMap(({ acknowledged }) => acknowledged ?? []),
    documentIds: (await text(RAW.documentIds)).split('\n').filter(Boolean),
    accessLines: parseLines(await readAccessLog(folder), RAW.accessLog),
    errorLines: parseErrorLog(await text(RAW.errorLog)),
    balancerConf: await text(RAW.balancerConf),
    balancerStatus: await lines(RAW.balancerStatus),
    nodes: Object.fromEntries(await Promise.all(nodeNames.map(async (name) => [name, await lines(`${name}.ndjson`)]))),
    database: await lines(RAW.database),
    databaseRefusals: parseRefusals(
      (await Promise.all(services.filter(({ tier }) => tier === 'database').map(({ name }) => text(`${name}.log`)))).join('\n'),
    ),
    containers: await lines(RAW.containers),
    kernel: await lines(RAW.kernel),
    host: await lines(RAW.host),
    finalStates: finalStates === '' ? [] : JSON.parse(finalStates),
    tickets: scenarios[manifest.scenario]?.written?.observer.TICKETS
      ? (await text(RAW.tickets)).split('\n').filter(Boolean).map(Number)
      : null,
    program: program === '' ? null : JSON.parse(program),
  };
}

/** @param {string} folder */
async function readAccessLog(folder) {
  const path = join(folder, RECORD.raw, RAW.accessLog);
  const packed = await readFile(`${path}.gz`).catch(() => null);
  if (packed) return (await unzip(packed)).toString('utf8');
  return readFile(path, 'utf8').catch(() => '');
}

/**
 * @param {string} text JSON lines; the last one may be cut when its writer was killed
 * @param {string} name for the error
 */
function parseLines(text, name) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line)];
    } catch {
      if (index === lines.length - 1) return [];
      throw new Error(`${name}, line ${index + 1}: expected JSON, found ${line.slice(0, 80)}`);
    }
  });
}

/** @param {string} text of k6's log; the scenario writes its own JSON into `msg` */
function parseK6Log(text) {
  return parseLines(text, RAW.k6Log).flatMap(({ msg }) => {
    if (!msg?.startsWith('{')) return [];
    return [JSON.parse(msg)];
  });
}

/**
 * @param {string} text of Nginx's error log: `2026/11/21 00:15:46 [warn] 6#6: text`, in UTC as the containers run
 * @returns {{ t: number, level: string, text: string }[]}
 */
export function parseErrorLog(text) {
  return text.split('\n').flatMap((line) => {
    const found = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) \[(\w+)\] \d+#\d+: (?:\*\d+ )?(.*)$/.exec(line);
    if (!found) return [];
    const [, year, month, day, time, level, message] = found;
    return [{ t: Date.parse(`${year}-${month}-${day}T${time}Z`) / 1000, level, text: message }];
  });
}

/** MongoDB's own number for "Connection refused because there are too many open connections". */
const REFUSED_LOG_ID = 22942;

/**
 * @param {string} text of mongod's log, a JSON object a line
 * @returns {number[]} seconds since 1970
 */
export function parseRefusals(text) {
  return text
    .split('\n')
    .filter((line) => line.includes(`"id":${REFUSED_LOG_ID}`))
    .map((line) => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '') / 1000)
    .filter(Number.isFinite);
}
