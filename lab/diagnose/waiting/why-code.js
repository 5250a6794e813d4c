/**
 * Errors whose code says by itself why they came about.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { within } from './lines.js';
import { MECHANISMS } from './mechanisms.js';
import { CODE } from './seen.js';
import { average, grouped, some } from './spread.js';
import { counted } from './text.js';

/** @param {Step['seen']} seen @param {number} call @returns {{ protocol: string, code: string } | null} null where it was answered none */
export function codeOf({ sign, lineOf }, call) {
  if (!sign[call].startsWith(CODE)) return null;
  return { protocol: lineOf(call)?.connection.protocol ?? '', code: sign[call].slice(CODE.length) };
}

/** Of the sign that most of the failed have. @param {Step} step @returns {{ cause: import('./mechanisms.js').Mechanism, code: string, calls: number } | null} */
export function causeByCode({ seen, failed, sign, codeCause }) {
  const own = failed.filter((call) => seen.sign[call] === sign);
  const told = own.length * 2 > failed.length ? codeOf(seen, own[0]) : null;
  const cause = told && codeCause(told.protocol, told.code);
  return told && cause ? { cause, code: told.code, calls: own.length } : null;
}

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
