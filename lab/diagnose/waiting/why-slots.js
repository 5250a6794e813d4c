/**
 * Did it turn away whoever was more than it takes? It said so with a code, or closed further connections while as many were open as ever.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

import { average, grouped, some, within } from './spread.js';
import { causeByCode, counted, MECHANISMS } from './text.js';

/** Who holds a lock is asked elsewhere (why-lock.js). @param {Step} step @returns {Why | null} */
export function toldByCode(step) {
  const told = causeByCode(step);
  if (told === null || told.cause === 'lock') return null;
  return {
    mechanism: told.cause,
    title: told.cause === 'turned-away' ? turnedAwayText(step, told.code) : MECHANISMS[told.cause].title,
    basis: 'counted',
    evidence: [
      `${step.service} answered ${told.code} ${counted(told.calls)} times.`,
      ...(told.cause === 'turned-away' ? takersText(step) : []),
    ],
  };
}

/** @param {Step} step @param {string} code @returns {string} title, with who else has most of what there is */
export function turnedAwayText(step, code) {
  const { rows, total } = takersOf(step);
  const [most] = rows;
  // Whom nobody asks takes no part in requests.
  const isOther = most !== undefined && step.seen.servedBy(most.client).length === 0 && most.count > total / 2;
  return `turned connections away with ${code}${isOther ? `, while ${most.client} kept ${counted(most.count)} of ${counted(total)} open` : ''}`;
}

/** @param {Step} step @returns {string[]} none or a sentence */
export function takersText(step) {
  const { rows } = takersOf(step);
  if (rows.length === 0) return [];
  return [
    `Connections open at ${step.service} then: ${rows
      .slice(0, TAKERS_SHOWN)
      .map(({ client, count }) => `${counted(count)} of ${client}`)
      .join(', ')}.`,
  ];
}
const TAKERS_SHOWN = 4;

/** Who had its connections open, at the moments of the failed. @param {Step} step @returns {{ rows: { client: string, count: number }[], total: number }} the most first */
function takersOf({ seen, service, moments }) {
  const at = some(moments, MOMENTS_MOST);
  const rows = [...grouped(seen.linesTo(service), ({ from }) => from)].flatMap(([client, lines]) => {
    const open = at.map(() => 0);
    for (const line of lines) for (const index of within(line, at)) open[index] += 1;
    const count = Math.round(average(open));
    return count > 0 ? [{ client, count }] : [];
  });
  return { rows: rows.toSorted((one, other) => other.count - one.count), total: rows.reduce((sum, { count }) => sum + count, 0) };
}
const MOMENTS_MOST = 100;
