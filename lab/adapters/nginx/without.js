/**
 * The logs and totals of a shipped system's Nginx without requests that are left out of its record.
 */

import { RECORD } from '../../base/paths.js';
import { parseLines } from '../../options/json-lines.js';
import { FILES } from './inside.js';

/** What the error log calls a connection. */
const CONNECTION = / \*(\d+) /;

/** @type {NonNullable<import('../contract.js').Adapter['without']>} */
export function without(thinned, files, { isDropped }) {
  const [access, error, totals] = [FILES.access, FILES.error, FILES.totals].map((name) => `${RECORD.raw}/${name}`);
  if (!files[access]) return {};
  return {
    ...(files[error] ? { [error]: ofConnections(thinned[error], files[access], thinned[access]) } : {}),
    ...(files[totals] ? { [totals]: less(files[totals], files[access], isDropped) } : {}),
  };
}

/** The error log names the connection alone. @param {string} text @param {string} all lines of the access log @param {string} kept */
function ofConnections(text, all, kept) {
  const connectionsIn = (/** @type {string} */ lines) => new Set([...lines.matchAll(/"connection":(\d+)/g)].map(([, number]) => number));
  const [every, left] = [connectionsIn(all), connectionsIn(kept)];
  const isKept = (/** @type {string} */ line) => {
    const number = CONNECTION.exec(line)?.[1];
    return number === undefined || !every.has(number) || left.has(number);
  };
  return text
    .split('\n')
    .filter((line) => line === '' || isKept(line))
    .join('\n');
}

/** @param {string} totals @param {string} access @param {(id: string) => boolean} isDropped */
function less(totals, access, isDropped) {
  const dropped = parseLines(access, FILES.access).filter(({ id }) => isDropped(id));
  return parseLines(totals, FILES.totals)
    .map((row) => ({ ...row, requests: Math.max(0, row.requests - dropped.filter(({ t }) => t <= row.t).length) }))
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}
