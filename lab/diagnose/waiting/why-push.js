/**
 * A service may wait without a call: for what a callee pushes to it on a connection that it keeps open (a queue of replies, a channel, a stream of
 * changes). Good requests have such a push within their lives and failed ones have none, though the service had asked for it. Then what happened
 * is asked of those who take the callee's messages: a broker pushes a reply when somebody sent it one.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 * @typedef {import('./seen.js').Seen} Seen
 *
 * @typedef {object} Awaited    what did not come
 * @property {string} to        whose push it is
 * @property {number | null} expected  good requests that had one; null where none went well
 * @property {string} text
 *
 * @typedef {object} Taker      a service that takes messages of the callee
 * @property {string} name      of its container that has most of them
 * @property {string[]} names   of all of its containers
 * @property {number[]} got     messages pushed to it, as they began
 * @property {number[]} kept    of them, those that it never acknowledged
 */
import { countsAt, GOOD_LEAST, once } from './asked.js';
import { GOOD } from './seen.js';
import { average, grouped, leading, share, some, spread, upTo } from './spread.js';
import { busy, counted, few, percent, things, throttled } from './text.js';
import { awayThen } from './why-gone.js';

/** Of the good requests, those that had a push, and of the failed. The lab's own choices. */
const PUSHED_SHARE = 0.8;
const PUSHED_MOST = 0.2;
/** Of the failed: for so many it had sent something. The lab's own choice. */
const SENT_SHARE = 0.8;
/** More tell no more. */
const GOOD_MOST = 2000;
/** An answer has to be that of most of the failed. */
const MOST = 0.5;
/** Of its life, when a request is asked whether its service still listens: whoever gives up hangs up too. */
const LATE_PART = 0.9;

/** Messages that a callee sends by itself; an error of its own is none. */
const pushesOn = once((seen, from, to) => inOrder(seen, from, to, ({ role, bad }) => role === 'push' && !bad));
/** Messages that get no answer; where it has none, what it asks. */
const sentOn = once((seen, from, to) => {
  const sent = inOrder(seen, from, to, ({ role }) => role === 'send');
  return sent.length > 0 ? sent : inOrder(seen, from, to, ({ role = 'call' }) => role === 'call');
});

/** @param {Seen} seen @param {string} from @param {string} to @param {(call: Seen['calls'][number]) => boolean} isSuch */
function inOrder({ calls, began, lineOf }, from, to, isSuch) {
  const found = [];
  for (let call = 0; call < calls.length; call += 1) {
    if (!isSuch(calls[call])) continue;
    const line = lineOf(call);
    if (line?.from === from && line.to === to) found.push(call);
  }
  return found.sort((one, other) => began[one] - began[other]);
}

/**
 * Messages given to the requests in whose lives they came, the last to each, one to one.
 * @param {Seen} seen @param {number[]} pushes  as they began @param {number[]} requests @param {Set<number>} used  is changed
 * @returns {number} requests that have one
 */
function givenTo({ began, over }, pushes, requests, used) {
  const begins = pushes.map((call) => began[call]);
  let given = 0;
  for (const request of requests.toSorted((one, other) => over[one] - over[other])) {
    let at = upTo(begins, over[request]) - 1;
    while (at >= 0 && begins[at] >= began[request] && used.has(at)) at -= 1;
    if (at < 0 || begins[at] < began[request]) continue;
    used.add(at);
    given += 1;
  }
  return given;
}

/** @param {Step} step @returns {Awaited | null} */
export function awaitedPush(step) {
  const { seen, service, path } = step;
  const callees = seen.calleesOf(service).filter((to) => to !== service && !path.includes(to));
  return callees.map((to) => awaitedOf(step, to)).find((awaited) => awaited !== null) ?? null;
}

/** @param {Step} step @param {string} to @returns {Awaited | null} */
function awaitedOf(step, to) {
  const { seen, service, failed } = step;
  const pushes = pushesOn(seen, service, to);
  const goods = goodsOf(step, to);
  const used = new Set();
  const had = givenTo(seen, pushes, goods, used);
  const [part, failedPart] = [share(had, goods.length), share(givenTo(seen, pushes, failed, used), failed.length)];
  const sent = share(failed.filter((call) => isSent(seen, call, service, to) && isListened(seen, call, service, to)).length, failed.length);
  if (failedPart > PUSHED_MOST || sent < SENT_SHARE) return null;
  const its = `though ${service} had sent something to ${to} for ${percent(sent)} of these and kept its connection open`;
  if (goods.length < GOOD_LEAST)
    // Nothing tells what good ones wait for; but it asks nobody else.
    return seen.calleesOf(service).length > 1
      ? null
      : { to, expected: null, text: `Of the failed requests ${percent(failedPart)} had a message of ${to} while they went on, ${its}.` };
  if (part < PUSHED_SHARE) return null;
  return {
    to,
    expected: had,
    text: `${service} waited for what ${to} pushes: of the good requests ${percent(part)} had a message of ${to} while they went on, of the failed ${percent(failedPart)}, ${its}.`,
  };
}

/** To compare with: of the same kind; where there are too few, all for which it had sent something. @param {Step} step @param {string} to */
function goodsOf({ seen, service, good }, to) {
  if (good.length >= GOOD_LEAST) return some(good, GOOD_MOST);
  const well = seen.servedBy(service).filter((call) => seen.sign[call] === GOOD && seen.began[call] >= seen.load.warmupFrom);
  return some(
    well.filter((call) => isSent(seen, call, service, to)),
    GOOD_MOST,
  );
}

/** @param {Seen} seen @param {number} request @param {string} from @param {string} to */
const isSent = (seen, request, from, to) => countBetween(seen, sentOn(seen, from, to), seen.began[request], seen.over[request]) > 0;

/** @param {Seen} seen @param {number[]} calls  as they began @param {number} from @param {number} to */
const countBetween = ({ began }, calls, from, to) =>
  leading(calls, (call) => began[call] <= to) - leading(calls, (call) => began[call] < from);

/** A connection was open nearly to its end. @param {Seen} seen @param {number} request @param {string} from @param {string} to */
function isListened(seen, request, from, to) {
  const { began, over } = seen;
  return isOpen(seen, from, to, began[request] + (over[request] - began[request]) * LATE_PART);
}

/** @param {Seen} seen @param {string} from @param {string} to @param {number} at */
const isOpen = (seen, from, to, at) =>
  seen
    .lines(from, to)
    .some(
      ({ connection: { accepted_at: accepted, opened_at: opened, ended_at: ended } }) =>
        accepted !== null && opened <= at && (ended ?? Number.POSITIVE_INFINITY) > at,
    );

/**
 * Who should have sent it: first whether a taker was there, then whether it was given any, then what it did with it.
 * @param {Step} step @param {Awaited} awaited @returns {Why | null} null where too little is known
 */
export function whyNotPushed(step, { to, expected, text }) {
  const takers = takersOf(step, to, expected ?? 1);
  if (expected === null) {
    const why = takers.map((taker) => held(step, to, taker)).find((one) => one !== null);
    return why ? { ...why, basis: 'inferred', evidence: [text, ...why.evidence], doubts: [NONE_WELL] } : null;
  }
  const questions = [takerAway, takerGone, held, late];
  const why = takers.flatMap((taker) => questions.map((question) => question(step, to, taker))).find((one) => one !== null);
  const found = why ??
    throttled({ ...step, service: to }) ?? {
      mechanism: null,
      basis: 'inferred',
      evidence: takers.map((taker) => takerText(step, to, taker)),
    };
  return { ...found, place: found.place ?? { service: to, edge: { from: step.service, to } }, evidence: [text, ...found.evidence] };
}
const NONE_WELL =
  'too few such requests went well: that they wait for a message is inferred from there being nobody else whom their service asks';

/** Services other than its own that took or sent about as many messages as good requests needed; who keeps most of them first. @param {Step} step @param {string} to @param {number} expected @returns {Taker[]} */
function takersOf({ seen, service }, to, expected) {
  const serviceOf = new Map(seen.wire.services.map((one) => [one.name, one.service]));
  const ofOne = (/** @type {string} */ name) => serviceOf.get(name) || name;
  const clients = [...new Set(seen.linesTo(to).map(({ from }) => from))].filter((name) => ofOne(name) !== ofOne(service));
  return [...grouped(clients, ofOne).values()]
    .map((names) => {
      const own = names.map((name) => ({ name, got: pushesOn(seen, name, to) }));
      const [{ name }] = own.toSorted(
        (one, other) => keptOf(seen, other.got).length - keptOf(seen, one.got).length || other.got.length - one.got.length,
      );
      const got = own.flatMap((one) => one.got).sort((one, other) => seen.began[one] - seen.began[other]);
      return { name, names, got, kept: keptOf(seen, got) };
    })
    .filter(({ got }) => got.length >= MOST * expected)
    .toSorted((one, other) => other.kept.length - one.kept.length || other.got.length - one.got.length);
}

/** Who need not acknowledge has done so at once. @param {Seen} seen @param {number[]} got */
const keptOf = ({ calls }, got) => got.filter((call) => calls[call].end !== 'answered');

/** @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
function takerAway(step, to, taker) {
  const found = taker.names.map((name) => ({ name, away: awayThen(step, name) })).find(({ away }) => away !== null);
  return found?.away
    ? {
        mechanism: found.away.mechanism,
        basis: 'timed',
        place: { service: found.name, edge: { from: found.name, to } },
        evidence: [found.away.text, takerText(step, to, taker)],
      }
    : null;
}

/** @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
function takerGone(step, to, taker) {
  const { seen, moments } = step;
  if (share(moments.filter((at) => taker.names.some((name) => isOpen(seen, name, to, at))).length, moments.length) > 1 - MOST) return null;
  return {
    mechanism: 'gone',
    title: `had no connection to ${to} any more, whose messages it takes`,
    basis: 'counted',
    place: { service: taker.name, edge: { from: taker.name, to } },
    evidence: [takerText(step, to, taker)],
  };
}

/** It has what it never acknowledges: as many as it is given at a time, or those of the failed requests themselves. @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
function held(step, to, taker) {
  const { seen, failed } = step;
  const { name, got, kept } = taker;
  const isFull = isStopped(step, to, taker) && kept.length >= mostHeld(seen, got);
  const own = share(givenTo(seen, kept, failed, new Set()), failed.length);
  if (kept.length === 0 || (!isFull && own < MOST)) return null;
  return {
    mechanism: 'deliveries-held',
    title: isFull
      ? `kept ${things(kept.length, 'message')} of ${to} unacknowledged, as many as it takes at a time (its prefetch), and was given no more`
      : `took messages of ${to}, never acknowledged them and sent nothing back`,
    basis: 'counted',
    place: { service: name, edge: { from: name, to } },
    evidence: [
      takerText(step, to, taker),
      ...(isFull ? [`It never acknowledged ${counted(kept.length)} of them, and never had more unacknowledged at a time.`] : []),
      ...(isFull ? [] : [`${percent(own)} of the failed requests have one that it never acknowledged.`]),
    ],
  };
}

/** Nothing is pushed to it any more, while the waiting service goes on to send. @param {Step} step @param {string} to @param {Taker} taker */
const isStopped = ({ seen, service, failed }, to, { got }) =>
  sentSince(seen, service, to, got) >= Math.max(GOOD_LEAST, MOST * failed.length);

/** @param {Seen} seen @param {string} service @param {string} to @param {number[]} got */
function sentSince(seen, service, to, got) {
  const last = got.length === 0 ? seen.load.warmupFrom : seen.began[got[got.length - 1]];
  return countBetween(seen, sentOn(seen, service, to), last, seen.until);
}

/** At a time. @param {Seen} seen @param {number[]} got  as they began */
const mostHeld = (seen, got) =>
  spread(
    countsAt(
      seen,
      got,
      seen.over,
      got.map((call) => seen.began[call]),
    ),
    1,
  );

/** It was given messages, and sent no reply in time. @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
function late(step, to, taker) {
  const { seen, moments, time } = step;
  const { name, got } = taker;
  const holding = average(countsAt(seen, got, seen.over, moments));
  if (holding === 0 && countBetween(seen, got, time.from, time.to) === 0) return null;
  const its = { ...step, service: name };
  const why = throttled(its) ?? busy(its) ?? { mechanism: null, basis: /** @type {const} */ ('inferred'), evidence: [] };
  return {
    ...why,
    place: { service: name, edge: { from: name, to } },
    evidence: [takerText(step, to, taker), `It had ${few(holding)} of them unacknowledged while requests failed.`, ...why.evidence],
  };
}

/** @param {Step} step @param {string} to @param {Taker} taker */
function takerText(step, to, { names, got }) {
  const { seen, service, time } = step;
  const whom = names.toSorted().join(', ');
  const last = got[got.length - 1];
  const told = `${to} pushed ${things(got.length, 'message')} to ${whom}`;
  const since = sentSince(seen, service, to, got);
  return since >= GOOD_LEAST
    ? `${told}, the last in second ${few(Math.max(0, Math.round(seen.began[last] - seen.load.from)))}; after it ${service} sent ${counted(since)} times more.`
    : `${told}, ${counted(countBetween(seen, got, time.from, time.to))} of them while requests failed.`;
}
