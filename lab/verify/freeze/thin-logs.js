/**
 * Logs without the lines of requests that are left out.
 */
import { basename } from 'node:path';
import { adapterFor } from '../../adapters/registry.js';
import { RAW, RECORD, SERVICE_RECORD } from '../../base/paths.js';
import { some } from '../../diagnose/joins/grouped.js';
import { maskedFigures } from '../../diagnose/waiting/template.js';
import { WIRE } from './files.js';
import { receivedIn, rowsOf, textOf, withCounters } from './thin-counters.js';

/** The generator's ids in a text, where no longer name and no date is around them; a node's log of requests has a sign before each. */
export const ID = /(?:(?<![\w.:-])|(?<=^[^\w\s]))w?\d+-\d+(?![\w-])/gm;

/** Before a line of what a service wrote, as the engine took it. */
const TIME = /^(\S+Z) /;
/** What is said of a failure is said when it happens. The lab's own choice. */
const NEAR_S = 0.05;

/**
 * @typedef {object} Left
 * @property {(id: string) => boolean} isDropped
 * @property {number} lines      of what a service wrote, of each kind of line that names no request so many stay, beside those near a failure
 * @property {number[]} moments  when a request failed that stays, seconds since 1970
 * @property {import('../../diagnose/read-raw.js').Raw} raw
 */

/** @param {import('./files.js').RecordFiles} files @param {Left} left @returns {import('./files.js').RecordFiles} */
export function thinLogs(files, { isDropped, lines, moments, raw }) {
  const services = /** @type {{ name: string, tier: string, product?: string }[]} */ (raw.manifest.services ?? []);
  const isLine = (/** @type {string} */ line) => !(line.match(ID) ?? []).some(isDropped);
  const whole = new Set([RECORD.manifest, WIRE]);
  const thinned = Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      if (basename(name) === RAW.k6Log) return [name, withoutAcknowledged(text, isDropped)];
      if (whole.has(name) || name.endsWith('.json')) return [name, text];
      const left = linesOf(text, isLine);
      return [name, basename(name) === SERVICE_RECORD.log ? fewOfEachKind(left, lines, moments) : left];
    }),
  );
  const of = { nodes: Object.keys(raw.nodes), isDropped };
  const received = receivedIn(files, of);
  const ofProducts = services.map(
    (service) => adapterFor(service)?.without?.(thinned, files, { isDropped, received, service: service.name }) ?? {},
  );
  return withCounters(Object.assign({}, thinned, ...ofProducts), files, of);
}

/** @param {string} text @param {(line: string) => boolean} isKept */
const linesOf = (text, isKept) =>
  text
    .split('\n')
    .filter((line) => line === '' || isKept(line))
    .join('\n');

/** @param {string} text @param {number} most @param {number[]} moments */
function fewOfEachKind(text, most, moments) {
  /** @type {Map<string, number[]>} */
  const kinds = new Map();
  const lines = text.split('\n');
  const isNear = (/** @type {number} */ t) => moments.some((moment) => Math.abs(moment - t) <= NEAR_S);
  /** @type {Set<number>} */
  const kept = new Set();
  for (const [number, line] of lines.entries()) {
    const time = TIME.exec(line);
    const kind = maskedFigures(time ? line.slice(time[0].length) : line);
    const own = kinds.get(kind) ?? [];
    kinds.set(kind, own);
    own.push(number);
    if (line === '' || (time && isNear(Date.parse(time[1]) / 1000))) kept.add(number);
  }
  for (const numbers of kinds.values()) for (const number of some(numbers, most)) kept.add(number);
  return lines.filter((_, number) => kept.has(number)).join('\n');
}

/** What a user was told was stored, beside what it wrote of its requests. @param {string} text @param {(id: string) => boolean} isDropped */
const withoutAcknowledged = (text, isDropped) =>
  text.includes(ACKNOWLEDGED)
    ? textOf(rowsOf(text).filter(({ msg }) => !isAcknowledged(msg) || !isDropped(JSON.parse(msg).acknowledged)))
    : text;
const ACKNOWLEDGED = 'acknowledged';

/** @param {string | undefined} msg */
const isAcknowledged = (msg) => msg?.startsWith(`{"${ACKNOWLEDGED}"`) === true;
