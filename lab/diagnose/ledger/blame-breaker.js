/**
 * Whose fault it is that a node's circuit breaker was open: that of the request whose failure opened it.
 */
import { blameDatabase, isOfDatabase } from './blame-database.js';
import { placed } from './place.js';

/** The cause that refusals by a breaker have. */
export const BREAKER_OPEN = 'breaker-open';

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {{ node: string, opener: string | undefined }} refusal  opener: id of the request that opened it, where the node says so
 * @returns {import('./place.js').Placement}
 */
export function blameBreaker(facts, counters, { node, opener = '' }) {
  const breaker = { tier: /** @type {const} */ ('app'), service: node, cause: BREAKER_OPEN };
  const failed = facts.attempts.get(opener)?.find((attempt) => attempt.node === node && isOfDatabase(attempt.error));
  if (!failed) return placed(breaker, 'proved', 'proved');
  const { error, received: from, ended } = failed;
  const trigger = blameDatabase(facts, counters, { node, error, place: '', from, to: ended ?? from });
  return { ...trigger, where: 'proved', amplifier: breaker };
}
