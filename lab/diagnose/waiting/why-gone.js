/**
 * The first questions: was it there, was it still at that address, and did it take what was sent to it?
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 * @typedef {import('./readings.js').Absence} Absence
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

import { grouped } from '../../base/values.js';
import { lookUp } from '../../wire/tenancy.js';
import { some } from '../joins/rules.js';
import { asks, GOOD_LEAST, usageOf } from './asked.js';
import { notBack } from './readings.js';
import { CODE, GOOD } from './seen.js';
import { CLOCK_S, countsAt, equalTime, kindsOf, lastBefore, middle, mostFirst, share } from './spread.js';
import { counted, few, percent, seconds, things } from './text.js';
import { keptText, turnedAwayText } from './why-slots.js';
import { workersIdle, workersTaken } from './why-workers.js';

/** Of the failed: an answer has to be that of most of them. */
const MOST = 0.5;
/** Of the failed, so many good ones without the callee. */
const SURVIVED_PART = 1 / 3;
/** The engine tells of an end a moment after it. */
const REPORTED_LATE_S = 0.5;
/** An address has its next holder's name a second before the engine told of it (wire/tenancy.js). */
const NAMED_EARLY_S = 2;
/** Who waits for an answer from what is gone. */
const UNANSWERED = new Set(['given-up', 'closed', 'reset', 'cut', 'open', 'raced', 'refused', 'unanswered', 'unasked']);
/** Sent, and broken off by the callee before a byte. */
const BROKEN = new Set(['raced', 'reset', 'closed']);
/** Of those that were sent on a connection that had served before. */
const REUSED_SHARE = 0.8;

/**
 * The callee closes a connection that idles at the moment at which its caller sends on it.
 * @param {Of<'caller' | 'failed' | 'lost' | 'seen' | 'service' | 'time' | 'took_s', 'away'>} step @returns {Why | null}
 */
export function raced(step) {
  const { seen, failed, took_s: took, service, caller, readings } = step;
  const broken = failed.filter((call) => BROKEN.has(seen.sign[call]) && !seen.isAttempt(call));
  if (broken.length < failed.length * REUSED_SHARE) return null;
  // Who asked another for them had read them.
  if (broken.filter((call) => seen.childrenOf(call).length > 0).length >= broken.length * MOST) return null;
  const idle = broken.flatMap((call) => idleBefore(seen, call));
  if (idle.length < broken.length * REUSED_SHARE) return null;
  const known = broken.filter((call) => seen.sign[call] === 'raced').length;
  // Nearly all connections idle for as long where users think for as long between two requests.
  const isSeen = known >= broken.length * MOST && took <= RACE_MOST_S;
  const bound = isSeen ? null : boundOf(step, idle);
  if (!isSeen && bound === null) return null;
  const ends = readings.away.filter(({ name }) => name === service);
  // With the service itself they all end, idle or not.
  if (broken.filter((call) => ends.some(({ from }) => isClosedAt(seen, call, from))).length >= broken.length * MOST) return null;
  const equal = equalTime(idle);
  const closes = equalTime(broken.flatMap((call) => idleBefore(seen, call).map((time_s) => time_s + seen.over[call] - seen.began[call])));
  return {
    mechanism: 'keep-alive-race',
    basis: 'counted',
    evidence: [
      `${counted(broken.length)} calls of ${caller} were broken off ${seconds(took)} after they were sent, on connections that had served before.`,
      ...(closes === null ? [] : [`${service} closed each ${seconds(closes)} after its last answer, which is how long it keeps one idle.`]),
      ...(equal === null ? [] : [`The next request had come ${seconds(equal)} after it.`]),
      ...(bound === null
        ? []
        : [
            `Of ${counted(bound.reused)} good calls in that time on connections that had served before, ${bound.longer === 0 ? 'none' : counted(bound.longer)} came after as long an idle time.`,
          ]),
      ...(known > 0 ? [`${counted(known)} were sent after ${service} had closed the connection.`] : []),
    ],
  };
}
/** A race is lost within the network's way there and back; a program that breaks off has worked before. The lab's own choice. */
const RACE_MOST_S = 0.02;

/**
 * A program that has no CPU at once closes later than its time. Then it has to be seen that nobody who idled for as long goes well, while others do.
 * @param {Of<'caller' | 'lost' | 'seen' | 'service' | 'time' | 'took_s'>} step @param {number[]} idle  before the failed @returns {{ reused: number, longer: number } | null}
 */
function boundOf({ seen, service, caller, time, took_s: took, lost }, idle) {
  const most = equalTime(idle);
  if (most === null || took > LATE_PART * most) return null;
  const good = seen
    .onEdge(caller, service)
    .filter((call) => seen.sign[call] === GOOD && !lost.has(call) && seen.began[call] >= time.from && seen.began[call] <= time.to)
    .flatMap((call) => idleBefore(seen, call));
  const longer = good.filter((time_s) => time_s >= most - CLOCK_S).length;
  return good.length >= GOOD_LEAST && longer <= LONGER_PART * idle.length ? { reused: good.length, longer } : null;
}
/** Of the time for which a connection may idle. The lab's own choice: timers of a program are late by its turn, not by its own length. */
const LATE_PART = 0.1;
/** Of the failed: so many may have been sent just before a late program closed. The lab's own choice. */
const LONGER_PART = 0.1;

/** @param {Step['seen']} seen @param {number} call @returns {number[]} none where it is the first on its connection */
function idleBefore(seen, call) {
  const line = seen.lineOf(call);
  const before = line && lastBefore(seen, line, seen.began[call] - CLOCK_S);
  return before === null || before === undefined ? [] : [seen.began[call] - seen.over[before]];
}

/** @param {Step['seen']} seen @param {number} call @param {number} at  at which the engine was told that its server had ended */
function isClosedAt(seen, call, at) {
  const ended = seen.lineOf(call)?.connection.ended_at ?? null;
  return ended !== null && Math.abs(ended - at) <= ENDING_S;
}
/** A program is given ten seconds to end, and most take less (docker stop, --time). */
const ENDING_S = 10;

/** @param {Of<'failed' | 'good' | 'seen' | 'service', 'away'>} step @returns {Why | null} */
export function gone(step) {
  const { seen, failed, good, service, readings } = step;
  const away = readings.away.filter(({ name }) => name === service).map((one) => untilItServes(seen, one));
  // It may have ended again and again.
  const kinds = [...grouped(away, ({ how, outOfMemory }) => `${how} ${outOfMemory}`).values()].map((spans) => {
    const isKilled = spans[0].how === 'killed';
    const isThen = (/** @type {number} */ call) => spans.some((one) => (isKilled ? endedBy : overlaps)(seen, call, one));
    const calls = failed.filter((call) => (isKilled ? BROKEN : UNANSWERED).has(seen.sign[call]) && isThen(call)).length;
    return { spans, calls, isThen, isKilled };
  });
  const [most] = kinds.toSorted((one, other) => other.calls - one.calls);
  if (!most || most.calls < failed.length * MOST) return null;
  // The container went on: who is killed again and again is close to whatever ends.
  if (most.isKilled && share(good.filter(most.isThen).length, good.length) > (most.calls / failed.length) * KILLED_PART) return null;
  return {
    mechanism: mechanismOf(most.spans[0]),
    basis: 'timed',
    evidence: [
      ...most.spans.slice(0, ENDS_SHOWN).map((one) => awayText(one, seen.load.from)),
      ...(most.spans.length > ENDS_SHOWN ? [`So it went ${counted(most.spans.length)} times in all.`] : []),
      `${counted(most.calls)} of ${counted(failed.length)} calls to it were open or sent then.`,
    ],
    ends: endsOf(most.spans),
  };
}
const ENDS_SHOWN = 2;
/** Of the failed, so many good ones that ended with a kill. The lab's own choice. */
const KILLED_PART = 1 / 2;

/**
 * A callee that is gone is asked for by ARP alone: no connection begins, and the edge looks unused.
 * @param {Of<'failed' | 'good' | 'lost' | 'moments' | 'seen' | 'service' | 'time', 'away'>} step @returns {Why | null}
 */
export function calleeGone(step) {
  const { seen, failed, service, readings, good } = step;
  const usage = usageOf(seen, service);
  const kinds = kindsOf(seen, failed);
  const found = seen.calleesOf(service).flatMap((to) => {
    if (!asks(usage, kinds, to)) return [];
    const away = readings.away.filter(({ name }) => name === to).map((one) => untilItServes(seen, one));
    const isWith = (/** @type {number} */ call) => away.some((one) => overlaps(seen, call, one)) && !wentWell(seen, call, to);
    const part = share(failed.filter(isWith).length, failed.length);
    if (part < MOST) return [];
    // Who is paused is connected to all the same: that nobody waits for it is on record.
    if (away.some(({ how }) => how === 'paused') && !isWaitedFor(step, to)) return [];
    // What others survive at the same time is no cause.
    if (isUnknown(usage, kinds, to) && isSurvived(step, isWith) && !isLookedFor(step, to)) return [];
    if (good.filter(isWith).length > failed.length * part * SURVIVED_PART) return [];
    const one = /** @type {Absence} */ (away.find((span) => failed.some((call) => overlaps(seen, call, span))));
    const asked = askedByArp(step, to);
    const evidence = [
      awayText(one, seen.load.from),
      `${percent(part)} of the failed requests in ${service} were there in that time, and no call to ${to} went well for them.`,
      ...(asked > 0 ? [`${service} looked for the address of ${to} on the network ${counted(asked)} times without an answer.`] : []),
    ];
    return [{ to, mechanism: mechanismOf(one), evidence, ends: endsOf([one]) }];
  });
  const [first, ...others] = found;
  if (first === undefined) return null;
  // Those that could have answered for each other are away together.
  const same = others.filter(({ mechanism }) => mechanism === first.mechanism);
  return {
    mechanism: first.mechanism,
    basis: 'timed',
    place: { service: first.to, edge: { from: service, to: first.to }, beside: same.map(({ to }) => to) },
    evidence: [first, ...same].flatMap(({ evidence }) => evidence),
    ends: first.ends,
  };
}

/** Whether their kinds ask it at all: too few went well. @param {ReturnType<typeof usageOf>} usage @param {Set<string>} kinds @param {string} to */
const isUnknown = (usage, kinds, to) => [...kinds].every((kind) => usage(kind, to) === null);

/** At most moments of the failed some call to it was on its way. @param {Of<'moments' | 'seen' | 'service'>} step @param {string} to */
const isWaitedFor = ({ seen, service, moments }, to) =>
  share(countsAt(seen, seen.onEdge(service, to), seen.over, moments).filter((count) => count > 0).length, moments.length) > MOST;

/** Most requests of other kinds went well without it. @param {Of<'failed' | 'lost' | 'seen' | 'service'>} step @param {(call: number) => boolean} isWith */
function isSurvived({ seen, service, failed, lost }, isWith) {
  const kinds = kindsOf(seen, failed);
  const others = seen.servedBy(service).filter((call) => !kinds.has(seen.kind[call]) && isWith(call));
  const well = others.filter((call) => seen.sign[call] === GOOD && !lost.has(call));
  return well.length >= GOOD_LEAST && share(well.length, others.length) > MOST;
}

/** A kernel that has something to send to it asks once a second. @param {Of<'seen' | 'service' | 'time'>} step @param {string} to */
const isLookedFor = (step, to) => askedByArp(step, to) >= LOOKED_SHARE * Math.max(1, step.time.to - step.time.from);
/** Of the seconds. The lab's own choice. */
const LOOKED_SHARE = 0.5;

/** Of a service that is not on their way: most of the failed went on while it was away. @param {Pick<Step, 'seen' | 'readings' | 'failed'>} step @param {string} name */
export function awayThen({ seen, readings, failed }, name) {
  const away = readings.away.filter((one) => one.name === name && one.how !== 'killed').map((one) => untilItServes(seen, one));
  const isThen = (/** @type {number} */ call) => away.some((one) => overlaps(seen, call, one));
  if (failed.filter(isThen).length < failed.length * MOST) return null;
  const one = /** @type {Absence} */ (away.find((span) => failed.some((call) => overlaps(seen, call, span))));
  return { mechanism: mechanismOf(one), text: awayText(one, seen.load.from) };
}

/** @param {Absence} away @returns {import('./text.js').Mechanism} */
const mechanismOf = ({ how, outOfMemory }) => (outOfMemory ? 'out-of-memory' : how === 'paused' ? 'paused' : 'gone');

/** Of a program that ended by itself. @param {Absence[]} spans  as they were widened @returns {number[]} */
const endsOf = (spans) => spans.flatMap(({ how, outOfMemory, from }) => (how === 'ended' && !outOfMemory ? [from + REPORTED_LATE_S] : []));

/** Its program takes a while after its container's start. @param {Step['seen']} seen @param {Absence} away @returns {Absence} */
function untilItServes({ servedBy, began, over, sign }, away) {
  if (away.how === 'killed') return { ...away, from: away.from - REPORTED_LATE_S };
  const first = servedBy(away.name).find((call) => began[call] >= away.to && sign[call] === GOOD);
  return { ...away, from: away.from - REPORTED_LATE_S, to: first === undefined ? Math.max(away.to, away.from) : over[first] };
}

/** @param {Step['seen']} seen @param {number} call @param {{ from: number, to: number }} span */
const overlaps = ({ began, over }, call, { from, to }) => began[call] <= to && over[call] >= from;

/** The kernel closes what a process had open. @param {Step['seen']} seen @param {number} call @param {Absence} killed  from: as long before as it may be told of late */
const endedBy = ({ over }, call, { from }) => Math.abs(over[call] - from - REPORTED_LATE_S) <= KILLED_S;
/** The engine tells of a kill so long before or after it on a full machine: 0.2 s were measured. */
const KILLED_S = 0.25;

/** @param {Step['seen']} seen @param {number} call @param {string} to */
const wentWell = ({ childrenOf, sign, to: callee }, call, to) =>
  childrenOf(call).some((child) => callee[child] === to && sign[child] === GOOD);

/** @param {Absence} away @param {number} zero */
function awayText({ name, from, to, how, exitCode, outOfMemory, isRestarted }, zero) {
  const at = `second ${few(Math.max(0, from + REPORTED_LATE_S - zero))}`;
  const back = Number.isFinite(to) ? `it was back in second ${few(to - zero)}` : `it ${notBack(isRestarted)}`;
  if (how === 'killed') return `A process of ${name} was killed in ${at}, out of memory.`;
  if (how === 'paused') return `${name} was paused in ${at}; ${back}.`;
  return `${name} ended in ${at}${outOfMemory ? ', out of memory' : exitCode === null ? '' : ` with exit code ${exitCode}`}; ${back}.`;
}

/** @param {Of<'seen' | 'service'>} step @param {string} to */
function askedByArp({ seen, service }, to) {
  const had = lookUp(seen.wire.services);
  const isOf = (/** @type {string} */ address, /** @type {number} */ at, /** @type {string} */ name) => had(address, at)?.name === name;
  return seen.wire.networks
    .flatMap(({ hosts }) => hosts)
    .filter(({ source, target, first_at: at }) => isOf(source, at, service) && isOf(target, at, to))
    .reduce((sum, { asked, answered }) => sum + Math.max(0, asked - answered), 0);
}

/**
 * Its caller asked whom it had never asked before, at an address that was another's: it had looked the name up once.
 * @param {Of<'caller' | 'failed' | 'seen' | 'service'>} step @returns {Why | null}
 */
export function staleAddress({ seen, failed, service, caller }) {
  const tenures = seen.wire.services;
  const lines = failed.flatMap((call) => seen.lineOf(call) ?? []);
  const [[address, own] = ['', []]] = mostFirst(lines, ({ connection }) => connection.server);
  if (own.length < failed.length * MOST) return null;
  const since = tenures.filter((one) => one.address === address && one.name === service).map(({ from }) => from);
  const before = tenures.find((one) => one.address === address && one.name !== service && one.from < Math.max(...since));
  if (!before || before.name === '') return null;
  const port = own[0].connection.server_port;
  const knew = seen.lines(caller, before.name).some(({ connection }) => connection.server === address && connection.server_port === port);
  const knows = seen.lines(caller, service).some(({ connection }) => connection.opened_at < Math.max(...since) - NAMED_EARLY_S);
  if (!knew || knows) return null;
  return {
    mechanism: 'stale-address',
    title: `asked an address that was ${service}’s by then`,
    basis: 'counted',
    place: { service: caller, edge: { from: caller, to: service } },
    evidence: [
      `${caller} asked ${service}, which it had never asked before, ${counted(own.length)} times at ${address}:${port}.`,
      `Until second ${few(Math.max(0, Math.max(...since) - seen.load.from))} that was the address of ${before.name}.`,
    ],
  };
}

/** @type {Record<string, { mechanism: import('./text.js').Mechanism, text: string }>} */
const ATTEMPTS = {
  refused: { mechanism: 'refused', text: 'its kernel refused the connections: no program listened there' },
  unanswered: { mechanism: 'unanswered', text: 'connection requests got no answer' },
  unasked: { mechanism: 'closed-unasked', text: 'it accepted the connections and closed them before anything was asked' },
};

/** Nothing could be asked. @param {Of<'asked' | 'calm' | 'equal_s' | 'failed' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'sign' | 'time' | 'took_s', 'queued' | 'strain'>} step @returns {Why | null} */
export function noConnection(step) {
  const { seen, failed, service, sign, readings, moments } = step;
  const attempts = failed.filter(seen.isAttempt);
  if (attempts.length <= failed.length * MOST) return null;
  const queue = readings.queued(service, moments);
  const waiting = queue && queue.most > 0 ? [`Up to ${things(queue.most, 'connection')} waited to be accepted.`] : [];
  // Its kernel was there, and counted what it had no room for: what did not come on is the program.
  if (sign === 'unanswered' && (readings.strain(service, moments).overflows ?? 0) > 0) {
    const text = `${counted(attempts.length)} times connection requests got no answer, while its kernel counted that the queue was full.`;
    const taken = workersTaken(step) ?? workersIdle(step);
    return taken
      ? { ...taken, evidence: [text, ...taken.evidence] }
      : { mechanism: 'accept-backlog-overflow', basis: 'counted', evidence: [text, ...waiting] };
  }
  const known = ATTEMPTS[sign];
  if (known)
    return { mechanism: known.mechanism, basis: 'counted', evidence: [`${counted(attempts.length)} times ${known.text}.`, ...waiting] };
  const turnedText = (/** @type {number[]} */ calls) => {
    const own = calls.filter(seen.isAttempt);
    const after = middle(own.map((call) => seen.over[call] - seen.began[call]));
    return `${service} turned ${counted(own.length)} connections away with ${sign.replace(CODE, '')} ${seconds(after)} after they were opened, before anything was asked.`;
  };
  return (
    handedOn(step, attempts) ?? {
      mechanism: 'turned-away',
      isCoded: true,
      title: turnedAwayText(step, sign.replace(CODE, '')),
      basis: 'counted',
      ofAll: turnedText,
      evidence: [turnedText(attempts), ...keptText(step)],
    }
  );
}

/**
 * Who hands on what others say to each other opens a connection for each of theirs, and was turned away with the same word while theirs was opened.
 * @param {Of<'failed' | 'seen' | 'service' | 'sign'>} step @param {number[]} attempts @returns {Why | null}
 */
function handedOn({ seen, service, sign }, attempts) {
  const { began, over } = seen;
  const looked = some(attempts, LOOKED_AT_MOST);
  for (const to of seen.calleesOf(service)) {
    const same = seen.onEdge(service, to).filter((call) => seen.isAttempt(call) && seen.sign[call] === sign);
    const theirs = looked.map((attempt) =>
      same.find((call) => began[call] >= began[attempt] - HANDED_S && over[call] <= over[attempt] + HANDED_S),
    );
    const tried = [...new Set(theirs)].filter((call) => call !== undefined);
    const part = share(tried.length, looked.length);
    if (part < MOST) continue;
    return {
      ...{ mechanism: null, basis: 'inferred', onTo: to, tried },
      evidence: [
        `${service} turned ${counted(attempts.length)} connections away with ${sign.replace(CODE, '')}, and was itself turned away by ${to} with that for ${percent(part)} of them.`,
      ],
    };
  }
  return null;
}
/** More tell no more. */
const LOOKED_AT_MOST = 1000;
/** Two readings of one clock, of packets of one machine. */
const HANDED_S = 0.005;
