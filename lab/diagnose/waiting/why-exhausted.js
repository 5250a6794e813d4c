/**
 * Had it no connection left to give? A pool that makes nobody wait fails a request at once, without asking anybody.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { stateAt, within } from './lines.js';
import { once } from './once.js';
import { share, some } from './spread.js';
import { isAsSoonAsGood, isOwn, slownessOf, tookText } from './step.js';
import { counted, ended, few, percent, things } from './text.js';
import { askedBy, onward } from './why-full.js';
import { isBlind } from './why-own.js';

/** Of the failed, and of the good as a part of that. The lab's own choices. */
const FULL_SHARE = 0.9;
const GOOD_PART = 1 / 3;
/** Of the share of good ones that have a call: joins by order give some by chance. */
const SENT_PART = 0.5;
/** One connection is no pool, and its being busy says little. */
const POOL_LEAST = 2;
/** Of the connections that were in use: most are held, and nothing is asked on them. */
const HELD_SHARE = 0.5;
const LOOKED_AT_MOST = 200;
/** So long before it fails it looks for a connection; as fine as the record's times are. */
const CLOCK_S = 1e-6;

const OWN_LIMIT = 'a limit of its own on requests at a time looks the same, unless a line of its log says which it was';

/** @param {Step} step @returns {Why | null} */
export function poolExhausted(step) {
  const { seen, service, asked, failed } = step;
  if ((!isOwn(step) && !isAsSoonAsGood(step)) || asked.good === null || asked.failed > asked.good * SENT_PART || isBlind(step)) return null;
  const callees = askedBy(seen, service, new Set(failed.map((call) => seen.kind[call]))).filter((to) => !step.path.includes(to));
  return callees.map((to) => exhausted(step, to)).find((why) => why !== null) ?? null;
}

/** @param {Step} step @param {string} to @returns {Why | null} */
function exhausted(step, to) {
  const { seen, service, failed, good, sign } = step;
  const total = mostOpen(seen, service, to);
  if (total < POOL_LEAST) return null;
  const at = usedAt(step, to, failed);
  const isFull = (/** @type {Used} */ { open, used }) => open >= total && used >= open;
  const part = share(at.filter(isFull).length, at.length);
  const goodPart = share(usedAt(step, to, good).filter(isFull).length, Math.min(good.length, LOOKED_AT_MOST));
  if (part < FULL_SHARE || goodPart > part * GOOD_PART) return null;
  const full = at.filter(isFull);
  const mean = (/** @type {(used: Used) => number} */ of) => full.reduce((sum, one) => sum + of(one), 0) / full.length;
  const held = mean((one) => one.held);
  const isHeld = held >= HELD_SHARE * mean(({ used }) => used);
  const slow = slownessOf(step, to);
  const further = onward(to, slow);
  return {
    mechanism: isHeld ? 'pool-held' : 'pool-full',
    title: `${ended(sign)} at once while ${isHeld ? `it held its ${things(total, 'connection')} to ${to} and asked nothing on most of them` : `all its ${things(total, 'connection')} to ${to} were in use`}`,
    basis: isHeld ? 'counted' : 'inferred',
    place: { service, edge: { from: service, to } },
    evidence: [
      `All ${things(total, 'connection')} of ${service} to ${to} were in use when ${percent(part)} of the ${counted(failed.length)} failed requests came, and when ${percent(goodPart)} of the good ones did; it never had more.`,
      ...(isHeld ? [`${few(held)} of them were in a transaction in which nothing was asked.`] : [tookText(to, slow)]),
      `${percent(step.asked.failed)} of the failed requests have a call of ${service}, of the good ${percent(step.asked.good ?? 0)}.`,
    ],
    // Whoever turns requests away by a number of its own does so when it is busy too.
    ...(isHeld ? {} : { ...further, doubts: [OWN_LIMIT, ...(further.doubts ?? [])] }),
  };
}

/**
 * @typedef {{ open: number, used: number, held: number }} Used  connections of the edge when a request came
 * @param {Step} step @param {string} to @param {number[]} calls @returns {Used[]}
 */
function usedAt({ seen, service }, to, calls) {
  const at = some(calls, LOOKED_AT_MOST)
    .map((call) => seen.began[call] - CLOCK_S)
    .sort((one, other) => one - other);
  const found = at.map(() => ({ open: 0, used: 0, held: 0 }));
  for (const line of linesOf(seen, service, to))
    for (const index of within(line, at)) {
      const state = stateAt(seen, line, at[index]);
      if (state === null) continue;
      found[index].open += 1;
      if (state !== 'idle') found[index].used += 1;
      if (state === 'held') found[index].held += 1;
    }
  return found;
}

/** Of the load and its warm-up, as far as anything was asked on them. */
const linesOf = once((seen, from, to) =>
  seen
    .lines(from, to)
    .filter(
      ({ calls, connection: { transport, ended_at: ended } }) =>
        transport === 'tcp' && calls.length > 0 && (ended ?? seen.until) >= seen.load.warmupFrom,
    ),
);

/** At a time. */
const mostOpen = once((seen, from, to) => {
  const changes = linesOf(seen, from, to)
    .flatMap(({ connection: { opened_at: opened, ended_at: over } }) => [
      { at: opened, by: 1 },
      ...(over === null ? [] : [{ at: over, by: -1 }]),
    ])
    .toSorted((one, other) => one.at - other.at || one.by - other.by);
  let [open, most] = [0, 0];
  for (const { by } of changes) {
    open += by;
    most = Math.max(most, open);
  }
  return most;
});
