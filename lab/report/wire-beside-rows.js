/**
 * The wire beside other records, and how failed requests ended on it, as rows of tables, for the page and for Markdown.
 *
 * @typedef {import('../record/result.js').Wire} Wire
 * @typedef {import('../record/result.js').WireComparison} WireComparison
 */
import { count, MISSING, milliseconds, percent } from './format.js';
import { timeoutText } from './wire-timeouts.js';

export const COMPARED_COLUMNS = [
  { title: 'Edge', numeric: false },
  { title: 'What', numeric: false },
  { title: 'On the wire', numeric: true },
  { title: 'Other record', numeric: true },
  { title: 'Source', numeric: false },
  { title: 'The difference', numeric: false },
];

export const COMPARED_CAPTION =
  'The wire beside the other records of the run: counts are equal within 0.1 %, or the difference has a name; times within 1 ms.';

export const ENDED_COLUMNS = [
  { title: 'End', numeric: false },
  { title: 'By', numeric: false },
  { title: 'Requests', numeric: true },
  { title: 'Found by id', numeric: true },
  { title: 'Placed by the ledger', numeric: false },
];

/** @type {Record<import('../record/result.js').WireFailureEnd, string>} */
const ENDS = {
  answered: 'answered with an error',
  'given-up': 'given up before a byte of the answer',
  closed: 'connection closed after the request, without an answer',
  reset: 'connection reset after the request, without an answer',
  cut: 'cut short within the answer',
  open: 'still open when the recording ended',
  raced: 'sent on a connection that had been closed',
  refused: 'connection refused',
  unanswered: 'connection asked for, and not answered',
  'unasked-closed': 'connection accepted, and closed before a request was sent',
  'unasked-reset': 'connection accepted, and reset before a request was sent',
  'unasked-open': 'connection accepted, and no request was sent',
  unseen: 'nothing of it on the wire',
};

/** @param {Wire} wire @returns {string[][]} none in a result from before */
export const comparedRows = ({ compared = [] }) =>
  compared.map((one) => [
    `${one.from} → ${one.to}`,
    one.what,
    valueText(one.unit, one.wire),
    valueText(one.unit, one.other),
    one.source,
    differenceText(one),
  ]);

/** @param {WireComparison['unit']} unit @param {number} value */
const valueText = (unit, value) => (unit === 'ms' ? milliseconds(value) : count(value));

/** @param {WireComparison} compared */
function differenceText({ unit, explained, left, holds }) {
  const words = explained.map(({ kind, count: times, of }) => `${count(times)}${of > times ? ` of ${count(of)}` : ''} ${kind}`);
  if (left !== 0) words.push(`${valueText(unit, Math.abs(left))} ${left > 0 ? 'more by the other record' : 'more on the wire'}`);
  return `${words.join(', ') || 'none'}${holds ? '' : ': more than it may be'}`;
}

/** @param {Wire} wire @returns {string[][]} none where no request failed */
export const endedRows = ({ failures }) =>
  (failures?.rows ?? []).map(({ end, by, count: times, by_id: byId, placed, timeouts = [] }) => [
    [ENDS[end], ...timeouts.map((timeout) => `${count(timeout.count)} by a time-out: ${timeoutText(timeout)}`)].join('; '),
    by || MISSING,
    count(times),
    count(byId),
    placed.map((one) => `${one.service === '' ? 'not placed' : `${one.service}: ${one.cause_title}`} ${count(one.count)}`).join('; '),
  ]);

/** @param {Wire} wire @returns {string[]} */
export function endedNotes({ failures }) {
  if (!failures) return [];
  const { failed, explained, agreed, apart } = failures;
  return [
    `The end of ${count(explained)} of ${count(failed)} failed requests is known from the wire (${percent(failed === 0 ? null : explained / failed)}); the ledger places ${count(agreed)} where the wire saw them last, or behind it.`,
    ...apart.map(apartText),
  ];
}

/** @param {NonNullable<Wire['failures']>['apart'][number]} apart */
const apartText = ({ wire, ledger, cause_title: title, count: times, arrived = false }) =>
  arrived
    ? `${count(times)} went through ${wire} on the wire; the ledger says of ${ledger}: ${title}, which is therefore only inferred.`
    : `${count(times)} were last seen at ${wire} on the wire; the ledger places them at ${ledger}: ${title}.`;

export const ENDED_CAPTION = 'On the wire, where users had sent them.';
