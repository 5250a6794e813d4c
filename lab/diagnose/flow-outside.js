/**
 * Hosts that are none of the stack, in the picture of the run: those that drawn services asked, the busiest of them; the others as one.
 *
 * @typedef {import('../record/result.js').Flow} Flow
 * @typedef {import('../record/result.js').WireOutside} WireOutside
 */
import { sum } from '../stats/numbers.js';

/** A picture has room for a few; the table of the wire has all. */
const HOSTS_MOST = 3;
const HOST = 'host';

/**
 * @param {WireOutside[]} outside
 * @param {string[]} drawn  services
 * @returns {Pick<Flow, 'nodes' | 'edges'>}
 */
export function outsideIn(outside, drawn) {
  /** @type {Map<string, WireOutside[]>} */
  const hosts = new Map();
  for (const row of outside)
    if (row.connections > 0 && drawn.includes(row.from)) hosts.set(labelOf(row), [...(hosts.get(labelOf(row)) ?? []), row]);
  const [first, rest] = [[...hosts].slice(0, HOSTS_MOST), [...hosts].slice(HOSTS_MOST)];
  /** @type {[string, WireOutside[]][]} */
  const shown = rest.length > 0 ? [...first, [`${rest.length} other hosts`, rest.flatMap(([, rows]) => rows)]] : first;
  return {
    nodes: shown.map(([label, rows]) => nodeOf(label, rows)),
    edges: shown.flatMap(([label, rows]) =>
      [...new Set(rows.map(({ from }) => from))].map((from) =>
        edgeOf(
          from,
          label,
          rows.filter((row) => row.from === from),
        ),
      ),
    ),
  };
}

/** @param {WireOutside} row */
const labelOf = ({ name, addresses }) => (name === HOST ? 'this machine' : name || addresses[0]);

/** Apart from services, which may have any name. @param {string} label */
const idOf = (label) => `outside: ${label}`;

/** @param {WireOutside[]} rows @returns {number | null} null where some of it is not read */
const callsOf = (rows) => (rows.some(({ calls }) => calls === null) ? null : sum(rows.map(({ calls }) => calls ?? 0)));

/** @param {string} label @param {WireOutside[]} rows @returns {Flow['nodes'][number]} */
function nodeOf(label, rows) {
  const calls = callsOf(rows);
  const [failed, unopened] = [sum(rows.map((row) => row.failed)), sum(rows.map((row) => row.unopened))];
  return {
    ...{ id: idOf(label), label, tier: 'outside', received: calls },
    ...{ answered_ok: calls === null ? null : calls - failed, answered_error: calls === null ? null : failed },
    note: unopened > 0 ? `${unopened.toLocaleString('en-US')} not connected` : '',
  };
}

/** @param {string} from @param {string} label @param {WireOutside[]} rows @returns {Flow['edges'][number]} */
function edgeOf(from, label, rows) {
  const ends = { from, to: idOf(label), share: null };
  const calls = callsOf(rows);
  return calls === null
    ? { ...ends, requests: null, connections: sum(rows.map(({ connections }) => connections)) }
    : { ...ends, requests: calls, source: 'wire' };
}
