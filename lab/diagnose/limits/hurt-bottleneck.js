/**
 * The tier that binds over the seconds of a load that hurt: in each of them the most telling of the limits that were reached, and of all of
 * them the tier that this is while most of the requests failed, or, where hardly one did, in most of the seconds in which answers took long.
 *
 * @typedef {import('./saturations.js').Saturation} Saturation
 * @typedef {import('./hurt.js').Hurt} Hurt
 * @typedef {import('../../record/result.js').TimelineRow} TimelineRow
 *
 * @typedef {object} Judged        over some seconds
 * @property {number[]} inside     places on the timeline
 * @property {'failures' | 'latency'} by
 * @property {Saturation['tier'] | null} tier  null where none is at its limit for most
 * @property {number} share        of the failures, or of the seconds, while it was; 0 to 1
 * @property {{ tier: Saturation['tier'], share: number }[]} all  the longest first
 */

import { count, inUnit, many, percent, tierName } from '../../stats/figure-words.js';
import { sum } from '../../stats/numbers.js';
import { SLOW_TIMES } from './hurt.js';
import { bindingBySecond, SUSTAINED_S } from './saturations.js';
import { calmBehind, MOST } from './stage-bottlenecks.js';

/** Losses below this share of the requests do not say which seconds count; the lab's choice. */
const LOST_SHARE = 0.01;

/** @param {Pick<Hurt, 'failures' | 'finished'>} hurt */
export const hasLost = ({ failures, finished }) => failures > finished * LOST_SHARE;

/**
 * @param {Saturation[]} saturations  the machine's among them
 * @param {TimelineRow[]} timeline
 * @param {Hurt} hurt
 * @param {Judged['by']} [by]
 * @returns {Judged | null} null where no second hurt
 */
export function judgedOver(saturations, timeline, hurt, by = hasLost(hurt) ? 'failures' : 'latency') {
  const inside = by === 'failures' ? hurt.failing : hurt.slow;
  if (inside.length === 0) return null;
  const binding = bindingBySecond(
    saturations,
    timeline.map(({ t_s }) => t_s),
  );
  const weightOf = (/** @type {number} */ index) => (by === 'failures' ? (timeline[index].failures_per_s ?? 0) : 1);
  const total = sum(inside.map(weightOf));
  const tiers = [...new Set(inside.flatMap((index) => binding[index]?.tier ?? []))];
  const all = tiers
    .map((tier) => ({ tier, share: sum(inside.filter((index) => binding[index]?.tier === tier).map(weightOf)) / total }))
    .sort((one, other) => other.share - one.share);
  const [first] = all;
  const isMost = first !== undefined && first.share > MOST;
  return { inside, by, tier: isMost ? first.tier : null, share: isMost ? first.share : 0, all };
}

/**
 * What was at its limit in those seconds, that of the tier first.
 * @type {(judged: Judged, saturations: Saturation[]) => string[]}
 */
export function evidenceOver({ inside, tier, by }, saturations) {
  const lengthOf = (/** @type {Saturation} */ { reached }) => inside.filter((index) => reached[index]).length;
  const longest = saturations.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const own = longest.filter((saturation) => saturation.tier === tier && lengthOf(saturation) > 0);
  const others = longest.filter((saturation) => saturation.tier !== tier && lengthOf(saturation) >= SUSTAINED_S);
  const which = by === 'failures' ? 'with failures' : 'with slow answers';
  return [
    ...[...own, ...others].map(
      (saturation) => `${saturation.name}: ${saturation.what} in ${lengthOf(saturation)} of ${inside.length} s ${which}`,
    ),
    ...calmBehind(saturations, tier, inside),
  ];
}

/** Why the tier stands for the run. @type {(judged: Judged, hurt: Hurt) => string} */
export const reasonOver = ({ by, share, inside }, hurt) =>
  by === 'failures'
    ? `it was at a limit while ${percent(share)} of the ${many(Math.round(hurt.failures), 'failure')} happened`
    : `it was at a limit in ${Math.round(share * inside.length)} of the ${inside.length} s in which ${slowText(hurt)}`;

/**
 * Why none is named, and what was not watched meanwhile.
 * @type {(judged: Judged, input: { hurt: Hurt, saturations: Saturation[], facts: Pick<import('../ledger/facts.js').Facts, 'hops'> }) => string}
 */
export function nothingOver({ by, all, inside }, { hurt, saturations, facts }) {
  const [which, part] =
    by === 'failures'
      ? [`while ${many(Math.round(hurt.failures), 'request')} failed`, 'of the failures']
      : [`in the ${inside.length} s in which ${slowText(hurt)}`, 'of these seconds'];
  const some = all.map(({ tier, share }) => `${tierName(tier)} in ${percent(share)} ${part}`);
  const found =
    some.length === 0
      ? `no limit on record was reached ${which}`
      : `no limit on record was reached for most of the time ${which}: ${some.join(', ')}`;
  return [found, ...unwatched(inside, saturations, facts)].join('; ');
}

/** @param {Hurt} hurt */
const slowText = ({ calmMs, silent }) =>
  `answers took at least ${SLOW_TIMES} times as long as in the calm (median ${inUnit('ms', calmMs)})${silent > 0 ? ', or none came' : ''}`;

/** @type {(inside: number[], saturations: Saturation[], facts: Pick<import('../ledger/facts.js').Facts, 'hops'>) => string[]} */
function unwatched(inside, saturations, { hops }) {
  const blind = hops.filter(({ coverage }) => coverage.limits !== 'full').map(({ service }) => service);
  const unread = saturations.filter(({ reached }) => inside.every((index) => reached[index] === null)).map(({ name }) => name);
  return [
    ...(blind.length > 0 ? [`what can run full inside ${blind.join(', ')} is not watched, or not all of it`] : []),
    ...(unread.length > 0
      ? [
          `not read in those seconds: ${unread.slice(0, NAMED_MOST).join(', ')}${unread.length > NAMED_MOST ? ` and ${count(unread.length - NAMED_MOST)} more` : ''}`,
        ]
      : []),
  ];
}

/** Limits that a sentence names. */
const NAMED_MOST = 4;
