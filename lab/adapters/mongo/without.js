/**
 * What is on record of a shipped system's MongoDB without requests that are left out: of several each has its part of the documents.
 */

import { RECORD } from '../../base/paths.js';
import { parseLines } from '../../options/json-lines.js';
import { logOf, OBSERVED, tellsOfTrouble } from './store.js';

/** What a reading tells of documents. */
const STORED = ['documents', 'documents_exact'];
/** What it says of itself without having been asked: a start is a thousand lines, which nothing reads. */
const WORSE_THAN_INFORMATION = /"s":"[WEF]"/;

/** @type {NonNullable<import('../contract.js').Adapter['without']>} */
export function without(_thinned, files, { service, received }) {
  const [log, observed] = [logOf(service), OBSERVED].map((name) => `${RECORD.raw}/${name}`);
  return {
    ...(files[log] ? { [log]: troublesIn(files[log]) } : {}),
    ...(files[observed] && received.all.length > 0 ? { [observed]: scaled(files[observed], received) } : {}),
  };
}

/** @param {string} log */
const troublesIn = (log) =>
  log
    .split('\n')
    .filter((line) => line === '' || tellsOfTrouble(line) || WORSE_THAN_INFORMATION.test(line))
    .join('\n');

/** @param {string} text @param {import('../contract.js').Left['received']} received  each request stores one document */
function scaled(text, { all, gone }) {
  const by = (/** @type {number[]} */ times, /** @type {number} */ t) => times.filter((time) => time <= t).length;
  const rows = parseLines(text, OBSERVED).map((row) => {
    const until = by(all, row.t);
    const share = until === 0 ? 1 : 1 - by(gone, row.t) / until;
    const part = (/** @type {any} */ counted) => (typeof counted === 'number' ? Math.round(counted * share) : counted);
    return {
      ...row,
      ...(row.opcounters ? { opcounters: { ...row.opcounters, insert: part(row.opcounters.insert) } } : {}),
      ...Object.fromEntries(STORED.filter((name) => name in row).map((name) => [name, part(row[name])])),
    };
  });
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
