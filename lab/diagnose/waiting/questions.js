/**
 * What is asked of requests that failed at a service, in the order in which one answer hides another: what is dead answers nobody, what is short
 * of CPU fills its pools and takes its workers, and a full pool keeps the CPU idle. Each question names what it reads of a step and of its
 * readings, and gets no more.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 * @typedef {import('./text.js').Mechanism} Mechanism
 * @typedef {import('../rule.js').Rule} Rule
 * @typedef {import('../rule.js').Row} Row
 */

import { asksOf } from '../rule.js';
import { areOthersQuick, isAsSoonAsGood, isAtOnce, isBrokenOff, isOwn } from './step.js';
import { circle, heldByOne, hung, stands, stoodStill } from './why.js';
import { reportedByCode, statementElsewhere, statementUnfit } from './why-code.js';
import { deadConnections, forgotten, noPorts, notRead, packetsLost } from './why-connection.js';
import { busyFor, busyUnreached, starved, throttledBeside, throttledFor, throttledThroughout } from './why-cpu.js';
import { diskWait, fewAtATime, memoryShort, outOfDescriptors, outOfDescriptorsUnreached, outOfThreads, overrun } from './why-few.js';
import { behindOne, poolExhausted, poolFull, poolHeld } from './why-full.js';
import { givenBefore } from './why-given.js';
import { calleeGone, gone, noConnection, raced, staleAddress } from './why-gone.js';
import { endedByItself, gaveUpFirst, manyCalls, unended } from './why-limit.js';
import { lockHeld, lockReleased, lockReported } from './why-lock.js';
import { lookupFailed, nameUnanswered, outside } from './why-name.js';
import { brokenOff, ownAnswer } from './why-own.js';
import { polled, takerBehind, takerStopped, takersBusy } from './why-polled.js';
import { isOnPurpose } from './why-push.js';
import { shutAfter, slotsTaken, tooMany } from './why-slots.js';
import { slowKind } from './why-slow.js';
import { checksFailed, triedBefore, unconnected } from './why-tried.js';
import { workersHeld, workersIdle, workersTaken } from './why-workers.js';

/**
 * @template {Exclude<keyof Step, 'readings'>} Fact
 * @template {keyof Step['readings']} [Read=never]
 * @param {(step: import('./step.js').Of<NoInfer<Fact>, NoInfer<Read>>) => Why | null} ask
 * @param {{ says: Mechanism[], facts: Fact[], readings?: Read[] }} given
 * @returns {Omit<Rule, 'of' | 'id'>}
 */
const question = (ask, { says, facts, readings = [] }) => ({
  ...{ says, facts: [...facts, ...readings.map((name) => `readings.${name}`)], asks: [] },
  apply: (_, step) => ask(step),
});

/** @template {string} Name @param {Record<Name, Omit<Rule, 'of' | 'id'>>} all @returns {Record<Name, Omit<Rule, 'of'>>} each with its name as its id */
const named = (all) =>
  /** @type {any} */ (
    Object.fromEntries(
      Object.entries(all).map(([name, one]) => [name, { ...one, id: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) }]),
    )
  );

const Q = named({
  lookupFailed: question(lookupFailed, {
    says: ['name-unanswered'],
    facts: ['caller', 'calm', 'failed', 'good', 'moments', 'seen', 'service', 'sign'],
  }),
  raced: question(raced, {
    says: ['keep-alive-race'],
    facts: ['caller', 'failed', 'lost', 'seen', 'service', 'time', 'took_s'],
    readings: ['away'],
  }),
  outside: question(outside, {
    says: ['outside-failed', 'outside-slow'],
    facts: ['caller', 'calm', 'equal_s', 'failed', 'good', 'moments', 'seen', 'service', 'sign'],
  }),
  staleAddress: question(staleAddress, { says: ['stale-address'], facts: ['caller', 'failed', 'seen', 'service'] }),
  gone: question(gone, { says: ['gone', 'paused', 'out-of-memory'], facts: ['failed', 'good', 'seen', 'service'], readings: ['away'] }),
  calleeGone: question(calleeGone, {
    says: ['gone', 'paused', 'out-of-memory'],
    facts: ['failed', 'good', 'lost', 'moments', 'seen', 'service', 'time'],
    readings: ['away'],
  }),
  outOfDescriptorsUnreached: question(outOfDescriptorsUnreached, {
    says: ['out-of-descriptors'],
    facts: ['calm', 'codeCause', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
    readings: ['queued', 'strain'],
  }),
  busyUnreached: question(busyUnreached, {
    says: ['busy'],
    facts: ['calm', 'failed', 'moments', 'seen', 'service', 'time'],
    readings: ['queued', 'quotas', 'use'],
  }),
  slotsTaken: question(slotsTaken, { says: ['slots-taken'], facts: ['failed', 'moments', 'seen', 'service'] }),
  noConnection: question(noConnection, {
    says: [
      'accept-backlog-overflow',
      'refused',
      'unanswered',
      'closed-unasked',
      'turned-away',
      'workers-taken',
      'workers-idle-connections',
    ],
    facts: ['asked', 'calm', 'equal_s', 'failed', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
    readings: ['queued', 'strain'],
  }),
  gaveUpFirst: question(gaveUpFirst, { says: ['time-limit'], facts: ['caller', 'equal_s', 'failed', 'seen', 'service', 'sign'] }),
  endedByItself: question(endedByItself, {
    says: ['broken-off', 'time-limit'],
    facts: ['awaited', 'caller', 'equal_s', 'failed', 'good', 'seen', 'service', 'sign', 'took_s'],
  }),
  manyCalls: question(manyCalls, {
    says: ['many-calls'],
    facts: ['awaited', 'caller', 'calm', 'equal_s', 'failed', 'moments', 'seen', 'service', 'sign', 'took_s', 'waiting'],
  }),
  outOfDescriptors: question(outOfDescriptors, {
    says: ['out-of-descriptors'],
    facts: ['calm', 'codeCause', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
    readings: ['queued', 'strain'],
  }),
  outOfThreads: question(outOfThreads, {
    says: ['out-of-threads'],
    facts: ['calm', 'codeCause', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
    readings: ['refusedTasks', 'strain'],
  }),
  statementUnfit: question(statementUnfit, {
    says: ['login-refused', 'statement-unfit'],
    facts: ['caller', 'codeCause', 'failed', 'seen', 'service', 'sign', 'time'],
  }),
  statementElsewhere: question(statementElsewhere, {
    says: ['statement-elsewhere'],
    facts: ['caller', 'codeCause', 'failed', 'seen', 'service', 'sign'],
  }),
  reportedByCode: question(reportedByCode, {
    says: [
      'conflict',
      'deadlock',
      'disk-full',
      'login-refused',
      'memory-short',
      'no-writes',
      'not-ready',
      'statement-elsewhere',
      'statement-unfit',
      'turned-away',
    ],
    facts: ['codeCause', 'failed', 'moments', 'seen', 'service', 'sign', 'time'],
  }),
  checksFailed: question(checksFailed, { says: ['checks-failed'], facts: ['failed', 'good', 'seen', 'service', 'sign', 'time', 'took_s'] }),
  noPorts: question(noPorts, { says: ['no-ports'], facts: ['asked', 'moments', 'seen', 'service', 'time'], readings: ['ports'] }),
  nameUnanswered: question(nameUnanswered, {
    says: ['name-unanswered'],
    facts: ['calm', 'failed', 'good', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'time', 'took_s'],
    readings: ['strain'],
  }),
  deadConnections: question(deadConnections, {
    says: ['dead-connections'],
    facts: ['asked', 'failed', 'good', 'good_s', 'seen', 'service', 'sign', 'time', 'took_s'],
  }),
  forgotten: question(forgotten, { says: ['forgotten'], facts: ['caller', 'failed', 'seen', 'service', 'sign', 'time'] }),
  poolExhausted: question(poolExhausted, {
    says: ['pool-full', 'pool-held'],
    facts: ['asked', 'calm', 'failed', 'good', 'good_s', 'moments', 'path', 'seen', 'service', 'sign', 'took_s'],
  }),
  tooMany: question(tooMany, {
    says: ['turned-away'],
    facts: ['calm', 'failed', 'good', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
  }),
  shutAfter: question(shutAfter, { says: ['checks-failed'], facts: ['calm', 'failed', 'path', 'seen', 'service', 'sign', 'took_s'] }),
  triedBefore: question(triedBefore, {
    says: ['checks-failed'],
    facts: ['asked', 'failed', 'good', 'path', 'seen', 'service', 'sign', 'took_s'],
  }),
  unconnected: question(unconnected, {
    says: ['checks-failed'],
    facts: ['failed', 'good', 'moments', 'path', 'seen', 'service', 'time'],
  }),
  takerStopped: question(takerStopped, {
    says: ['hung'],
    facts: ['failed', 'good_s', 'path', 'seen', 'service', 'sign', 'time', 'took_s'],
    readings: ['away'],
  }),
  takerBehind: question(takerBehind, {
    says: ['busy', 'cpu-throttled', 'workers-taken'],
    facts: ['calm', 'failed', 'good_s', 'moments', 'path', 'seen', 'service', 'sign', 'time', 'took_s'],
    readings: ['queued', 'quotas', 'use'],
  }),
  givenBefore: question(givenBefore, {
    says: ['given-before', 'not-shared'],
    facts: ['caller', 'failed', 'good', 'good_s', 'seen', 'service', 'sign', 'time', 'took_s'],
  }),
  ownAnswer: question(ownAnswer, {
    says: ['own-error', 'turned-away'],
    facts: ['asked', 'caller', 'calm', 'failed', 'good', 'good_s', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
  }),
  brokenOff: question(brokenOff, {
    says: ['broken-off'],
    facts: ['asked', 'failed', 'moments', 'service', 'sign', 'took_s'],
    readings: ['queued'],
  }),
  unended: question(unended, { says: ['unended'], facts: ['caller', 'failed', 'good', 'seen', 'service', 'sign', 'time'] }),
  behindOne: question(behindOne, { says: ['held-by-one'], facts: ['calm', 'moments', 'path', 'seen', 'service', 'waiting'] }),
  circle: question(circle, {
    says: ['workers-taken'],
    facts: ['calm', 'moments', 'path', 'seen', 'service', 'waiting'],
    readings: ['queued'],
  }),
  lockReleased: question(lockReleased, {
    says: ['lock'],
    facts: ['codeCause', 'failed', 'good', 'moments', 'seen', 'service', 'sign', 'took_s'],
  }),
  throttled: question(throttledFor, {
    says: ['cpu-throttled'],
    facts: ['caller', 'calm', 'failed', 'meanwhile', 'moments', 'seen', 'service'],
    readings: ['use'],
  }),
  throttledBeside: question(throttledBeside, {
    says: ['cpu-throttled'],
    facts: ['caller', 'calm', 'failed', 'meanwhile', 'moments', 'seen', 'service'],
    readings: ['use'],
  }),
  starved: question(starved, {
    says: ['cpu-taken'],
    facts: ['calm', 'failed', 'meanwhile', 'moments', 'path', 'seen', 'service', 'took_s'],
    readings: ['busy', 'cores', 'names', 'strain', 'use'],
  }),
  poolHeld: question(poolHeld, { says: ['pool-held'], facts: ['calm', 'failed', 'moments', 'seen', 'service', 'waiting'] }),
  poolFull: question(poolFull, { says: ['pool-full'], facts: ['calm', 'failed', 'moments', 'seen', 'service', 'waiting'] }),
  workersTaken: question(workersTaken, {
    says: ['workers-taken'],
    facts: ['asked', 'calm', 'equal_s', 'failed', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'took_s'],
    readings: ['queued'],
  }),
  workersIdle: question(workersIdle, {
    says: ['workers-idle-connections'],
    facts: ['failed', 'moments', 'seen', 'service', 'time'],
    readings: ['queued'],
  }),
  lockReported: question(lockReported, { says: ['lock'], facts: ['calm', 'moments', 'seen', 'service', 'waiting'], readings: ['holders'] }),
  memoryShort: question(memoryShort, { says: ['memory-short'], facts: ['calm', 'moments', 'service'], readings: ['strain'] }),
  diskWait: question(diskWait, {
    says: ['disk-wait'],
    facts: ['calm', 'moments', 'service'],
    readings: ['machineDiskWait', 'names', 'strain'],
  }),
  notRead: question(notRead, {
    says: ['busy', 'cpu-throttled', 'not-read'],
    facts: ['calm', 'moments', 'path', 'seen', 'service', 'time'],
    readings: ['queued', 'quotas', 'use'],
  }),
  packetsLost: question(packetsLost, {
    says: ['packets-lost'],
    facts: ['caller', 'calm', 'failed', 'moments', 'seen', 'service', 'time'],
    readings: ['strain'],
  }),
  lockHeld: question(lockHeld, { says: ['lock'], facts: ['codeCause', 'failed', 'good', 'moments', 'seen', 'service', 'sign', 'took_s'] }),
  workersHeld: question(workersHeld, {
    says: ['workers-taken'],
    facts: ['calm', 'failed', 'moments', 'seen', 'service', 'took_s'],
    readings: ['queued', 'quotas', 'use'],
  }),
  takersBusy: question(takersBusy, {
    says: ['workers-taken'],
    facts: ['calm', 'caller', 'failed', 'moments', 'path', 'seen', 'service'],
    readings: ['quotas', 'use'],
  }),
  heldByOne: question(heldByOne, { says: ['held-by-one'], facts: ['failed', 'seen', 'service', 'time', 'took_s'] }),
  polled: question(polled, {
    says: ['busy', 'cpu-throttled', 'polled', 'workers-taken'],
    facts: ['calm', 'equal_s', 'failed', 'moments', 'path', 'seen', 'service', 'time', 'took_s', 'waiting'],
    readings: ['away', 'queued', 'quotas', 'use'],
  }),
  slowKind: question(slowKind, { says: ['own-wait', 'slow-kind'], facts: ['caller', 'calm', 'failed', 'meanwhile', 'seen', 'service'] }),
  busy: question(busyFor, { says: ['busy'], facts: ['calm', 'moments', 'seen', 'service', 'time'], readings: ['queued', 'quotas', 'use'] }),
  fewAtATime: question(fewAtATime, {
    says: ['workers-taken'],
    facts: ['calm', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'time', 'took_s', 'waiting'],
    readings: ['queued', 'quotas', 'use'],
  }),
  overrun: question(overrun, {
    says: ['workers-taken'],
    facts: ['caller', 'calm', 'equal_s', 'failed', 'moments', 'seen', 'service', 'sign', 'time'],
    readings: ['busy', 'quotas', 'use'],
  }),
  stoodStill: question(stoodStill, {
    says: ['hung'],
    facts: ['failed', 'moments', 'seen', 'service'],
    readings: ['queued', 'quotas', 'use'],
  }),
  hung: question(hung, { says: ['hung'], facts: ['failed', 'moments', 'seen', 'service', 'time', 'waiting'], readings: ['use'] }),
  throttledThroughout: question(throttledThroughout, { says: ['cpu-throttled'], facts: ['calm', 'moments', 'service'], readings: ['use'] }),
});

/** What its requests waited for explains nothing of answers that come no later than good ones do. */
const AS_SOON = /** @type {const} */ ('answers come as soon as good ones do');
/** What befalls the whole service explains nothing of what others of the kind are spared. */
const SPARED = /** @type {const} */ ('others of its kind are spared');

/** What a service does for a call: one that waits on purpose is not worked on. */
const ON_PURPOSE = /** @type {const} */ ('calls wait on purpose');

/** @typedef {typeof AS_SOON | typeof SPARED | typeof ON_PURPOSE} Unless */

/** @type {Record<string, [rule: Omit<Rule, 'of'>, before: string, unless?: Unless[]][]>} */
const ORDER = {
  unreached: [
    [Q.lookupFailed, 'who is asked for names outside of the stack is followed no further'],
    [Q.raced, 'the connection was closed as it was sent on: whether the service was there otherwise does not matter'],
    [Q.outside, 'of a host outside of the stack nothing else is read'],
    [Q.staleAddress, 'who is asked by mistake is not at fault, whatever its state'],
    [Q.gone, 'what is not there has no reading that counts'],
    [Q.calleeGone, 'before whom it asked is looked at: a callee that is gone is on no edge'],
    [Q.outOfDescriptorsUnreached, 'without a file there is no connection, however busy it is'],
    [Q.busyUnreached, 'who is busy with itself accepts nobody, which looks like no program at all'],
    [Q.slotsTaken, 'a limit that is counted, before how its connections failed'],
    [Q.statementUnfit, 'who is not let in was there, and had a place'],
    [Q.noConnection, 'how the connections failed, of those that never became calls'],
    [Q.gaveUpFirst, 'the last: it was reached, and its caller had less time than it takes'],
  ],
  limited: [
    [Q.endedByItself, 'before whom it waited for is followed'],
    [Q.manyCalls, 'as above: none of those answers is to blame'],
  ],
  own: [
    [Q.outOfDescriptors, 'without a file there is neither a connection nor a lookup'],
    [Q.outOfThreads, 'whoever takes a request with a thread can do nothing without it'],
    [Q.statementUnfit, 'the same code, and more: whose doing it was'],
    [Q.statementElsewhere, 'as above, of codes that tell of another connection'],
    [Q.reportedByCode, 'its own word, before what happened at the same time'],
    [Q.checksFailed, 'who has taken all callees out asks nobody, opens no connection and looks no name up'],
    [Q.noPorts, 'without a local port it reaches nobody, so that its connections look dead'],
    [Q.nameUnanswered, 'without an address it opens no connection'],
    [Q.deadConnections, 'a pool of dead connections looks as if all were in use'],
    [Q.unconnected, 'a pool that has no connection left looks full'],
    [Q.poolExhausted, 'what is counted, before what had been tried'],
    [Q.tooMany, 'a number that tells the failed from the good, before what had been tried'],
    [Q.shutAfter, 'who turns all away when some had failed was shut by part of them, and the last of these was one'],
    [Q.triedBefore, 'who keeps a failed try in mind answers by itself, but not of its own accord'],
    [Q.givenBefore, 'an answer of its own, and more: to what another had given'],
    [Q.takerStopped, 'who no longer does what the answer needs is on no edge of it'],
    [Q.takerBehind, 'as who stopped: on no edge of it'],
    [Q.ownAnswer, 'the last: an answer of its own'],
  ],
  'broken-off': [
    [Q.outOfDescriptors, 'without a file it can but close'],
    [Q.outOfThreads, 'without a thread it can but close'],
    [Q.slotsTaken, 'who has no slot left closes what it accepts'],
    [Q.brokenOff, 'the last'],
  ],
  'at-once': [
    [Q.outOfDescriptors, 'without a file it can but close'],
    [Q.outOfThreads, 'without a thread it can but close'],
    [Q.slotsTaken, 'the last: what was over at once stood nowhere'],
  ],
  standing: [
    [Q.forgotten, 'who answers others as ever has none of the troubles that befall a service as a whole'],
    [Q.unended, 'what had begun to be answered waited for nothing before'],
    [Q.behindOne, 'who waits in a line of its own is the place, whatever the state of whom it asks', [AS_SOON]],
    [Q.circle, 'two that wait for each other have each its workers taken, and neither is at fault alone'],
    [Q.outOfDescriptors, 'without a file there is neither a connection nor a lookup'],
    [Q.outOfThreads, 'without a thread nobody works on it'],
    [Q.unconnected, 'a pool that has no connection left looks full'],
    [Q.lockReleased, 'waits that end with a lock, before what only happened at the same time'],
    [Q.throttled, 'who is short of CPU fills its pools and takes its workers', [SPARED]],
    [Q.starved, 'as by its quota: short of CPU before full', [SPARED]],
    [Q.poolHeld, 'held connections are in use as well', [SPARED]],
    [Q.poolFull, 'a pool is a better known limit than the number at work', [SPARED]],
    [Q.workersTaken, 'workers that wait for a callee, before those that wait for a caller', [SPARED, ON_PURPOSE]],
    [Q.workersIdle, 'what is counted, before what happened in the kernel at the time'],
    [Q.noPorts, 'without a local port it reaches nobody'],
    [Q.nameUnanswered, 'without an address it opens no connection'],
    [Q.lockReported, 'the service tells of it by itself, before what only happened at the same time', [AS_SOON]],
    [Q.memoryShort, 'pages that come back keep the disk busy', [AS_SOON, SPARED]],
    [Q.diskWait, 'a reading of the service, before one of the way to it', [AS_SOON, SPARED]],
    [Q.notRead, 'what is sent again to who takes no more was not lost', [AS_SOON, SPARED]],
    [Q.packetsLost, 'what is sent again keeps whoever waits for it idle', [AS_SOON, SPARED]],
    [Q.statementUnfit, 'the same code, and more: whose doing it was'],
    [Q.statementElsewhere, 'as above, of codes that tell of another connection'],
    [Q.reportedByCode, 'its own word is the end of a wait, whose reason came before'],
    [Q.lockHeld, 'a lock that somebody kept, before the state of the service as a whole'],
    [Q.workersHeld, 'few long calls of one kind, before one at a time', [SPARED, ON_PURPOSE]],
    [Q.takersBusy, 'who should give the answer is another client: before the state of who only keeps it'],
    [Q.heldByOne, 'while one holds it, all kinds are slow', [AS_SOON, ON_PURPOSE]],
    [Q.polled, 'what waits between its calls, before the kind that is slow for it'],
    [Q.throttledBeside, 'whose work somebody else adds to is slow for its usual kinds too', [SPARED]],
    [Q.slowKind, 'one kind alone, before the whole service', [AS_SOON, ON_PURPOSE]],
    [Q.busy, 'whoever works through a jam is busy too', [AS_SOON, SPARED]],
    [Q.fewAtATime, 'a rhythm is more than a long wait', [AS_SOON, ON_PURPOSE]],
    [Q.overrun, 'it still answered, so that it did not hang', [ON_PURPOSE]],
    [Q.stoodStill, 'it went on afterwards, so that it did not hang for good', [SPARED, ON_PURPOSE]],
    [Q.hung, 'it did nothing at all; who is throttled does something', [ON_PURPOSE]],
    [Q.throttledThroughout, 'throttled in calm seconds too: what it does meanwhile may take its time all the same'],
    [Q.deadConnections, 'of answers that come no later than good ones: as of those that are over at once'],
    [Q.poolExhausted, 'as of those that are over at once'],
    [Q.givenBefore, 'as of those that are over at once'],
    [Q.ownAnswer, 'the last'],
  ],
};

/** What is asked of a step, in its order. @type {(Row & { unless: string[] })[]} */
export const STEP_QUESTIONS = Object.entries(ORDER).flatMap(([of, rows]) =>
  rows.map(([rule, before, unless = []]) => ({ ...rule, of, before, unless })),
);

/** @param {string} of @param {Step} step @param {string[]} [but] @returns {Why | null} */
const firstOf = (of, step, but = []) =>
  asksOf(
    STEP_QUESTIONS.filter((row) => row.of === of && !row.unless.some((one) => but.includes(one))),
    step,
  )[of](step);

/** @param {Step} step @returns {Why | null} null where what was sent reached it */
export const whyUnreached = (step) => firstOf('unreached', step);

/** @param {Step} step @returns {Why | null} of those that waited for a callee: what ended them all the same */
export const whyLimited = (step) => firstOf('limited', step);

/** @param {Step} step @returns {Why} */
export const whyHere = (step) => answerOf(step) ?? stands(step);

/** What was over at once stood nowhere. @param {Step} step */
function answerOf(step) {
  if (isOwn(step)) return firstOf('own', step);
  if (isBrokenOff(step)) return firstOf('broken-off', step);
  if (isAtOnce(step)) return firstOf('at-once', step);
  return firstOf('standing', step, [
    ...(isAsSoonAsGood(step) ? [AS_SOON] : []),
    ...(areOthersQuick(step) ? [SPARED] : []),
    ...(isOnPurpose(step) ? [ON_PURPOSE] : []),
  ]);
}
