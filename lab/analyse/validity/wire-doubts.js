/**
 * Whether the wire and the other records of a run count the same requests.
 */
import { doubtOf, isWhole } from '../wire-beside.js';

/**
 * A count of which the difference has no explanation is a doubt about the requests of that edge: one of the two records lacks them. Where
 * packets were dropped it is the wire that does, which its own section says; and times tell how late a program reads, and no record wrong.
 * @param {import('./validity.js').ValidityInput} input
 * @returns {import('./grade.js').Doubt[]} of the whole run
 */
export function wireApart({ wire }) {
  if (!wire || !isWhole(wire)) return [];
  const apart = (wire.compared ?? []).filter(({ holds, unit }) => !holds && unit === 'requests');
  // What both its ends count is one doubt.
  const first = apart.filter(({ from, to }, index) => apart.findIndex((one) => one.from === from && one.to === to) === index);
  return first.map((compared) => ({
    rule: `wire: ${compared.from} ${compared.to}`,
    grade: 'SUSPECT',
    reason: `the wire and another record count differently on one edge: ${doubtOf(compared)}`,
  }));
}
