/**
 * What the generator wrote of its requests, with fewer of them: a line of a user stays whole or goes.
 */
import { basename } from 'node:path';
import { RAW } from '../../base/paths.js';
import { some } from '../../diagnose/joins/grouped.js';
import { EACH, eachRequest, HEAD } from '../../record/k6-requests.js';

/** Of what a scenario said of failures, of each status and kind: texts for the reader. */
const SAMPLES_EACH = 3;
/** k6's own counts of the requests of the load. */
const COUNTED = ['lab_finished', 'http_req_duration{scenario:load}'];

/**
 * @param {import('./files.js').RecordFiles} files
 * @param {{ chosen: Set<string>, good: number }} wanted  failed requests that are kept at any rate; about how many good ones beside them
 * @returns {{ files: import('./files.js').RecordFiles, failed: string[], good: number, warm: number }}  the files that changed; what they hold
 */
export function thinLoad(files, { chosen, good }) {
  const logs = Object.keys(files).filter((name) => basename(name) === RAW.k6Log);
  /** @type {import('./files.js').RecordFiles} */
  const changed = {};
  const told = { failed: /** @type {string[]} */ ([]), good: 0, warm: 0 };
  for (const name of logs) {
    const lines = files[name].split('\n').filter((line) => line !== '');
    const kept = keptOf(lines, chosen, Math.ceil(good / logs.length));
    changed[name] = kept.lines.map((line) => `${line}\n`).join('');
    told.failed.push(...kept.failed);
    told.good += kept.good;
    told.warm += kept.warm;
    const summary = name.replace(RAW.k6Log, RAW.k6Summary);
    if (files[summary]) changed[summary] = counting(files[summary], kept.failed.length + kept.good);
  }
  return { files: changed, ...told };
}

/** @typedef {{ line: string, said: any }} Said */

/** @param {string[]} lines @param {Set<string>} chosen @param {number} good */
function keptOf(lines, chosen, good) {
  const all = lines.map((line) => ({ line, said: saidIn(line) }));
  const isOf = (/** @type {string} */ name) => all.filter(({ said }) => Array.isArray(said[name]) && said[name].length >= HEAD + EACH);
  const load = isOf('requests');
  const bad = load.filter(({ said }) => idsOf(said).some((id) => chosen.has(id)));
  const clean = load.filter(({ said }) => idsOf(said).length === 0);
  const each = clean.reduce((total, one) => total + goodIn(one), 0) / Math.max(1, clean.length);
  const [plain, warm] = [some(clean, Math.ceil(good / Math.max(1, each))), some(isOf('warm'), good)];
  const samples = all.filter(({ said }) => typeof said.kind === 'string' && typeof said.code === 'number');
  const dropped = new Set([...load, ...isOf('warm'), ...samples]);
  for (const one of [...bad, ...plain, ...warm, ...fewOf(samples)]) dropped.delete(one);
  const kept = all.filter((one) => !dropped.has(one));
  return {
    lines: kept.map(({ line }) => line),
    failed: bad.flatMap(({ said }) => idsOf(said)),
    good: [...bad, ...plain].reduce((total, one) => total + goodIn(one), 0),
    warm: warm.reduce((total, { said }) => total + (said.warm.length - HEAD) / EACH, 0),
  };
}

/** @param {Said[]} samples */
function fewOf(samples) {
  /** @type {Map<string, Said[]>} */
  const kinds = new Map();
  for (const one of samples) {
    const kind = `${one.said.code} ${one.said.kind}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
  }
  return [...kinds.values()].flatMap((of) => some(of, SAMPLES_EACH));
}

/** @param {string} line of k6's log */
function saidIn(line) {
  try {
    const { msg } = JSON.parse(line);
    return typeof msg === 'string' && msg.startsWith('{') ? JSON.parse(msg) : {};
  } catch {
    return {};
  }
}

/** @param {any} said @returns {string[]} of the requests of the line that failed */
const idsOf = ({ failed }) => (Array.isArray(failed) ? failed.filter(Array.isArray).map(([id]) => id) : []);

/** @param {Said} said */
function goodIn({ said }) {
  let good = 0;
  eachRequest(said.requests, ({ isGood }) => {
    if (isGood) good += 1;
  });
  return good;
}

/** @param {string} summary @param {number} requests */
function counting(summary, requests) {
  const read = JSON.parse(summary);
  for (const name of COUNTED) if (read.metrics?.[name]?.values.count !== undefined) read.metrics[name].values.count = requests;
  return JSON.stringify(read);
}
