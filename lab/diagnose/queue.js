/**
 * What became of the writes that a queue had taken when the user was told that they were accepted: done, failed, still there, or lost.
 * Everything is read by the requests' ids from the logs of those who put them in and of those who took them out; what is left in the queue
 * the queue itself says, and what is stored the database.
 *
 * @typedef {import('./ledger/traces.js').Attempt} Attempt
 * @typedef {import('../record/types.js').Queue} Queue
 *
 * @typedef {object} Queued   of the whole run; warm-up included
 * @property {string[]} workers  services that take out of the queue
 * @property {Map<string, Attempt[]>} put    what the nodes logged of requests that they accepted, by id
 * @property {Map<string, Attempt[]>} taken  what the workers logged of what they took, by id
 */

import { max, median, present, quantile, rounded, sum } from '../stats/numbers.js';
import { sustainingLoop } from './headline.js';
import { plannedSpans } from './time/stages.js';

/**
 * What disturbed a load: faults that the user put in (FAULT), hosts of a Swarm that were down or drained, and a surge of the load itself.
 *
 * @typedef {import('../../k6/lib/shapes.js').Shape} Shape
 *
 * @typedef {object} Disturbance    seconds from the start of the load
 * @property {string} text          as FAULT takes it, or in words
 * @property {string | null} failed why it could not be put in or undone
 * @property {number | null} began
 * @property {number | null} ended
 */

/**
 * @param {any} manifest
 * @returns {Disturbance[]} in the order of time
 */
export function disturbancesOf({ faults = [], outages = [], shape, load_began_s: from }) {
  const since = (/** @type {number | null} */ moment) => (moment === null ? null : moment - from);
  const put = /** @type {import('../options/fault-plan.js').PutFault[]} */ (faults).map(
    ({ text, failed, at_s: at, began_s: began, ended_s: ended }) => ({
      at,
      disturbance: { text, failed, began: since(began), ended: since(ended) },
    }),
  );
  const hosts = /** @type {import('../extras/swarm/services.js').Outage[]} */ (outages).map(({ text, began_s: began, ended_s: ended }) => ({
    at: began - from,
    disturbance: { text, failed: null, began: since(began), ended: since(ended) },
  }));
  const surges = surgeOf(shape).map((disturbance) => ({ at: disturbance.began ?? 0, disturbance }));
  return [...put, ...hosts, ...surges].toSorted((one, other) => one.at - other.at).map(({ disturbance }) => disturbance);
}

/** It is over when the load is again as it was before. @param {Shape | undefined} shape @returns {Disturbance[]} */
function surgeOf(shape) {
  if (shape === undefined) return [];
  const spans = plannedSpans(shape);
  const first = spans.findIndex(({ stage }) => stage.surge);
  if (first < 0) return [];
  const back = spans.find(({ stage }, index) => index > first && !stage.surge && stage.held);
  const { from_s: began, stage } = spans[first];
  const text = `surge to ${stage.target.toLocaleString('en-US')} ${shape.unit === 'rps' ? 'requests a second' : 'users'}`;
  return [{ text, failed: null, began, ended: back?.from_s ?? null }];
}

/** HTTP: accepted, and not done yet (RFC 9110, 15.3.3). */
const ACCEPTED = 202;
const DONE = 200;
/** Documents are counted before the answer says how many there are: milliseconds, of a database that has nothing else to do. The lab's own choice. */
const COUNTED_WITHIN_S = 0.5;

/**
 * Services that a queue hands its messages to: they work for no request that waits. Only the lab's own programs keep the record that
 * follows a write; of others, which have a product, nothing is said here.
 * @param {{ edges?: { from: string, to: string }[], services?: { name: string, tier: string, product?: string }[] }} manifest
 * @returns {string[]}
 */
export function workersOf({ edges = [], services = [] }) {
  const isQueue = (/** @type {string} */ name) => services.some((service) => service.name === name && service.tier === 'queue');
  const isOwn = (/** @type {string} */ name) => services.some((service) => service.name === name && service.product === undefined);
  return edges.filter(({ from, to }) => isQueue(from) && isOwn(to)).map(({ to }) => to);
}

/**
 * The records of nodes, without those of workers behind a queue.
 * @param {Pick<import('./read-raw.js').Raw, 'nodes' | 'queued'>} raw
 */
export const nodesThatUsersReach = ({ nodes, queued }) =>
  Object.fromEntries(Object.entries(nodes).filter(([name]) => !queued?.workers.includes(name)));

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {Queue | null} null where no queue takes what users ask for
 */
export function queueOf({ raw, window, database }) {
  const { queued, manifest } = raw;
  if (queued === null) return null;
  const accepted = acceptedIn(queued.put, window);
  const taken = accepted.map(({ id, t }) => ({ t, work: queued.taken.get(id)?.at(-1) ?? null }));
  const ended = (/** @type {number} */ status) => taken.filter(({ work }) => work?.outcome === 'answered' && work.status === status);
  const done = ended(DONE).map(({ t, work }) => ({ t, ended: work?.ended ?? 0 }));
  const left = manifest.drained?.left ?? null;
  // One that is given back, to be tried again, has not ended.
  const failed = taken.filter(({ work }) => work?.outcome === 'answered').length - done.length;
  const lags = done.map(({ t, ended: end }) => Math.max(0, end - t) * 1000).sort((one, other) => one - other);
  const stored = storedOf(queued, window, database);
  const lost = lostOf({ accepted: accepted.length, failed, left, stored });
  const completed = lost === null ? done.length : accepted.length - failed - (left ?? 0) - lost;
  const bySecond = backlogOf(taken, window);
  const last = max(done.map(({ ended: end }) => end)) ?? 0;
  return {
    accepted: accepted.length,
    completed,
    completed_in_load: done.filter(({ ended: end }) => end <= window.to).length,
    failed,
    left,
    lost,
    unlogged: Math.max(0, completed - done.length),
    lag_ms: {
      p50: rounded(quantile(lags, 0.5), 0),
      p95: rounded(quantile(lags, 0.95), 0),
      p99: rounded(quantile(lags, 0.99), 0),
      max: rounded(lags.at(-1), 0),
    },
    backlog: bySecond.map(({ waiting }) => waiting),
    oldest_s: bySecond.map(({ oldest }) => rounded(oldest, 1) ?? 0),
    drained_after_s: left === 0 && done.length > 0 ? rounded(Math.max(0, last - window.to), 1) : null,
  };
}

/** Of the load. @type {(put: Queued['put'], window: import('./time/window.js').Window) => { id: string, t: number }[]} in the order of time */
export const acceptedIn = (put, window) =>
  [...put]
    .flatMap(([id, attempts]) => {
      const first = attempts.find(({ status }) => status === ACCEPTED);
      return first !== undefined && first.received >= window.from ? [{ id, t: first.ended ?? first.received }] : [];
    })
    .sort((one, other) => one.t - other.t);

/**
 * Writes that were accepted in the warm-up and not done by a moment.
 * @param {Queued} queued
 * @param {{ window: import('./time/window.js').Window, at: number }} moment  at: seconds since 1970
 */
export const leftByWarmup = ({ put, taken }, { window, at }) =>
  [...put].filter(
    ([id, attempts]) =>
      attempts.some(({ received, status }) => received < window.from && status === ACCEPTED) &&
      (taken.get(id)?.at(-1)?.ended ?? Number.POSITIVE_INFINITY) > at,
  ).length;

/** Documents that the load's accepted writes left; null where it is not known which are theirs. @type {(queued: Queued, window: import('./time/window.js').Window, database: import('./database-rows.js').DatabaseFacts) => number | null} */
function storedOf(queued, window, { documents, answered }) {
  // Counted at the end, and not what its counter of inserts says: that is lost with it. From this answer on.
  const from = answered.findLast((t) => t <= window.from) ?? window.from;
  // While others are written nobody knows which of them were counted.
  return leftByWarmup(queued, { window, at: from - COUNTED_WITHIN_S }) === 0 ? documents : null;
}

/** What is neither in the queue, nor stored, nor known to have failed. @type {(counts: { accepted: number, failed: number, left: number | null, stored: number | null }) => number | null} */
const lostOf = ({ accepted, failed, left, stored }) =>
  left === null || stored === null ? null : Math.max(0, accepted - failed - left - stored);

/**
 * At the end of each second of the load: how many had been accepted and not been taken, and how long ago the oldest of them was.
 * @type {(taken: { t: number, work: Attempt | null }[], window: import('./time/window.js').Window) => { waiting: number, oldest: number }[]}
 */
function backlogOf(taken, window) {
  const seconds = Math.ceil(window.to - window.from);
  const waits = taken.map(({ t, work }) => ({ from: t, to: work?.received ?? Number.POSITIVE_INFINITY }));
  return Array.from({ length: seconds }, (_, index) => {
    const at = window.from + index + 1;
    const waiting = waits.filter(({ from, to }) => from <= at && to > at);
    return { waiting: waiting.length, oldest: waiting.length === 0 ? 0 : at - waiting[0].from };
  });
}

/** When writes were done, by the workers' log, seconds since 1970; the warm-up's too. @param {Queued} queued */
const doneTimes = ({ taken }) =>
  [...taken.values()].flatMap((attempts) =>
    attempts.flatMap(({ outcome, status, ended }) => (outcome === 'answered' && status === DONE && ended !== null ? [ended] : [])),
  );

/**
 * The timeline with the writes that were done in each second in the place of those that were accepted: an accepted one is no good answer.
 * @param {import('../record/types.js').TimelineRow[]} timeline
 * @param {Pick<import('./ledger/facts.js').Facts, 'raw' | 'window'>} facts
 */
export function withCompleted(timeline, { raw, window }) {
  if (raw.queued === null) return timeline;
  const done = new Map();
  for (const t of doneTimes(raw.queued)) {
    const second = Math.ceil(t - window.from);
    done.set(second, (done.get(second) ?? 0) + 1);
  }
  return timeline.map((row) => (row.warmup ? row : { ...row, goodput_rps: done.get(row.t_s) ?? 0 }));
}

/**
 * The same of what ended while each fault or surge went on.
 * @param {import('./read-raw.js').Raw} raw
 * @returns {Ended[] | null}
 */
export function disturbedIn({ manifest, queued, disturbed }) {
  if (queued === null || disturbed === null) return disturbed;
  const times = doneTimes(queued).map((t) => t - manifest.load_began_s);
  return disturbancesOf(manifest).map(({ began, ended }, index) => ({
    good: began === null || ended === null ? 0 : times.filter((t) => t > began && t <= ended).length,
    failed: disturbed[index].failed,
    finished: disturbed[index].good + disturbed[index].failed,
  }));
}

/**
 * What the faults that a user put in (FAULT), and the surge of a load that has one, did to the service: how it was before, while each was
 * there, and how soon after it it was as before. Read from the users' side alone; who lost which request is the ledger's to say, which
 * knows nothing of them.
 *
 * @typedef {import('../record/types.js').TimelineRow} Row
 * @typedef {import('../record/types.js').FaultEffect} FaultEffect
 */

/** Of the good answers a second that there were before. The lab's own choice, as are the times below. */
const RECOVERED_SHARE = 0.9;
/** Seconds in a row in which it has to be so: one good second may be a queue that empties. */
const RECOVERED_S = 3;
/** Seconds before the fault that tell how it was: at most, and at least. */
const BEFORE_MOST_S = 10;
const BEFORE_LEAST_S = 3;
/** A failure is metastable when what set it off is gone and it stays: so long, at the load that was served before. */
const STAYS_DOWN_S = 30;

/** Seconds after its end in which it is asked what came back for good: those of the source (R1 of the claims). */
const LATER_FROM_S = 30;
const LATER_TO_S = 60;

/** Shorter ones are over at once, and have no rate of their own. */
const LASTS_LEAST_S = 0.2;

/**
 * @param {{ manifest: any, disturbed: Ended[] | null, nodes: Record<string, any[]> }} raw  of each of the disturbances, in their order; nodes:
 *   the record of those that users' requests reach
 * @param {Row[]} timeline
 * @param {number[] | null} [backlog]  of a queue at the end of each second of the load; null where there is none
 * @returns {FaultEffect[]} in the order of time; none where there was neither fault nor surge
 * @see https://sigops.org/s/conferences/hotos/2021/papers/hotos21-s11-bronson.pdf  metastable: "it persists even after the trigger is removed"
 */
export function faultEffects({ manifest, disturbed, nodes }, timeline, backlog = null) {
  const disturbances = disturbancesOf(manifest);
  const load = timeline.filter(({ warmup }) => !warmup);
  return disturbances.map((one, index) =>
    effectOf(one, { load, disturbances, manifest, nodes, ended: disturbed?.[index] ?? null, backlog }),
  );
}

/** @typedef {{ good: number, failed: number, finished?: number }} Ended  requests that ended in a time; finished: where good ones are not all others */

/** @type {(disturbance: Disturbance, around: { load: Row[], disturbances: Disturbance[], manifest: any, nodes: Record<string, any[]>, ended: Ended | null, backlog: number[] | null }) => FaultEffect} */
function effectOf({ text, failed, began, ended }, { load, disturbances, manifest, nodes, ended: counts, backlog }) {
  const none = {
    before: null,
    during: null,
    recovered_after_s: null,
    watched_after_s: null,
    metastable: false,
    loop: null,
    later_rps: null,
    backlog: null,
  };
  if (began === null || ended === null) return { text, began_s: rounded(began, 2), ended_s: rounded(ended, 2), failed, ...none };
  const before = rateBefore(load, began, disturbances);
  const recovered = before === null ? null : recoveredAfter(load, ended, before.goodput_rps);
  const watched = Math.max(0, (load.at(-1)?.t_s ?? 0) - ended);
  const arrivals = arrivalsAsBefore(manifest.shape, began, ended);
  const stays = before !== null && recovered === null && watched >= STAYS_DOWN_S && arrivals !== null;
  const down = { from: ended, to: ended + watched, arrivals: arrivals ?? 0, before_rps: before?.goodput_rps ?? 0 };
  return {
    text,
    began_s: rounded(began, 2),
    ended_s: rounded(ended, 2),
    failed,
    before,
    during: counts && ended - began >= LASTS_LEAST_S ? during(counts, ended - began) : null,
    recovered_after_s: recovered,
    watched_after_s: rounded(watched, 1),
    metastable: stays,
    later_rps: laterRate(load, ended),
    loop: stays ? sustainingLoop({ nodes, load_began_s: manifest.load_began_s }, load, down) : null,
    backlog: backlog === null || before === null ? null : backlogAround(backlog, { began, ended, seconds: before.seconds }),
  };
}

/**
 * Where a queue takes what users ask for, as many are done a second as before though each of them waits: it is as before when no more wait.
 * @type {(backlog: number[], disturbance: { began: number, ended: number, seconds: number }) => FaultEffect['backlog']} seconds: before it
 */
function backlogAround(backlog, { began, ended, seconds }) {
  const rows = backlog.map((waiting, index) => ({ t_s: index + 1, waiting }));
  const waitingIn = (/** @type {typeof rows} */ some) => max(some.map(({ waiting }) => waiting)) ?? 0;
  const before = waitingIn(rows.filter(({ t_s }) => t_s <= began).slice(-seconds));
  return {
    before,
    most: waitingIn(rows.filter(({ t_s }) => t_s > began)),
    at_end: backlog.at(-1) ?? 0,
    recovered_after_s: lastingAfter(rows, ended, ({ waiting }) => waiting <= before),
  };
}

/**
 * Requests that arrive a second, where they are from the end on as many as before the beginning; null where they are not, or nobody knows,
 * as of users who wait for answers.
 * @type {(shape: Shape | undefined, began: number, ended: number) => number | null}
 */
function arrivalsAsBefore(shape, began, ended) {
  if (shape?.unit !== 'rps') return null;
  const spans = plannedSpans(shape);
  const before = spans.find(({ from_s, to_s, stage }) => stage.held && from_s < began && began <= to_s)?.stage;
  const isAsBefore = spans.filter(({ to_s }) => to_s > ended).every(({ stage }) => stage.held === true && stage.target === before?.target);
  return isAsBefore && before !== undefined ? before.target : null;
}

/** None where another one was still there when it began: it would be how that one had made it. @type {(load: Row[], began: number, disturbances: Disturbance[]) => FaultEffect['before']} */
function rateBefore(load, began, disturbances) {
  const earlier = disturbances.filter((other) => other.began !== null && other.began < began);
  if (earlier.some(({ ended }) => ended === null || ended >= began)) return null;
  const since = Math.max(0, ...earlier.map(({ ended }) => ended ?? 0));
  const rows = load.filter(({ t_s }) => t_s <= began && t_s - 1 >= since).slice(-BEFORE_MOST_S);
  const rates = present(rows.map(({ goodput_rps: rate }) => rate));
  if (rates.length < BEFORE_LEAST_S) return null;
  return { seconds: rates.length, goodput_rps: rounded(median(rates), 1) ?? 0, failure_rate: shareFailed(rows) };
}

/** @type {(ended: Ended, seconds: number) => FaultEffect['during']} */
const during = ({ good, failed, finished = good + failed }, seconds) => ({
  goodput_rps: rounded(good / seconds, 1) ?? 0,
  failure_rate: finished === 0 ? null : rounded(failed / finished, 5),
});

/** Good answers a second when it has been over for long. @type {(load: Row[], ended: number) => number | null} null where the load ends too early */
function laterRate(load, ended) {
  const rows = load.filter(({ t_s }) => t_s > ended + LATER_FROM_S && t_s <= ended + LATER_TO_S);
  const rates = present(rows.map(({ goodput_rps: rate }) => rate));
  return rates.length < BEFORE_LEAST_S ? null : rounded(median(rates), 1);
}

/** Of those that ended in these seconds; null where none did. @param {Row[]} rows */
function shareFailed(rows) {
  const finished = sum(present(rows.map(({ throughput_rps: rate }) => rate)));
  return finished === 0 ? null : rounded(sum(present(rows.map(({ failures_per_s: rate }) => rate))) / finished, 5);
}

/** @type {(load: Row[], ended: number, before: number) => number | null} */
const recoveredAfter = (load, ended, before) =>
  lastingAfter(load, ended, ({ goodput_rps: rate }) => (rate ?? 0) >= before * RECOVERED_SHARE);

/**
 * @template {{ t_s: number }} Second
 * @param {Second[]} all
 * @param {number} ended
 * @param {(second: Second) => boolean} isGood
 * @returns {number | null} from the end until it was so for long enough; null where it was not
 */
function lastingAfter(all, ended, isGood) {
  const rows = all.filter(({ t_s }) => t_s > ended);
  const first = rows.findIndex((_, index) => index + RECOVERED_S <= rows.length && rows.slice(index, index + RECOVERED_S).every(isGood));
  // Its good second began a second before its number.
  return first < 0 ? null : rounded(Math.max(0, rows[first].t_s - 1 - ended), 1);
}
