/**
 * The tier that held the others back: the one whose limit was reached, with the tiers behind it not at theirs.
 */
import { secondOf } from './timeline.js';
import { SATURATED_SHARE } from './validity/generator-doubts.js';
import { percent } from './words.js';

/** Seconds in a row for which a limit has to be reached; one alone is noise. */
const SUSTAINED_S = 3;
/** Of the first one's saturated seconds that a tier behind it must share to be blamed instead. */
const LASTING_SHARE = 0.5;
/** Share of the machine's cores from which on there was none left for anybody. */
export const FULL_SHARE = 0.9;
/** Nginx begins to close idle clients when 1/16 of its slots are free. */
const TABLE_SHARE = 15 / 16;
/** From the client to the data: a tier can only be blamed when none behind it is saturated. */
const DEPTH = ['generator', 'load-balancer', 'app', 'pool', 'database'];

/**
 * @typedef {{ tier: import('../define/result.js').Tier, service: string, what: string, since_s: number, seconds: number }} Saturation
 */

/**
 * @param {object} input
 * @param {Record<string, import('../define/result.js').Resource>} input.resources
 * @param {Record<string, (number | null)[]>} input.cpu
 * @param {import('../define/result.js').Series['limits']} input.limits
 * @param {number[]} input.seconds of the timeline
 * @param {import('./ledger/facts.js').Facts} input.facts
 * @returns {{ bottleneck: import('../define/result.js').Result['bottleneck'], reason: string }}
 */
export function bottleneckOf({ resources, cpu, limits, seconds, facts }) {
  const still = standstills(facts);
  const found = [...still, ...cpuSaturations(resources, cpu, seconds), ...limitSaturations(limits, seconds)];
  if (found.length === 0) {
    const busy = machineBusy(facts);
    const together = busy >= FULL_SHARE ? `; together they used ${percent(busy)} of the machine's cores` : '';
    return { bottleneck: null, reason: `no tier reached a limit that is watched${together}` };
  }
  // A tier that stood still explains whatever queued up before it.
  const candidates = still.length > 0 ? still : found;
  // A full pool is only the queue of what is behind or around it, when that is saturated itself.
  const causes = candidates.filter(
    ({ tier }) => tier !== 'pool' || !found.some((other) => other.tier === 'app' || other.tier === 'database'),
  );
  const first = causes.reduce((one, other) =>
    other.since_s < one.since_s || (other.since_s === one.since_s && depth(other) > depth(one)) ? other : one,
  );
  // What queues up behind a limit shows its own limit for a moment only.
  const lasts = (/** @type {Saturation} */ other) => other.seconds >= first.seconds * LASTING_SHARE;
  const behind = causes.filter((other) => depth(other) > depth(first) && other.since_s <= first.since_s + SUSTAINED_S && lasts(other));
  const blamed = behind.reduce((one, other) => (depth(other) > depth(one) ? other : one), first);
  const calm = DEPTH.slice(DEPTH.indexOf(blamed.tier) + 1).filter(
    (tier) => !found.some((other) => other.tier === tier) && isWatched(tier, resources, limits),
  );
  const evidence = [
    ...found
      .filter(({ tier }) => tier === blamed.tier)
      .map(({ service, what, since_s, seconds: length }) => `${service}: ${what} from second ${since_s} on, ${length} s in all`),
    ...(calm.length > 0 ? [`behind it no limit was reached (${calm.join(', ')})`] : []),
  ];
  return { bottleneck: { tier: blamed.tier, evidence }, reason: `the ${blamed.tier} was the first to reach a limit` };
}

/**
 * Share of the machine's cores that was in use during the load: without quotas tiers can be held back by each other, and none
 * of them by a limit of its own.
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {number} 0 to 1; 0 where it is not known
 */
export function machineBusy({ raw, window }) {
  const rows = raw.host.filter(({ t }) => t > window.from && t <= window.to);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || last.cpu_total_s <= first.cpu_total_s) return 0;
  return (last.cpu_busy_s - first.cpu_busy_s) / (last.cpu_total_s - first.cpu_total_s);
}

/** @param {Saturation} saturation */
const depth = ({ tier }) => DEPTH.indexOf(tier);

/** @type {(tier: string, resources: Record<string, import('../define/result.js').Resource>, limits: import('../define/result.js').Series['limits']) => boolean} */
const isWatched = (tier, resources, limits) =>
  Object.values(resources).some((resource) => resource.tier === tier) || limits.some((limit) => limit.tier === tier);

/** A tier that stood still, or was gone, is at its limit whatever else it shows. @param {import('./ledger/facts.js').Facts} facts @returns {Saturation[]} */
function standstills({ stalls, deaths, window }) {
  const saturation = (
    /** @type {{ name: string, tier: string, from: number, to: number }} */ { name, tier, from, to },
    /** @type {string} */ what,
  ) => ({
    tier: /** @type {import('../define/result.js').Tier} */ (tier),
    service: name,
    what,
    since_s: Math.max(0, secondOf(from, window)),
    seconds: secondOf(Math.min(to, window.to), window) - Math.max(0, secondOf(from, window)),
  });
  return [...deaths.map((death) => saturation(death, 'it had ended')), ...stalls.map((stall) => saturation(stall, 'it stood still'))];
}

/** @type {(resources: Record<string, import('../define/result.js').Resource>, cpu: Record<string, (number | null)[]>, seconds: number[]) => Saturation[]} */
function cpuSaturations(resources, cpu, seconds) {
  return Object.entries(cpu).flatMap(([service, shares]) => {
    const { tier, cpu_quota_cores: quota } = resources[service];
    if (tier === 'observer') return [];
    const run = sustainedRun(shares, seconds, (share) => share >= SATURATED_SHARE);
    const what = quota === null ? 'it used all cores of the machine' : 'its CPU quota was used up';
    return run ? [{ tier, service, what, ...run }] : [];
  });
}

/** @type {(limits: import('../define/result.js').Series['limits'], seconds: number[]) => Saturation[]} */
function limitSaturations(limits, seconds) {
  return limits.flatMap(({ id, label, tier, limit, values }) => {
    if (limit === null || id.startsWith('database')) return [];
    const share = tier === 'load-balancer' ? TABLE_SHARE : id.startsWith('loop') ? SATURATED_SHARE : 1;
    const run = sustainedRun(values, seconds, (value) => value >= limit * share);
    return run ? [{ tier, service: label, what: `at its limit of ${limit.toLocaleString('en-US')}`, ...run }] : [];
  });
}

/**
 * @param {(number | null)[]} values
 * @param {number[]} seconds
 * @param {(value: number) => boolean} isSaturated
 * @returns {{ since_s: number, seconds: number } | null} the first sustained time, and all saturated seconds
 */
function sustainedRun(values, seconds, isSaturated) {
  let run = 0;
  let runFrom = 0;
  let since = /** @type {number | null} */ (null);
  let all = 0;
  for (const [index, value] of values.entries()) {
    if (seconds[index] <= 0) continue;
    if (value === null) continue;
    run = isSaturated(value) ? run + 1 : 0;
    if (isSaturated(value)) all += 1;
    if (run === 1) runFrom = seconds[index];
    if (run === SUSTAINED_S) since ??= runFrom;
  }
  return since === null ? null : { since_s: since, seconds: all };
}
