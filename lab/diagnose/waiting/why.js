/**
 * Why requests fail at a service: questions in a fixed order, each with its own reading; the first that has an answer gives it. None is asked
 * by time alone: an answer has to be that of most of the failed and of hardly any good ones, or higher than in calm seconds.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { areOthersQuick, isAsSoonAsGood, isAtOnce, isBrokenOff, isOwn } from './step.js';
import { counted, ended, few, percent, seconds } from './text.js';
import { circle } from './why-circle.js';
import { toldByCode } from './why-code.js';
import { busy, busyUnreached, starved, throttled, throttledThroughout } from './why-cpu.js';
import { deadConnections } from './why-dead.js';
import { poolExhausted } from './why-exhausted.js';
import { fewAtATime, overrun } from './why-few.js';
import { poolFull, poolHeld, poolIdle, workersIdle, workersTaken } from './why-full.js';
import { calleeGone, gone, noConnection, raced, staleAddress } from './why-gone.js';
import { workersHeld } from './why-held.js';
import { hung } from './why-hung.js';
import { heldByOne, lockHeld, lockReleased } from './why-lock.js';
import { lockTold } from './why-lock-told.js';
import { packetsLost } from './why-lost.js';
import { lookupFailed, nameUnanswered } from './why-name.js';
import { outside } from './why-outside.js';
import { brokenOff, checksFailed, noPorts, ownAnswer } from './why-own.js';
import { diskWait, memoryShort, outOfDescriptors, outOfDescriptorsUnreached } from './why-short.js';
import { slowestText, slowKind } from './why-slow.js';
import { triedBefore } from './why-tried.js';

/**
 * The order is that in which one hides another: what is dead answers nobody, what is short of CPU fills its pools and takes its workers, and a
 * full pool keeps the CPU idle. Files come first, since without one there is neither a connection nor a lookup; a lock with whose end the
 * waits end, or that the service tells of by itself, before what only happened at the same time; being short of memory before the disk, which it keeps busy; and being busy last, for
 * whoever works through a jam is busy too.
 */

/** Whether it was there, before whom it asked is looked at. A host outside, or whom names are asked of, is followed no further. */
const REACHED = [lookupFailed, raced, outside, staleAddress, gone, calleeGone, outOfDescriptorsUnreached, busyUnreached, noConnection];
/** Of answers that no bad call goes with. */
const OWN = [outOfDescriptors, toldByCode, checksFailed, noPorts, nameUnanswered, deadConnections, poolExhausted, triedBefore, ownAnswer];
/**
 * Of requests that stand in it; `waiting` explains nothing of what comes no later than good answers do, and what befalls the whole service
 * nothing of what others of the kind are spared.
 */
const STANDING = {
  full: [
    circle,
    outOfDescriptors,
    lockReleased,
    throttled,
    starved,
    poolHeld,
    poolFull,
    workersTaken,
    workersIdle,
    noPorts,
    nameUnanswered,
  ],
  waiting: [lockTold, memoryShort, diskWait, packetsLost],
  held: [toldByCode, lockHeld, workersHeld, heldByOne, slowKind, busy, fewAtATime, overrun, hung, throttledThroughout],
};

const OF_ALL = new Set([
  throttled,
  starved,
  poolHeld,
  poolFull,
  workersTaken,
  memoryShort,
  diskWait,
  packetsLost,
  busy,
  workersHeld,
  fewAtATime,
]);

/** @param {((step: Step) => Why | null)[]} questions @param {Step} step @returns {Why | null} */
function firstOf(questions, step) {
  for (const question of questions) {
    const why = question(step);
    if (why) return why;
  }
  return null;
}

/** @param {Step} step @returns {Why | null} null where what was sent reached it */
export const whyUnreached = (step) => firstOf(REACHED, step);

/** @param {Step} step @returns {Why} */
export const whyHere = (step) => firstOf(questionsOf(step), step) ?? stands(step);

/** What was over at once stood nowhere. @param {Step} step */
function questionsOf(step) {
  if (isOwn(step)) return OWN;
  if (isBrokenOff(step)) return [outOfDescriptors, brokenOff];
  if (isAtOnce(step)) return [outOfDescriptors];
  const { full, waiting, held } = STANDING;
  const questions = isAsSoonAsGood(step) ? [...full, ...held, deadConnections, poolExhausted, ownAnswer] : [...full, ...waiting, ...held];
  return areOthersQuick(step) ? questions.filter((question) => !OF_ALL.has(question)) : questions;
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
      ...(queue && queue.middle > 0 ? [`${few(queue.middle)} connections waited to be accepted.`] : []),
      ...(idle ? [idle.text] : []),
      ...slowestText(step),
    ],
  };
}
