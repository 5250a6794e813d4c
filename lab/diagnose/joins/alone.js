/**
 * What each kind of request asks, learned from those that were alone in their service: whatever that began meanwhile is of that one. So are the
 * requests of the probe, which are sent one after the other, and many of a light load.
 *
 * Alone it is not quite what it is under load: caches are cold or warm, lists are shorter, nothing fails. So it is a likelihood and no law.
 *
 * @typedef {import('./spans.js').Spans} Spans
 */
import { grouped, some } from './grouped.js';
import { Profile } from './profile.js';
import { TOLERANCE_S } from './rules.js';

/** What a service does after its answer begins so soon after it, and would be taken for the next request's. The lab's own choice. */
const QUIET_S = 0.005;
/** As often as the probe sends each: the first may fill a cache or open a pool, and fewer than two others do not say what is usual. */
const ALONE_LEAST = 3;
/** More tell no more. */
const ALONE_MOST = 500;
const GOOD_BELOW = 400;

/**
 * @param {Spans} spans
 * @param {{ served: number[], made: number[] }[]} containers  of one service; made: without what goes on beside requests
 * @returns {Map<number, Profile>} by the kind of request
 */
export function profilesOf(spans, containers) {
  const alone = containers.flatMap(({ served, made }) => aloneIn(spans, served, made));
  const kinds = [...grouped(alone, ({ request }) => spans.way[request])].filter(([, all]) => all.length >= ALONE_LEAST);
  return new Map(kinds.map(([kind, all]) => [kind, new Profile(spans, some(all, ALONE_MOST))]));
}

/**
 * @param {Spans} spans
 * @param {number[]} served  in the order of their beginnings
 * @param {number[]} made    in the order of their beginnings
 * @returns {{ request: number, calls: number[] }[]} good ones, during which the service had no other
 */
function aloneIn({ began, over, worked, calls, length_s: length }, served, made) {
  const alone = [];
  let [until, next] = [Number.NEGATIVE_INFINITY, 0];
  for (let index = 0; index < served.length; index += 1) {
    const request = served[index];
    const from = began[request];
    const to = Math.min(worked[request], length);
    const isFirst = from >= until + QUIET_S;
    until = Math.max(until, to);
    const after = served[index + 1];
    if (!isFirst || (after !== undefined && began[after] <= to + TOLERANCE_S) || !isGood(calls[request])) continue;
    while (next < made.length && began[made[next]] < from - TOLERANCE_S) next += 1;
    const own = [];
    for (let at = next; at < made.length && began[made[at]] <= to; at += 1) if (over[made[at]] <= to + TOLERANCE_S) own.push(made[at]);
    alone.push({ request, calls: own });
  }
  return alone;
}

/** @param {import('../../wire/record.js').WireCall} call */
const isGood = ({ end, bad, status }) => end === 'answered' && !bad && (status ?? 0) < GOOD_BELOW;
