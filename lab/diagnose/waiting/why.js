/**
 * Why requests fail at a service: questions, each with its own reading, whose order questions.js has. None is asked by time alone: an answer has
 * to be that of most of the failed and of hardly any good ones, or higher than in calm seconds.
 */

import { grouped } from '../../base/values.js';
import { ascending, upTo } from '../../stats/numbers.js';
import { asks, countsAt, GOOD_LEAST, usageOf } from './asked.js';
import { GOOD } from './seen.js';
import { average, middle, share, spread } from './spread.js';
import { isAtOnce, slownessOf, tookText } from './step.js';
import { asked, counted, ended, few, percent, seconds, things } from './text.js';
import { isIdle, usedText } from './why-few.js';
import { poolIdle } from './why-full.js';
import { slowestText } from './why-name.js';
import { isBlind } from './why-own.js';

/**
 * Do services wait for each other in a circle? The way ends where it would come back: each has its workers taken by what waits for the other.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

/** @param {Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'waiting', 'queued'>} step @returns {Why | null} */
export function circle(step) {
  const { seen, service, path, waiting, readings, moments } = step;
  const [most] = waiting.callees;
  if (!most || most.mean <= waiting.own || !path.includes(most.to)) return null;
  const slow = slownessOf(step, most.to);
  if (!slow.isSlower) return null;
  const first = most.to;
  const next = path[path.indexOf(first) + 1] ?? service;
  const isOfLoad = (/** @type {number} */ call) => seen.began[call] >= seen.load.warmupFrom;
  const high = spread(countsAt(seen, seen.onEdge(first, next), seen.waited, moments, isOfLoad), 1);
  const queue = readings.queued(first, moments);
  return {
    mechanism: 'workers-taken',
    title: `waited in a circle: for ${next}, ${next === service ? 'which' : `and ${service}`} waited for ${first} again, whose workers that took`,
    basis: 'inferred',
    place: { service: first, edge: { from: first, to: next } },
    evidence: [
      `${few(waiting.standing)} requests were in ${service}, which waited for ${few(most.mean)} answers of ${first}; up to ${few(high)} requests in ${first} waited for ${next} meanwhile.`,
      tookText(first, slow),
      ...(queue && queue.middle > 0 ? [`${things(queue.middle, 'connection')} waited to be accepted by ${first}.`] : []),
    ],
  };
}

/*
 * Are its workers taken by few long calls of one kind, whoever asks them? A caller that sends slowly, a download, an export.
 */

/** One that holds a server by itself is asked elsewhere (why-lock.js). */
const HOLDERS_LEAST = 2;
/** Of the moments: a number that nothing limits is seldom at its own highest. */
const AT_MOST_SHARE = 0.5;
/** The work of a busy worker lasts so many times as long as what waits for one. The lab's own choice. */
const LONGER_TIMES = 2;
/** Of the length of such a call. The lab's own choice. */
const SENDING_SHARE = 0.8;
const WORKED_ON = new Set([GOOD, 'open']);
/** Of them in calm seconds. */
const CALM_PART = 0.5;
const CALM_LEAST = 2;

/**
 * It is idle, and calls of one kind go on in it, as many at most moments and never more, while connections wait to be accepted, or while it answers
 * to all of them already and to nobody else.
 * @param {Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'took_s', 'queued' | 'quotas' | 'use'>} step @returns {Why | null} */
export function workersHeld(step) {
  const { seen, service, failed, readings, moments, calm, took_s: took } = step;
  const queue = readings.queued(service, moments);
  const isQueued = queue !== null && queue.middle >= 1;
  if (!isIdle(step)) return null;
  const own = new Set(failed);
  const length = (/** @type {number} */ call) => seen.over[call] - seen.began[call];
  // What was given up may wait like the others.
  const long = seen
    .servedBy(service)
    .filter((call) => !own.has(call) && WORKED_ON.has(seen.sign[call]) && length(call) >= LONGER_TIMES * took);
  const groups = [...grouped(long, (call) => JSON.stringify([seen.from[call], seen.kind[call]])).values()]
    .map((calls) => ({ calls, counts: countsAt(seen, calls, seen.over, moments) }))
    .toSorted((one, other) => average(other.counts) - average(one.counts));
  const [most] = groups;
  if (most === undefined) return null;
  const { calls, counts } = most;
  const high = spread(counts, 1);
  if (high < HOLDERS_LEAST || share(counts.filter((count) => count === high).length, counts.length) < AT_MOST_SHARE) return null;
  if (calm.length >= CALM_LEAST && average(countsAt(seen, calls, seen.over, calm)) > high * CALM_PART) return null;
  if (!isQueued && !isAnsweringAlone(step, calls, high)) return null;
  const [first] = calls;
  const whose = `${asked(seen.kind[first])} of ${seen.from[first]}`;
  const lasted = middle(calls.map(length));
  const sending = middle(calls.map((call) => (seen.calls[call].sent_at ?? seen.began[call]) - seen.began[call]));
  const isSending = sending >= SENDING_SHARE * lasted;
  return {
    mechanism: 'workers-taken',
    title: `had its workers taken by ${whose}, ${counted(high)} at a time for ${seconds(lasted)} each${isSending ? ', for it was sent slowly' : ''}`,
    basis: calm.length >= CALM_LEAST ? 'timed' : 'inferred',
    evidence: [
      `${counted(high)} calls ${whose} went on in ${service} at most moments and never more, ${seconds(lasted)} each, ${isQueued ? `while ${things(queue.middle, 'connection')} waited to be accepted` : 'each with its answer begun, and hardly any other was answered beside so many'}.`,
      ...(isSending
        ? [`${seconds(sending)} passed until the last byte of such a question had come: ${service} waited for its caller.`]
        : []),
      ...usedText(step),
    ],
    ...(calm.length >= CALM_LEAST ? {} : { doubts: ['no second of the load was calm: whether as many go on then is not known'] }),
  };
}

/**
 * Their answers have begun, and go on; of what is asked beside all of them hardly anything gets one: who can answer more at a time does.
 * @param {Of<'failed' | 'seen'>} step @param {number[]} held @param {number} high
 */
function isAnsweringAlone({ seen, failed }, held, high) {
  const { began, over, calls, sign } = seen;
  const begins = ascending(held.flatMap((call) => calls[call].first_at ?? []));
  const ends = ascending(held.map((call) => over[call]));
  if (begins.length < STREAMS_SHARE * held.length) return false;
  const streams = new Set(held);
  const kinds = new Set(failed.map((call) => seen.kind[call]));
  const all = seen.servedBy(failed.length > 0 ? seen.to[failed[0]] : '').filter((call) => !streams.has(call));
  const others = all.filter((call) => kinds.has(seen.kind[call]));
  // Those that have begun by its begin, less those that are over by its end, go on all the time.
  const isBeside = (/** @type {number} */ call) => upTo(begins, began[call]) - upTo(ends, over[call]) >= high;
  const isApart = (/** @type {number} */ call) => (upTo(begins, began[call]) - upTo(ends, began[call])) * 2 <= high;
  const [beside, apart] = [others.filter(isBeside), all.filter(isApart)];
  const wellOf = (/** @type {number[]} */ all) => share(all.filter((call) => sign[call] === GOOD).length, all.length);
  // Who fails as well where half as many go on fails by something else.
  return Math.min(beside.length, apart.length) >= STREAMS_LEAST && wellOf(beside) <= BESIDE_MOST && wellOf(apart) >= MOST_APART;
}
/** The lab's own choices. */
const STREAMS_SHARE = 0.9;
const STREAMS_LEAST = 5;
const BESIDE_MOST = 0.1;
const MOST_APART = 0.5;

/*
 * Were packets lost on the way to it, or to whom it asks? The wire shows those that were sent again, connection by connection; how often a
 * kernel waited without success until it sent again, each container's own counter.
 */

/** What is less often as high in calm seconds has a lift. */
const LIFT_TIMES = 3;
/** Linux's TCP_RTO_MIN: a kernel that sends again has waited so long at the least. */
const WAITED_S = 0.2;
/** Of the time of the connections that are asked on. The lab's own choice: what was waited at the least, which doubles each time. */
const STALLED_SHARE = 0.1;
/** Of the failed, for each of which one packet was lost at the least. */
const LOST_SHARE = 0.5;
/** Of the connections: some are asked on seldom. */
const LINES_SHARE = 0.5;

/** Of the moments of the failed, in which it took no more bytes, and of calm ones as a part of that. The lab's own choices. */
const CLOSED_SHARE = 0.5;
const CLOSED_PART = 1 / 3;
/** Who is asked whether it takes more again is asked soon, and then at ever longer intervals: each about as long as all before it. */
const ASKED_AGAIN_S = 1;

/**
 * Who writes to somebody that does not read waits, whatever it sends: there is no call that anybody would answer.
 * @param {Of<'calm' | 'moments' | 'path' | 'seen' | 'service', 'quotas' | 'use'>} step @returns {Why | null}
 */
export function notRead(step) {
  const { seen, service, path, moments, calm } = step;
  if (!isIdle(step)) return null;
  for (const to of seen.calleesOf(service).filter((name) => name !== service && !path.includes(name))) {
    const closed = seen.lines(service, to).flatMap(
      ({
        connection: {
          closed_window: { server },
          ended_at: ended,
        },
      }) => {
        if (server === null) return [];
        const until = server.last_at + Math.max(ASKED_AGAIN_S, server.last_at - server.first_at);
        return [{ ...server, until: Math.min(ended ?? Number.POSITIVE_INFINITY, until) }];
      },
    );
    const isClosed = (/** @type {number} */ at) => closed.some(({ first_at: from, until }) => at >= from && at <= until);
    const [now, before] = [moments, calm].map((all) => share(all.filter(isClosed).length, all.length));
    if (now < CLOSED_SHARE || before > now * CLOSED_PART) continue;
    const times = closed.reduce((sum, one) => sum + one.times, 0);
    const first = closed.reduce((soonest, { first_at: at }) => Math.min(soonest, at), Number.POSITIVE_INFINITY) - seen.load.from;
    return {
      mechanism: 'not-read',
      title: `took nothing more of what ${service} sends it`,
      basis: calm.length < CALM_LEAST ? 'inferred' : 'timed',
      place: { service: to, edge: { from: service, to } },
      evidence: [
        `${to} told ${service} ${counted(times)} times that it takes no more bytes, ${first < 0 ? 'before the load began' : `from second ${few(Math.round(first))} on`}: so it was at ${percent(now)} of the moments at which requests stood in ${service}${calm.length < CALM_LEAST ? '' : `, and at ${percent(before)} of calm ones`}.`,
        ...usedText(step),
      ],
      ...(calm.length < CALM_LEAST ? { doubts: ['no second of the load was calm, so that what is usual is not known'] } : {}),
    };
  }
  return null;
}

/** @param {Of<'caller' | 'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'time', 'strain'>} step @returns {Why | null} */
export function packetsLost(step) {
  const { seen, service, caller, failed, time } = step;
  const kinds = new Set(failed.map((call) => seen.kind[call]));
  for (const to of seen.calleesOf(service).filter((name) => asks(usageOf(seen, service), kinds, name))) {
    const lines = linesOn(step, service, to);
    const timeouts = timeoutsOf(step, [service, to]);
    if (timeouts !== null && isSentAgain(step, lines) && timeouts.now * WAITED_S >= STALLED_SHARE * lines.length)
      return whyOf(step, service, to, timeouts);
  }
  const timeouts = timeoutsOf(step, [caller, service]);
  const least = (LOST_SHARE * failed.length) / Math.max(1, time.to - time.from);
  return timeouts !== null && timeouts.now >= least && isSentAgain(step, linesOn(step, caller, service))
    ? whyOf(step, caller, service, timeouts)
    : null;
}

/** Connections that were open while requests failed. @param {Of<'seen' | 'time'>} step @param {string} from @param {string} to */
const linesOn = ({ seen, time }, from, to) =>
  seen
    .lines(from, to)
    .filter(
      ({ connection: { opened_at: opened, ended_at: ended, calls } }) =>
        calls > 0 && opened <= time.to && (ended ?? Number.POSITIVE_INFINITY) >= time.from,
    );

/** @param {Of<'time'>} step @param {ReturnType<typeof linesOn>} lines */
const isSentAgain = ({ time }, lines) =>
  lines.length > 0 &&
  share(lines.filter(({ connection: { again, again_at: at } }) => again > 0 && (at ?? 0) >= time.from).length, lines.length) >= LINES_SHARE;

/** Whether it may wait for an answer to what was lost, which is no call yet. @param {Of<'seen' | 'service' | 'time'>} step */
const mayAwaitLost = (step) => step.seen.calleesOf(step.service).some((to) => isSentAgain(step, linesOn(step, step.service, to)));

/** How often a second their kernels sent again after having waited for it. @param {Of<'calm' | 'moments', 'strain'>} step @param {string[]} names @returns {{ now: number, before: number | null } | null} null where that was no more than in calm seconds */
function timeoutsOf({ readings, moments, calm }, names) {
  const rateAt = (/** @type {number[]} */ at) => {
    const found = names.flatMap((name) => readings.strain(name, at).timeouts ?? []);
    return found.length === 0 ? null : found.reduce((sum, rate) => sum + rate, 0);
  };
  const [now, before] = [rateAt(moments), calm.length < CALM_LEAST ? null : rateAt(calm)];
  return now === null || now <= 0 || (before ?? 0) * LIFT_TIMES > now ? null : { now, before };
}

/** @param {Of<'seen' | 'time'>} step @param {string} from @param {string} to @param {{ now: number, before: number | null }} timeouts @returns {Why} */
function whyOf(step, from, to, { now, before }) {
  const lines = linesOn(step, from, to);
  const again = lines.filter(({ connection }) => connection.again > 0);
  return {
    mechanism: 'packets-lost',
    title: `was reached by ${from} only after packets between them had been lost and sent again`,
    basis: before === null ? 'inferred' : 'timed',
    place: { service: to, edge: { from, to } },
    evidence: [
      `On ${percent(share(again.length, lines.length))} of the connections of ${from} to ${to} packets were sent again, ${counted(again.reduce((sum, { connection }) => sum + connection.again, 0))} in all.`,
      `The kernels of ${from} and ${to} sent again after having waited without success ${now.toFixed(1)} times a second while requests failed${before === null ? '' : `, in calm seconds ${before.toFixed(1)} times`}; each wait is ${WAITED_S} s at the least.`,
    ],
    ...(before === null ? { doubts: ['no second of the load was calm, so that what is usual is not known'] } : {}),
  };
}

/*
 * A service that answered until a moment and never again, though nothing keeps it busy and it waits for nobody.
 */

/** What a program uses that only keeps its timers. The lab's own choice. */
const IDLE_CORES = 0.1;
/** Shorter, and it may yet answer. As long as most callers wait at the least; the lab's own choice. */
const SILENT_LEAST_S = 5;
/** What was on its way when it stopped may still be answered. */
const ON_ITS_WAY_S = 0.5;
/** Waits of its own, for the mean of the moments: who waits for anybody may be held up by that. */
const WAITING_MOST = 0.5;

/** @param {Of<'failed' | 'moments' | 'seen' | 'service' | 'time' | 'waiting', 'use'>} step @returns {Why | null} */
export function hung(step) {
  const { seen, service, failed, time, moments, readings } = step;
  const { began, over, kind, calls } = seen;
  const use = readings.use(service, moments);
  if (!use || use.cores > IDLE_CORES || use.throttled > 0 || time.to - time.from < SILENT_LEAST_S || isBlind(step) || mayAwaitLost(step))
    return null;
  const kinds = new Set(failed.map((call) => kind[call]));
  const same = seen.servedBy(service).filter((call) => kinds.has(kind[call]) && !seen.isAttempt(call));
  const answered = same.filter((call) => calls[call].end === 'answered');
  const last = answered.reduce((latest, call) => Math.max(latest, over[call]), Number.NEGATIVE_INFINITY);
  const after = same.filter((call) => began[call] >= time.from);
  if (answered.length < GOOD_LEAST || last > time.from + ON_ITS_WAY_S || after.length < GOOD_LEAST) return null;
  const asked = average(countsAt(seen, seen.madeBy(service), seen.over, moments, (call) => seen.joins.parent[call] >= 0));
  if (asked > WAITING_MOST) return null;
  const idle = poolIdle(step);
  return {
    mechanism: 'hung',
    basis: 'counted',
    ...(idle ? { idle } : {}),
    evidence: [
      `${service} answered ${counted(answered.length)} requests of this kind until second ${few(Math.max(0, last - seen.load.from))}, and none of the ${counted(after.length)} after, for ${seconds(time.to - time.from)}.`,
      `It used ${use.cores.toFixed(2)} cores and waited for nobody that is seen: a lock of its own that nobody gives back looks like this.`,
      ...(idle
        ? [`${idle.text} A pool that lost its connections without noticing looks the same: requests wait for one, and nothing is asked.`]
        : []),
    ],
  };
}

/** Stretches without a sign of life. The lab's own choices, as are the numbers below. */
const STILL_LEAST_S = 1;
const STANDING_LEAST = 2;
/** Of the failed, and of what stood in it at the end of such a stretch. */
const STILL_SHARE = 0.9;
const GOES_ON_S = 0.25;
/** Of such a stretch. */
const AWAITING_PART = 0.5;

/**
 * It did nothing at all for a while, though requests stood in it and connections waited, and then went on with all of it at once.
 * @param {Of<'failed' | 'moments' | 'seen' | 'service', 'queued' | 'quotas' | 'use'>} step @returns {Why | null}
 */
export function stoodStill(step) {
  const { seen, service, failed, readings } = step;
  const { began, over, calls } = seen;
  if (!isIdle(step) || isBlind(step)) return null;
  const served = seen.servedBy(service);
  const answered = served.filter((call) => calls[call].end === 'answered');
  const life = ascending([
    ...answered.flatMap((call) => [calls[call].first_at ?? over[call], over[call]]),
    ...seen.madeBy(service).map((call) => began[call]),
  ]);
  /** @type {{ from: number, to: number }[]} */
  const spans = [];
  for (let place = 1; place < life.length; place += 1) {
    const [from, to] = [life[place - 1], life[place]];
    if (to - from < STILL_LEAST_S || to < seen.load.from || from > seen.load.to) continue;
    const standing = served.filter((call) => began[call] < to - STILL_LEAST_S / 2 && over[call] > from + STILL_LEAST_S / 2);
    const left = standing.filter((call) => over[call] >= to);
    const isAll = left.length > 0 && left.filter((call) => over[call] <= to + GOES_ON_S).length >= STILL_SHARE * left.length;
    // Who waits for an answer does so on somebody else's account.
    const isAwaiting = seen
      .madeBy(service)
      .some((call) => Math.min(seen.waited[call], to) - Math.max(began[call], from) >= AWAITING_PART * (to - from));
    if (standing.length >= STANDING_LEAST && isAll && !isAwaiting) spans.push({ from, to });
  }
  const isIn = (/** @type {number} */ call) => spans.some(({ from, to }) => began[call] < to && over[call] > from);
  if (spans.length === 0 || failed.filter(isIn).length < STILL_SHARE * failed.length) return null;
  const queued = spans.map(({ from, to }) => readings.queued(service, [(from + to) / 2])?.most ?? 0);
  if (queued.some((most) => most < 1)) return null;
  const longest = Math.max(...spans.map(({ from, to }) => to - from));
  const times = spans.length === 1 ? 'once' : `${counted(spans.length)} times`;
  return {
    mechanism: 'hung',
    title: `stood still ${times}, for up to ${seconds(longest)}: it answered and asked nothing while connections waited to be accepted, and then went on with all at once`,
    basis: 'counted',
    evidence: [
      `In ${counted(spans.length)} ${spans.length === 1 ? 'stretch' : 'stretches'} of ${seconds(Math.min(...spans.map(({ from, to }) => to - from)))} to ${seconds(longest)} no answer of ${service} began or ended and it asked nobody, though requests stood in it and up to ${counted(Math.max(...queued))} connections waited to be accepted; what stood at its end was answered within ${seconds(GOES_ON_S)}.`,
      `${percent(share(failed.filter(isIn).length, failed.length))} of the failed requests went on in such a stretch.`,
      ...usedText(step),
    ],
    doubts: ['a program that was stopped and one whose only thread slept or waited for a lock look the same'],
  };
}

/** All that can be said where no question has an answer. @param {Step} step @returns {Why} */
export function stands(step) {
  const { service, caller, waiting, readings, moments, sign, took_s: took, equal_s: equal, failed } = step;
  const [use, queue] = [readings.use(service, moments), readings.queued(service, moments)];
  const isGivenUp = sign === 'given-up';
  const idle = isAtOnce(step) ? null : poolIdle(step);
  return {
    mechanism: null,
    basis: 'inferred',
    ...(idle ? { idle } : {}),
    ...(queue && queue.middle >= 1 && isIdle(step) ? { isQueued: true } : {}),
    evidence: [
      isAtOnce(step)
        ? `${counted(failed.length)} calls of ${caller} to ${service} were ${ended(sign)} after ${seconds(took)}; no bad call of ${service} goes with them.`
        : `${few(waiting.own)} of ${few(waiting.standing)} requests stood in ${service}, waiting for nobody that is seen.`,
      ...(equal === null ? [] : [isGivenUp ? `${caller} gave up after ${seconds(equal)} each time.` : `Each took ${seconds(equal)}.`]),
      ...(use
        ? [
            `${service} used ${use.cores.toFixed(2)} cores${use.throttled > 0 ? ` and was throttled in ${percent(use.throttled)} of its periods` : ''}.`,
          ]
        : []),
      ...(queue && queue.middle > 0 ? [`${things(queue.middle, 'connection')} waited to be accepted.`] : []),
      ...(isStill(step) ? ['It was idle: a lock, a sleep or a limit of workers inside looks like this.'] : []),
      ...(idle ? [idle.text] : []),
      ...slowestText(step),
    ],
  };
}

/** Most stood in it for long, and neither its CPU nor anybody whom it may have asked kept it. @param {Of<'failed' | 'moments' | 'seen' | 'service' | 'took_s' | 'waiting', 'quotas' | 'use'>} step */
const isStill = (step) => !isAtOnce(step) && step.waiting.own > step.waiting.standing / 2 && isIdle(step) && !isBlind(step);
