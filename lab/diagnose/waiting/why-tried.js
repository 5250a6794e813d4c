/**
 * Did it answer without asking because its last try had failed? Who keeps in mind that a callee turned it away, or did not answer, asks it
 * again only after a while: a pooler that could not log in, a proxy that takes a server out, a breaker in a program.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { asks, usageOf } from './asked.js';
import { GOOD } from './seen.js';
import { leading, share } from './spread.js';
import { isOwn } from './step.js';
import { ended, percent, seconds } from './text.js';
import { isBlind } from './why-own.js';

/** Of the failed, and of the good as a part of that. The lab's own choice. */
const AFTER_SHARE = 0.9;
const GOOD_PART = 1 / 3;
/** Of the share of good ones that have a call: joins by order give some by chance. */
const SENT_PART = 0.5;
/** Longer nobody keeps from trying again: what breakers, poolers and proxies take unless told otherwise is 10 to 60 s. */
const TRIED_S = 60;

/** @param {Step} step @returns {Why | null} */
export function triedBefore(step) {
  const { seen, service, asked, failed } = step;
  if (!isOwn(step) || asked.failed > (asked.good ?? 1) * SENT_PART || isBlind(step)) return null;
  const [usage, kinds] = [usageOf(seen, service), new Set(failed.map((call) => seen.kind[call]))];
  const callees = seen.calleesOf(service).filter((to) => !step.path.includes(to) && asks(usage, kinds, to));
  return callees.map((to) => triedAt(step, to)).find((why) => why !== null) ?? null;
}

/** @param {Step} step @param {string} to @returns {Why | null} */
function triedAt({ seen, service, failed, good }, to) {
  const { began, over, sign } = seen;
  const tries = seen.onEdge(service, to).toSorted((one, other) => over[one] - over[other]);
  const lastBad = (/** @type {number} */ call) => {
    const last = tries[leading(tries, (one) => over[one] <= began[call]) - 1];
    return last !== undefined && sign[last] !== GOOD && over[last] >= began[call] - TRIED_S ? last : null;
  };
  const lasts = failed.map(lastBad);
  const before = [...new Set(lasts)].filter((last) => last !== null);
  const part = share(lasts.filter((last) => last !== null).length, failed.length);
  const goodPart = share(good.filter((call) => lastBad(call) !== null).length, good.length);
  if (part < AFTER_SHARE || goodPart > part * GOOD_PART) return null;
  const longest = lasts.reduce(
    (/** @type {number} */ most, last, place) => (last === null ? most : Math.max(most, began[failed[place]] - over[last])),
    0,
  );
  return {
    mechanism: null,
    basis: 'inferred',
    onTo: to,
    tried: before,
    evidence: [
      `${percent(part)} of the failed requests, and ${percent(goodPart)} of the good ones, came after a try of ${to} that was ${ended(sign[before[0]])} and before the next, up to ${seconds(longest)} later; ${service} asked nobody for them.`,
    ],
    ...(good.length > 0 ? {} : { doubts: [`no such request went well in ${service}: whether it asks ${to} for them is not known`] }),
  };
}
