/**
 * Time-outs that the wire measured, in words.
 *
 * @typedef {import('../record/result.js').WireTimeout} WireTimeout
 * @typedef {Pick<WireTimeout, 'how' | 'after_ms'> & { from: string, to: string }} Named
 */
import { count, percent, withUnit } from './format.js';

const SECOND_MS = 1000;
const DECIMALS = 2;

/** How equal they are shows in the hundredths. @param {number} after_ms */
const after = (after_ms) => (after_ms < SECOND_MS ? withUnit(after_ms, 'ms') : `${(after_ms / SECOND_MS).toFixed(DECIMALS)}\u00a0s`);

/** `lb gave up on web after 10.00 s`. @param {Named} timeout */
export function timeoutText({ how, from, to, after_ms: ms }) {
  if (how === 'gave-up') return `${from} gave up on ${to} after ${after(ms)}`;
  if (how === 'connect') return `${from} gave up connecting to ${to} after ${after(ms)}`;
  if (how === 'closed') return `${to} closed connections of ${from} without an answer after ${after(ms)}`;
  return `${to} answered ${from} with an error after ${after(ms)}, while it waited for nobody`;
}

/** @param {Pick<import('../record/result.js').Wire, 'edges'>} wire @returns {string[]} a sentence for each, the most frequent first */
export const timeoutNotes = ({ edges }) =>
  edges
    .flatMap(({ from, to, timeouts = [] }) => timeouts.map((timeout) => ({ ...timeout, from, to })))
    .toSorted((one, other) => other.count - one.count)
    .map((timeout) => {
      const { how, count: times, share } = timeout;
      const others = share < 1 ? ` (${percent(share)} of those that ${ENDED[how]})` : '';
      return `${timeoutText(timeout)}, ${times === 1 ? 'once' : `${count(times)} times`}: its time-out${others}`;
    });

/** @type {Record<WireTimeout['how'], string>} */
const ENDED = { 'gave-up': 'it gave up', connect: 'it gave up so', closed: 'it closed so', answered: 'it answered so' };
