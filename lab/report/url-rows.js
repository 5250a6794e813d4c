/**
 * Requests by what they asked for, as rows of tables, for the page and for Markdown.
 *
 * @typedef {import('../record/result.js').WireUrl} WireUrl
 */
import { count, figure, MISSING, milliseconds, percent } from './format.js';

export const URL_COLUMNS = [
  { title: 'URL', numeric: false },
  { title: 'Requests', numeric: true },
  { title: 'Failed', numeric: true },
  { title: 'p50', numeric: true },
  { title: 'p95', numeric: true },
  { title: 'Calls a request', numeric: false },
];

export const EDGE_COLUMNS = [
  { title: 'Edge', numeric: false },
  { title: 'URL', numeric: false },
  { title: 'Calls a request', numeric: true },
  { title: 'In calm seconds', numeric: true },
  { title: 'Time a request', numeric: true },
  { title: 'Ambiguous', numeric: true },
];

export const URL_CAPTION =
  'Requests of the load at the entry, and what each asked behind it. A call is joined to its request by an id where both carry it, else by the order of their beginnings and ends.';

/** @param {Pick<WireUrl, 'verb' | 'template'>} url */
export const urlName = ({ verb, template }) => [verb, template].filter(Boolean).join(' ') || 'others';

/** @param {WireUrl[]} urls @returns {string[][]} a text for each column */
export const urlRows = (urls) =>
  urls.map((url) => [
    urlName(url),
    count(url.count),
    count(url.failed),
    milliseconds(url.time_ms.p50),
    milliseconds(url.time_ms.p95),
    url.edges.map(({ from, to, calls_per_request: calls }) => `${from} → ${to} ${figure(calls)}`).join(', ') || MISSING,
  ]);

/** @param {WireUrl[]} urls @returns {string[][]} */
export const urlEdgeRows = (urls) =>
  urls.flatMap((url) =>
    url.edges.map((edge) => [
      `${edge.from} → ${edge.to}`,
      urlName(url),
      figure(edge.calls_per_request),
      figure(edge.calls_per_request_calm),
      milliseconds(edge.time_ms_per_request),
      percent(edge.ambiguous_share),
    ]),
  );

/** How safely calls were joined. @param {import('../record/result.js').Wire} wire @returns {string[]} */
export function joinNotes({ joins = [], networks }) {
  const isWhole = networks.every(({ packets, dropped }) => packets !== null && dropped === 0);
  const hasOrder = joins.some(({ by_order: byOrder }) => byOrder > 0);
  return [
    ...joins.map(joinNote),
    ...(hasOrder && !isWhole
      ? ['Not every packet is on record: where calls are missing, others may have been joined by order in their place']
      : []),
  ];
}

/** @param {NonNullable<import('../record/result.js').Wire['joins']>[number]} joined */
function joinNote({ from, to, calls, by_id: byId, by_order: byOrder, ambiguous }) {
  const joined = byId + byOrder;
  /** @type {string[]} */
  const counts = [];
  if (byId > 0) counts.push(`${count(byId)} by id`);
  if (byOrder > 0) counts.push(`${count(byOrder)} by order`);
  if (ambiguous > 0) counts.push(`${percent(ambiguous / joined)} of those ambiguous: another request would fit as well`);
  return `${from} → ${to}, the whole recording: ${count(calls)} calls, joined to their requests ${counts.join(', ') || 'none'}`;
}
