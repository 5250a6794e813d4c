/**
 * Where a failed request was lost and why, and how each of the two is known.
 *
 * @typedef {'proved' | 'timed' | 'counted' | 'inferred'} Basis  proved: by a record of that very request; timed: something that is
 *   recorded happened at the same time; counted: a counter of the run rose; inferred: nothing else is left
 * @typedef {import('../../record/result.js').Tier} Tier
 * @typedef {{ tier: Tier, service: string, cause: string }} Spot
 * @typedef {Spot & { where: Basis, why: Basis, amplifier: Spot | null, finding?: import('../../record/result.js').WaitingFinding }} Placement
 *   amplifier: what made many failures of it; finding: of one that was found by following the waiting
 *
 * @typedef {import('./facts.js').Trace} Trace
 * @typedef {import('./facts.js').Facts} Facts
 * @typedef {import('./counters.js').Counters} Counters
 * @typedef {{ id: string, place: (trace: Trace, facts: Facts, counters: Counters) => Placement | null }} Rule
 */

/** A connection that breaks this long before a container's end, or after it, is its end. */
export const AROUND_S = 2;

/** @type {(spot: Spot, where: Basis, why: Basis, amplifier?: Spot | null) => Placement} */
export const placed = (spot, where, why, amplifier = null) => ({ ...spot, where, why, amplifier });

/** The time in which the user waited. @param {Trace} trace */
export const whileWaiting = ({ t, waited_s }) => ({ from: t - waited_s, to: t });

/** @type {<T extends { name: string, from: number, to: number }>(times: T[], name: string, span: { from: number, to: number }, around?: number) => T | undefined} */
export const overlapping = (times, name, { from, to }, around = 0) =>
  times.find((time) => time.name === name && time.from - around < to && time.to + around > from);

/** Of the time that a request waited, from which on something that lasted so long is what it waited for; the lab's own choice. */
const MOST_SHARE = 0.5;

/** @type {(times: { name: string, from: number, to: number }[], name: string, span: { from: number, to: number }) => boolean} whether they are most of a time */
export function tookMost(times, name, { from, to }) {
  const taken = times.filter((time) => time.name === name).map((time) => Math.min(time.to, to) - Math.max(time.from, from));
  return taken.filter((seconds) => seconds > 0).reduce((sum, seconds) => sum + seconds, 0) > (to - from) * MOST_SHARE;
}

/** From its own word that it ends until it serves again. @type {(facts: Facts, name: string, span: { from: number, to: number }) => import('./lives.js').Death | undefined} */
export const deathDuring = ({ deaths }, name, { from, to }) =>
  deaths.find((death) => death.name === name && death.stopping - AROUND_S < to && death.ready + AROUND_S > from);

/**
 * What a service's end is called.
 * @param {Facts} facts @param {string} name @param {{ from: number, to: number }} span @returns {string | null} null when it was there
 */
export function crashDuring(facts, name, span) {
  const death = deathDuring(facts, name, span);
  if (!death) return null;
  if (death.outOfMemory) return 'out-of-memory';
  return endOf(death.tier);
}

/** Whether it said that one of its worker processes ended; one takes with it all the requests that it had. @type {(facts: Facts, name: string, span: { from: number, to: number }) => boolean} */
export const hasLostWorker = ({ said }, name, { from, to }) =>
  said.get(name)?.['worker-died']?.times.some((t) => t >= from - AROUND_S && t <= to + AROUND_S) ?? false;

/** What it is called that a service of a tier is not there. @param {string} tier */
export const endOf = (tier) =>
  ({ 'load-balancer': 'balancer-down', database: 'database-down', queue: 'database-down', cache: 'database-down' })[tier] ?? 'app-crashed';

/** Whether the balancer was out of descriptors or ports in a time, by its own log. @type {(facts: Facts, span: { from: number, to: number }) => boolean} */
export const isExhausted = ({ front }, { from, to }) =>
  (front?.said.proxy_internal_error?.times ?? []).some((t) => t >= from - AROUND_S && t <= to + AROUND_S);

/** @type {(facts: Facts, name: string) => Tier} */
export const tierOf = ({ tiers }, name) => tiers.get(name) ?? 'app';

/** A proxy may ask an address that belongs to no service, or name a group of them. @type {(facts: Facts, name: string) => boolean} */
export const isService = ({ names }, name) => [...names.values()].includes(name);
