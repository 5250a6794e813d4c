/**
 * Calls that waited for a lock, as the service itself told once a second: who held it, whatever client that is.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { lookUp } from '../../wire/tenancy.js';
import { counted, few, seconds } from './text.js';

/** Of the requests that stood there: one may be between two waits, and a reading comes once a second. */
const WAITING_SHARE = 0.5;
const WAITING_LEAST = 1;
/** What waits so often in calm seconds too explains nothing. */
const LIFT_TIMES = 3;
const CALM_LEAST = 2;
const HOLDERS_SHOWN = 3;

/** @param {Step} step @returns {Why | null} */
export function lockTold({ seen, readings, service, moments, calm, waiting }) {
  const holders = readings.holders(service, moments);
  const now = countOf(holders);
  const before = calm.length < CALM_LEAST ? null : countOf(readings.holders(service, calm));
  if (now < Math.max(WAITING_LEAST, WAITING_SHARE * waiting.standing) || (before ?? 0) * LIFT_TIMES > now) return null;
  const tenantAt = lookUp(seen.wire.services);
  const nameOf = (/** @type {string} */ address) =>
    address === '' ? `a client within ${service}` : (tenantAt(address, moments[0])?.name ?? address);
  return {
    mechanism: 'lock',
    title: `let calls wait for a lock that ${nameOf(holders[0].address)} held`,
    basis: before === null ? 'inferred' : 'counted',
    evidence: [
      ...holders
        .slice(0, HOLDERS_SHOWN)
        .map(
          ({ address, state, waiting: count, held_s: held }) =>
            `${nameOf(address)} held locks that ${few(count)} others waited for, by what ${service} told each second, in a transaction of up to ${seconds(held)} (${state || 'in an unknown state'}).`,
        ),
      ...(before === null ? [] : [`In calm seconds ${before === 0 ? 'nobody' : counted(before)} waited for a lock there.`]),
    ],
  };
}

/** @param {import('./strains.js').Holder[]} holders */
const countOf = (holders) => holders.reduce((sum, { waiting }) => sum + waiting, 0);
