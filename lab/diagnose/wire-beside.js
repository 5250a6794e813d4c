/**
 * What the wire says of a run beside what all other records say: counts and times way by way, and how each failed request ended.
 *
 * @typedef {import('../record/result.js').Wire} Wire
 * @typedef {import('../record/result.js').WireComparison} WireComparison
 */
import { compareWire } from './wire-compare.js';
import { failuresOnWire } from './wire-failures.js';
import { waysOf } from './wire-sides.js';

/**
 * @param {Wire | null} told  of the same record
 * @param {import('./joins/lined.js').Lined | null} lined
 * @param {object} given
 * @param {import('./ledger/facts.js').Facts} given.facts
 * @param {import('./ledger/ledger.js').PlacedTrace[]} given.all
 * @param {import('../record/result.js').Ledger} given.ledger
 * @param {import('./wire-failures.js').TimedOut} [given.timedOut]
 * @returns {Wire | null} with both
 */
export function besideRecords(told, lined, { facts, all, ledger, timedOut }) {
  const { window, generator } = facts;
  if (told === null || lined === null) return told;
  const ways = waysOf(lined, window.from);
  const compared = compareWire(ways, facts, ledger);
  const failures = generator.failed > 0 ? failuresOnWire(ways, facts, all, timedOut) : null;
  return { ...told, compared, failures, doubts: [...told.doubts, ...compared.filter(({ holds }) => !holds).map(doubtOf)] };
}

/** @param {WireComparison} compared */
export const doubtOf = ({ from, to, what, unit, wire, other, source, left }) =>
  unit === 'ms'
    ? `${from} → ${to}, ${what}: ${wire} ms on the wire, ${other} ms by ${source}`
    : `${from} → ${to}, ${what}: ${wire.toLocaleString('en-US')} on the wire, ${other.toLocaleString('en-US')} by ${source}; ${Math.abs(left).toLocaleString('en-US')} are not explained`;
