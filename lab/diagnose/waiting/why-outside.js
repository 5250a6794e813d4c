/**
 * Was it a host outside of the stack that a service waited for? Nothing of such a host is read, so that the way ends there: the place is the
 * service that asked, on that edge.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { GENERATOR_NAME } from '../../base/paths.js';
import { HOST } from '../../wire/tenancy.js';
import { GOOD_LEAST } from './asked.js';
import { GOOD } from './seen.js';
import { slownessOf, tookText } from './step.js';
import { counted, ended, seconds } from './text.js';

/** Nothing came back for these. */
export const SILENT = new Set(['given-up', 'unanswered', 'open']);

/** The walk has come to a host outside. @param {Step} step @returns {Why | null} */
export function outside(step) {
  const { seen, service, caller, failed, sign, equal_s: equal } = step;
  // A port that this machine publishes may lead back into the stack.
  if (!seen.outside.has(service) || caller === GENERATOR_NAME || seen.calleesOf(service).length > 0) return null;
  const whom = `${service === HOST ? 'this machine' : service}, outside of the stack`;
  const isSilent = SILENT.has(sign);
  const slow = slownessOf({ ...step, service: caller }, service);
  const place = { service: caller, edge: { from: caller, to: service } };
  const said = `${counted(failed.length)} calls of ${caller} to ${service} were ${ended(sign)}${equal === null ? '' : `, each after ${seconds(equal)}`}.`;
  const evidence = [said, tookText(service, slow), `${service} is no container of the stack: why it did so is not on record.`];
  if (sign !== GOOD && !isSilent)
    return { mechanism: 'outside-failed', title: `had its calls to ${whom}, ${ended(sign)}`, basis: besideGood(step), place, evidence };
  const isKnown = slow.isCalm && !slow.isSlower && !isSilent;
  return {
    mechanism: 'outside-slow',
    title: `waited for ${whom}`,
    basis: isKnown ? 'inferred' : isSilent ? besideGood(step) : 'timed',
    place,
    evidence,
    ...(isKnown ? { doubts: [`${service} took no longer than in calm seconds`] } : {}),
  };
}

/** What no call was spared of may be usual there. @param {Step} step @returns {import('./step.js').Basis} */
export const besideGood = ({ good }) => (good.length < GOOD_LEAST ? 'inferred' : 'counted');
