/**
 * What services asked of each other, as rows of a table, for the page and for Markdown.
 *
 * @typedef {import('../record/result.js').WireEdge} WireEdge
 */
import { count, MISSING, milliseconds } from './format.js';
import { timeoutNotes } from './wire-timeouts.js';

export const WIRE_COLUMNS = [
  { title: 'Edge', numeric: false },
  { title: 'Protocol', numeric: false },
  { title: 'Connections', numeric: false },
  { title: 'Calls', numeric: true },
  { title: 'Answered', numeric: false },
  { title: 'Not answered', numeric: false },
  { title: 'p50', numeric: true },
  { title: 'p95', numeric: true },
];

export const WIRE_CAPTION =
  'Each service on its networks, whatever it is written in: who asked whom in the load, what was answered, and who hung up first. Times are from the first byte of a question to the last of its answer.';

/** More edges than a reader takes in; the others are in result.json. */
const EDGES_MOST = 30;

/** @param {import('../record/result.js').Wire} wire @returns {string[][]} a text for each column */
export const wireRows = ({ edges }) =>
  edges
    .slice(0, EDGES_MOST)
    .map((edge) => [
      `${edge.from} → ${edge.to}:${edge.port}`,
      protocolText(edge),
      connectionsText(edge),
      count(edge.calls),
      answeredText(edge),
      unansweredText(edge),
      milliseconds(edge.time_ms.p50),
      milliseconds(edge.time_ms.p95),
    ]);

/** What the table does not have. @param {import('../record/result.js').Wire} wire @returns {string[]} */
export const wireNotes = ({ edges, no_host: noHost, doubts, differs = [] }) => [
  ...timeoutNotes({ edges }),
  ...differs,
  ...noHost.map(({ from, to, asked }) => `${from} looked for ${to} ${count(asked)} times, and nobody had its address`),
  ...doubts,
  ...(edges.length > EDGES_MOST ? [`${count(edges.length - EDGES_MOST)} more edges are in result.json`] : []),
];

/** @param {WireEdge} edge */
function protocolText({ protocol, hidden_bytes: hidden }) {
  if (protocol === '') return MISSING;
  return hidden > 0 ? `${protocol}, not read` : protocol;
}

/** @param {WireEdge} edge */
function connectionsText({ connections: { opened, refused, unanswered, reset, closed_unasked: unasked }, turned_away: turnedAway = {} }) {
  const told = [
    [refused, 'refused'],
    [unanswered, 'unanswered'],
    [reset, 'reset'],
    [unasked, 'closed before a question'],
  ];
  const codes = Object.entries(turnedAway).map(([code, times]) => `${count(times)} turned away with ${code}`);
  return [count(opened), ...someOf(told), ...codes].join(', ');
}

/** Others are codes of errors, which look like figures. */
const NAMED = /^(?:ok|\dxx)$/;

/** @param {WireEdge} edge */
function answeredText({ ends, statuses, beside, bad }) {
  const kinds = Object.entries(statuses).map(([status, times]) => `${count(times)} ${NAMED.test(status) ? status : `with ${status}`}`);
  return (
    [
      ...(kinds.length > 0 ? kinds : ends.answered > 0 ? [count(ends.answered)] : []),
      ...someOf([
        [bad, 'bad'],
        [beside, 'beside'],
      ]),
    ].join(', ') || MISSING
  );
}

/** @param {WireEdge} edge */
function unansweredText({ ends, gave_up_after_ms: after, late, raced }) {
  const told = someOf([
    [ends.closed, 'closed by whom it asked'],
    [ends.reset, 'reset by whom it asked'],
    [ends.cut, 'cut short'],
    [ends.open, 'open at the end'],
    [late, 'answered too late'],
    [raced, 'on a connection closed before'],
  ]);
  const gaveUp = ends['given-up'] > 0 ? [`${count(ends['given-up'])} given up${afterText(after)}`] : [];
  return [...gaveUp, ...told].join(', ') || MISSING;
}

/** @param {WireEdge['gave_up_after_ms']} after @returns {string} begins with a space; empty where there was none */
export function afterText(after) {
  if (after === null) return '';
  const [least, usual, most] = [after.p10, after.p50, after.p90].map(milliseconds);
  return least === most ? ` after ${usual} each` : ` after ${usual} (${least} to ${most})`;
}

/** @param {(string | number)[][]} told */
const someOf = (told) => told.filter(([times]) => Number(times) > 0).map(([times, words]) => `${count(Number(times))} ${words}`);
