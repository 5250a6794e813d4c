/**
 * Hosts that are none of the stack, as rows of a table, for the page and for Markdown.
 *
 * @typedef {import('../record/result.js').WireOutside} WireOutside
 */
import { count, MISSING, milliseconds } from './format.js';

export const OUTSIDE_COLUMNS = [
  { title: 'Edge', numeric: false },
  { title: 'Protocol', numeric: false },
  { title: 'Connections', numeric: false },
  { title: 'Calls', numeric: true },
  { title: 'Failed', numeric: true },
  { title: 'p50', numeric: true },
  { title: 'p95', numeric: true },
  { title: 'Lookups of its name', numeric: false },
];

export const OUTSIDE_CAPTION =
  'Each by the name that was looked up for it. Times are those of calls; of what is not read, such as TLS, those of connections, from asking for one to its last byte.';

/** @param {WireOutside[]} outside @returns {string[][]} a text for each column */
export const outsideRows = (outside) =>
  outside.map((row) => {
    const times = row.calls === null ? row.open_ms : row.time_ms;
    return [
      `${row.from} → ${hostText(row)}`,
      row.protocol === '' ? MISSING : `${row.protocol}${row.calls === null ? ', not read' : ''}`,
      row.connections === 0
        ? MISSING
        : `${count(row.connections)}${row.unopened > 0 ? `, ${count(row.unopened)} refused or not answered` : ''}`,
      row.connections === 0 ? MISSING : count(row.calls),
      row.calls === null || row.connections === 0 ? MISSING : count(row.failed),
      milliseconds(times.p50),
      milliseconds(times.p95),
      lookupsText(row),
    ];
  });

/** @param {WireOutside} row */
function hostText({ name, addresses, port }) {
  if (port === null) return `${name}, not found`;
  if (name === 'host') return `this machine:${port}`;
  return name === '' ? `${addresses[0]}:${port}` : `${name}:${port} (${addresses[0]}${addresses.length > 1 ? ' and others' : ''})`;
}

/** @param {WireOutside} row */
function lookupsText({ lookups, lookups_failed: failed }) {
  if (lookups === 0) return MISSING;
  return failed > 0 ? `${count(lookups)}, ${count(failed)} failed` : count(lookups);
}
