/**
 * Every limit that is watched, second by second: was it reached? CPU of each service, limited resources, and tiers that stood
 * still or were gone; and which of those that were reached in a second held the others back.
 *
 * @typedef {object} Saturation
 * @property {import('../../record/result.js').Tier | 'machine'} tier
 * @property {string} service
 * @property {string} name      what was at its limit, for a sentence
 * @property {string} what      the limit, in words
 * @property {number} rank      of two in the same second, the one with the higher rank explains the other
 * @property {(boolean | null)[]} reached  on the timeline's seconds; null without a reading
 *
 * @typedef {import('./watched-limit.js').WatchedLimit} WatchedLimit
 */

import { secondOf } from '../time/seconds.js';
import { FULL_SHARE, machineBusyBySecond } from './machine-busy.js';
import { SATURATED_SHARE } from './saturation.js';

/**
 * From the least to the most telling. A tier at its limit lets requests pile up before it, so the deeper one explains the
 * others. Connections to the database that are used up, in the pools or there, are only the queue before the CPU of node and
 * database, which explain them.
 */
const TELLING = ['machine', 'generator', 'load-balancer', 'pool', 'app', 'queue', 'cache', 'database'];
/** A tier that stood still explains whatever queued up before it. */
const STANDSTILL = TELLING.length;
/** Tiers whose services do the same work: when one of several has ended, the others are asked. Stores have their data each. */
const ALIKE = ['load-balancer', 'app'];
/** What is said of a tier that was gone. */
export const HAD_ENDED = 'it had ended';
/** Seconds at a limit that are noise when there are fewer. */
export const SUSTAINED_S = 3;

/**
 * @param {object} input
 * @param {Record<string, import('../../record/result.js').Resource>} input.resources
 * @param {Record<string, (number | null)[]>} input.cpu
 * @param {WatchedLimit[]} input.limits
 * @param {number[]} input.seconds of the timeline
 * @param {import('../ledger/facts.js').Facts} input.facts
 * @returns {Saturation[]} also of limits that were never reached
 */
export const saturationsOf = ({ resources, cpu, limits, seconds, facts }) => [
  ...standstills(facts, seconds),
  ...cpuSaturations(resources, cpu),
  ...limits.map(limitSaturation),
];

/** A tier that stood still, or was gone. @param {import('../ledger/facts.js').Facts} facts @param {number[]} seconds @returns {Saturation[]} */
function standstills({ stalls, deaths, window, raw: { manifest } }, seconds) {
  const saturation = (
    /** @type {{ name: string, tier: string, from: number, to: number }} */ { name, tier, from, to },
    /** @type {string} */ what,
    isTelling = true,
  ) => ({
    tier: /** @type {import('../../record/result.js').Tier} */ (tier),
    service: name,
    name,
    what,
    rank: TELLING.indexOf(tier) + (isTelling ? STANDSTILL : 0),
    reached: seconds.map((t_s) => t_s > secondOf(from, window) && t_s <= secondOf(Math.min(to, window.to), window)),
  });
  const isLast = (/** @type {typeof deaths[number]} */ { name, tier, from, to }) =>
    !ALIKE.includes(tier) ||
    servicesOf(manifest, tier).every(
      (other) => other === name || deaths.some((one) => one.name === other && one.from <= to && one.to >= from),
    );
  return [
    ...deaths.map((death) => saturation(death, HAD_ENDED, isLast(death))),
    ...stalls.map((stall) => saturation(stall, 'it stood still')),
  ];
}

/** @param {{ services?: { name: string, tier: string }[] }} manifest @param {string} tier */
const servicesOf = ({ services = [] }, tier) => services.flatMap((one) => (one.tier === tier ? [one.name] : []));

/** @type {(resources: Record<string, import('../../record/result.js').Resource>, cpu: Record<string, (number | null)[]>) => Saturation[]} */
function cpuSaturations(resources, cpu) {
  return Object.entries(cpu).flatMap(([service, shares]) => {
    const { tier, cpu_quota_cores: quota } = resources[service];
    if (tier === 'observer') return [];
    const what = quota === null ? 'it used all cores of the machine' : 'its CPU quota was used up';
    const reached = shares.map((share) => (share === null ? null : share >= SATURATED_SHARE));
    return [{ tier, service, name: service, what, rank: TELLING.indexOf(tier), reached }];
  });
}

/**
 * The cores of the machine: without quotas its tiers, the generator and whatever else runs there can be held back by each other, and none of
 * them by a limit of its own. Whatever else is at its limit explains more.
 * @param {import('../ledger/facts.js').Facts} facts
 * @param {number[]} seconds of the timeline
 * @returns {Saturation}
 */
export const coresSaturation = (facts, seconds) => ({
  tier: 'machine',
  service: 'machine',
  name: "the machine's cores",
  what: `at least ${FULL_SHARE * 100} % of them in use`,
  rank: TELLING.indexOf('machine'),
  reached: machineBusyBySecond(facts, seconds).map((share) => (share === null ? null : share >= FULL_SHARE)),
});

/** @param {WatchedLimit} watched @returns {Saturation} */
const limitSaturation = ({ label, tier, service, queues, what, reached }) => ({
  tier,
  service,
  name: label,
  what,
  rank: TELLING.indexOf(queues ? 'pool' : tier),
  reached,
});

/**
 * The saturation that held the others back in each second.
 * @param {Saturation[]} saturations
 * @param {number[]} seconds of the timeline
 * @returns {(Saturation | null | undefined)[]} null when no limit was reached; undefined when nothing was read
 */
export function bindingBySecond(saturations, seconds) {
  return seconds.map((_, index) => {
    if (saturations.every(({ reached }) => reached[index] === null)) return undefined;
    const found = saturations.filter(({ reached }) => reached[index] === true);
    return found.length === 0 ? null : found.reduce((one, other) => (other.rank > one.rank ? other : one));
  });
}
