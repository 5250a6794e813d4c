/**
 * Whether the wire and the other records of a run count the same requests, where that bears on what the run says.
 */
import { doubtOf } from '../wire-beside.js';
import { isTouched } from '../wire-gaps.js';

/** Of the failed requests, that a record may lack without it bearing on where they are placed: as of any log (../ledger/unlisted.js). */
const LOST_SHARE = 0.01;

/**
 * A count of which the difference has no explanation says that one of the two records lacks requests. What the generator sent are the
 * figures of the run. What others recorded says where failed requests were lost, and where none failed a log that leaves lines out is told
 * beside the wire and moves no figure. On an edge whose packets were dropped or not recorded it is the wire that lacks them, which its own
 * section says; and times tell how late a program reads, and no record wrong.
 * @param {Pick<import('./validity.js').ValidityInput, 'wire'> & { facts: { generator: { name: string, failed: number } } }} input
 * @returns {import('./grade.js').Doubt[]} of the whole run
 */
export function wireApart({ wire, facts: { generator } }) {
  if (!wire || wire.networks.length === 0) return [];
  const least = generator.failed > 0 ? generator.failed * LOST_SHARE : Number.POSITIVE_INFINITY;
  const bears = (/** @type {import('../../record/result.js').WireComparison} */ { from, what, left }) =>
    (from === generator.name && what === `sent by ${from}`) || Math.abs(left) > least;
  const isWhole = (/** @type {import('../../record/result.js').WireComparison} */ { from, to }) =>
    !isTouched(wire.gaps ?? [], ['unseen', 'dropped', 'ended'], (edge) => isOf(edge, { from, to }, generator.name));
  const counted = (wire.compared ?? []).filter(
    (compared) => !compared.holds && compared.unit === 'requests' && bears(compared) && isWhole(compared),
  );
  // What both its ends count is one doubt.
  const first = counted.filter(({ from, to }, index) => counted.findIndex((one) => one.from === from && one.to === to) === index);
  return first.map((compared) => ({
    rule: `wire: ${compared.from} ${compared.to}`,
    grade: 'SUSPECT',
    reason: `the wire and another record count differently on one edge: ${doubtOf(compared)}`,
  }));
}

/**
 * A comparison may be of several askers, and of all generators as one.
 * @type {(edge: { from: string, to: string }, compared: { from: string, to: string }, generator: string) => boolean}
 */
const isOf = (edge, { from, to }, generator) =>
  to.split(', ').includes(edge.to) && (from === generator || from.split(', ').includes(edge.from));
