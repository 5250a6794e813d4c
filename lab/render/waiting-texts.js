/**
 * Where failed requests failed when they are followed, in sentences, for the page and for Markdown.
 *
 * @typedef {import('../define/result.js').Waiting} Waiting
 * @typedef {import('../define/result.js').WaitingFinding} WaitingFinding
 */
import { count, percent } from './format.js';

export const WAITING_CAPTION =
  'Each kind of failed request, followed on the wire from the entry to the service that waited for nobody, with the good requests beside it.';

/** @type {Record<WaitingFinding['basis'], string>} */
const BASES = { proved: 'proved by ids', counted: 'counted', timed: 'by time', inferred: 'inferred' };
/** @type {Record<WaitingFinding['chain'][number]['by'], string>} */
const BY = { request: '', id: 'joined by id', order: 'joined by order', within: 'each within its request', waiting: 'where they waited' };

/** @param {WaitingFinding} finding @returns {string} the conclusion */
export const conclusionOf = ({ place: { service }, title, count: failed }) =>
  title === null
    ? `${service} is where ${count(failed)} failed requests stood or ended; why is not on record`
    : `${service} ${title}: ${count(failed)} failed requests`;

/** @param {WaitingFinding} finding @returns {string} */
export const basisOf = ({ basis, why_basis: why, kind }) =>
  [`Place: ${BASES[basis]}`, ...(why === null ? [] : [`reason: ${BASES[why]}`]), ...(kind === '' ? [] : [`requests: ${kind}`])].join('; ');

/** @param {WaitingFinding} finding @returns {string[]} the way, what was read there, and doubts */
export const linesOf = ({ chain, evidence, doubts }) => [...chain.map(hopText), ...evidence, ...doubts.map((doubt) => `Doubt: ${doubt}`)];

/** @param {WaitingFinding['chain'][number]} hop */
function hopText({ edge: { from, to }, said, failed, good, by }) {
  if (by === 'request') return `${from} → ${to}: ${said}`;
  const shares =
    failed === null
      ? []
      : [`with ${percent(failed)} of the failed requests${good === null ? '' : ` and ${percent(good)} of the good ones`}`];
  return `${from} → ${to}: ${said} (${[...shares, BY[by]].join(', ')})`;
}

/** @param {Waiting | null | undefined} waiting @returns {waiting is Waiting} whether there is anything to tell */
export const isTold = (waiting) => waiting !== null && waiting !== undefined && waiting.failed > 0;

/** @param {Waiting} waiting @returns {string[]} */
export const notesOf = ({ failed, followed, doubts }) => [
  `${count(followed)} of ${count(failed)} failed requests were followed.`,
  ...doubts.map((doubt) => `Doubt: ${doubt}`),
];
