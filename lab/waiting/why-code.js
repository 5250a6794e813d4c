/**
 * Errors whose code says by itself why they came about.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { MECHANISMS } from './mechanisms.js';
import { CODE } from './seen.js';
import { counted } from './text.js';

/** @param {Step['seen']} seen @param {number} call @returns {{ protocol: string, code: string } | null} null where it was answered none */
export function codeOf({ sign, calls, lineOf }, call) {
  if (!sign[call].startsWith(CODE)) return null;
  return { protocol: lineOf.get(calls[call].connection)?.connection.protocol ?? '', code: sign[call].slice(CODE.length) };
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
    title: MECHANISMS[told.cause].title,
    basis: 'counted',
    evidence: [`${step.service} answered ${told.code} ${counted(told.calls)} times.`],
  };
}
