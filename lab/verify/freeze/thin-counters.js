/**
 * What services counted of requests, less those that are left out. Of the time that a node adds up over its good answers as large a share goes as
 * of those answers, second by second.
 */

import { RECORD, requestLogOf } from '../../base/paths.js';
import { parseLines } from '../../options/json-lines.js';

/** HTTP: an answer that is none of an error. */
const BAD_LEAST = 400;
const PER_MS = 1000;

/** @param {import('./files.js').RecordFiles} thinned @param {import('./files.js').RecordFiles} files @param {{ nodes: string[], isDropped: (id: string) => boolean }} of */
export function withCounters(thinned, files, { nodes, isDropped }) {
  /** @type {import('./files.js').RecordFiles} */
  const changed = {};
  for (const node of nodes) {
    const [log, rows] = [`${RECORD.raw}/${requestLogOf(node)}`, `${RECORD.raw}/${node}.ndjson`];
    if (files[log]) changed[rows] = ofNode(files[rows], droppedIn(files[log], isDropped));
  }
  return { ...thinned, ...changed };
}

/** @param {string} text @returns {any[]} the last line may be cut */
export const rowsOf = (text) => parseLines(text, '');

/** @param {any[]} rows */
export const textOf = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** @typedef {{ t: number, sign: string, status: string | undefined }} Dropped  a line of a node's log; seconds since 1970 */

/** A node that starts again counts anew. @param {string} text @param {Dropped[]} dropped */
function ofNode(text, dropped) {
  let from = Number.NEGATIVE_INFINITY;
  let ok = newSums();
  const rows = rowsOf(text).map((row) => {
    if (row.event === 'start') [from, ok] = [row.t, newSums()];
    const until = dropped.filter(({ t }) => t >= from && t <= row.t);
    const ended = until.filter(({ sign }) => sign === '-');
    const less = (/** @type {number} */ counted, /** @type {Dropped[]} */ gone) => Math.max(0, counted - gone.length);
    const answered = Object.entries(row.answered ?? {}).map(([code, counted]) => [
      code,
      less(
        counted,
        ended.filter(({ status }) => classOf(status) === code),
      ),
    ]);
    return {
      ...row,
      received: less(
        row.received,
        until.filter(({ sign }) => sign === '+'),
      ),
      ...(row.answered ? { answered: Object.fromEntries(answered) } : {}),
      ...(row.ok_ms ? { ok_ms: ok(row.ok_ms, ended.filter(({ status }) => Number(status) < BAD_LEAST).length) } : {}),
    };
  });
  return textOf(rows);
}

/** As a node counts what it answered: `2xx`. @param {string | undefined} status */
const classOf = (status) => `${status?.[0]}xx`;

/** @typedef {Record<string, number>} Sums  a count, and milliseconds by what took them */

/** @returns {(sums: Sums, gone: number) => Sums} of one reading after the other; gone: good answers that are left out by then */
function newSums() {
  let [before, kept] = /** @type {Sums[]} */ ([{ count: 0 }, { count: 0 }]);
  return (sums, gone) => {
    const count = Math.max(kept.count, sums.count - gone);
    const gained = sums.count - before.count;
    const share = gained > 0 ? Math.min(1, (count - kept.count) / gained) : 0;
    const next = Object.fromEntries(
      Object.entries(sums).map(([name, ms]) => [
        name,
        name === 'count' ? count : Math.round(((kept[name] ?? 0) + (ms - (before[name] ?? 0)) * share) * PER_MS) / PER_MS,
      ]),
    );
    [before, kept] = [sums, next];
    return next;
  };
}

/**
 * When nodes received requests, by their logs, and those of them that are left out.
 * @param {import('./files.js').RecordFiles} files @param {{ nodes: string[], isDropped: (id: string) => boolean }} of
 * @returns {import('../../adapters/contract.js').Left['received']}
 */
export function receivedIn(files, { nodes, isDropped }) {
  const logs = nodes.flatMap((node) => files[`${RECORD.raw}/${requestLogOf(node)}`] ?? []);
  const times = (/** @type {(id: string) => boolean} */ isOf) =>
    logs.flatMap((log) => droppedIn(log, isOf)).flatMap(({ t, sign }) => (sign === '+' ? [t] : []));
  return { all: times(() => true), gone: times(isDropped) };
}

/** @param {string} log of a node's requests @param {(id: string) => boolean} isDropped @returns {Dropped[]} */
function droppedIn(log, isDropped) {
  let began = 0;
  return log.split('\n').flatMap((line) => {
    const [first, ms, status] = line.split(' ');
    if (first[0] === '#') began = Number(first.slice(1));
    return ms !== undefined && isDropped(first.slice(1)) ? [{ t: (began + Number(ms)) / 1000, sign: first[0], status }] : [];
  });
}
