/**
 * Was it starved of CPU, by its quota or by somebody else, or busy with itself?
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { countsAt } from './moments.js';
import { share } from './spread.js';
import { counted, few, percent } from './text.js';

/** Of quota periods. A service at its quota is throttled in nearly all; a spike throttles in some. The lab's own choice. */
const THROTTLED_SHARE = 0.25;
/** Of quota periods: in so many, whoever asks it waits for its CPU. The lab's own choice. */
const THROUGHOUT_SHARE = 0.9;
/** What is as high in calm seconds explains nothing: at most this part of it. */
const CALM_PART = 0.5;
/** Of the machine: what is left is the kernel's own rounding and interrupts. */
const FULL_SHARE = 0.9;
/** A neighbour that took less of a core took nothing that was missed. The lab's own choice. */
const TAKEN_CORES = 0.25;
/** Of one core, or of its quota: a program with one thread can do no more. */
const BUSY_SHARE = 0.9;
const BUSY_CALM_PART = 0.75;
/** Of one core, of a program that meanwhile answers nobody and asks nobody: on a full machine it gets no more. The lab's own choice. */
const WORKING_SHARE = 0.5;
/** Of the calls of the time: an answer may be on its way. */
const ANSWERED_MOST = 0.1;
const ONE_CORE = 1;
/** Readings come once a second: fewer calm moments tell little. */
const CALM_LEAST = 2;

/** @param {Step} step @returns {Why | null} */
export function throttled({ readings, service, moments, calm }) {
  const [now, before] = [readings.use(service, moments), calmUse(readings, service, calm)];
  if (!now || now.throttled < THROTTLED_SHARE || (before && before.throttled > now.throttled * CALM_PART)) return null;
  return {
    mechanism: 'cpu-throttled',
    basis: 'timed',
    evidence: [
      `${service} was throttled in ${percent(now.throttled)} of its quota periods while requests failed${before ? `, in calm seconds in ${percent(before.throttled)}` : ''}.`,
    ],
    ...doubtOfCalm(before),
  };
}

/**
 * It stood still for most of the time, which is what those waited for that stood in it, and did so in seconds too in which requests were still
 * answered: when that began is not told by them. Asked last, for what it does meanwhile may take its time all the same.
 * @param {Step} step @returns {Why | null}
 */
export function throttledThroughout({ readings, service, moments, calm }) {
  const [now, before] = [readings.use(service, moments), calmUse(readings, service, calm)];
  if (!now || now.throttled < THROUGHOUT_SHARE) return null;
  return {
    mechanism: 'cpu-throttled',
    basis: 'inferred',
    evidence: [`${service} was throttled in ${percent(now.throttled)} of its quota periods, and used ${now.cores.toFixed(2)} cores.`],
    doubts: before ? [`it was throttled in ${percent(before.throttled)} of its periods in calm seconds too`] : doubtOfCalm(before).doubts,
  };
}

/** @param {Step} step @returns {Why | null} */
export function starved({ readings, service, moments, calm, path, seen }) {
  const [busy, still] = [readings.busy(moments), calm.length < CALM_LEAST ? null : readings.busy(calm)];
  if (busy === null || busy < FULL_SHARE) return null;
  const gains = readings.names.map((name) => ({
    name,
    now: readings.use(name, moments)?.cores ?? 0,
    before: calmUse(readings, name, calm)?.cores ?? 0,
  }));
  const [taker] = gains.toSorted((one, other) => other.now - other.before - (one.now - one.before));
  const isOnWay = (/** @type {string} */ name) => name === service || path.includes(name) || reached(seen, service).has(name);
  if (!taker || taker.now - taker.before < TAKEN_CORES || isOnWay(taker.name) || still === null) return null;
  return {
    mechanism: 'cpu-taken',
    basis: still < FULL_SHARE ? 'timed' : 'inferred',
    place: { service: taker.name },
    evidence: [
      `${taker.name} used ${taker.now.toFixed(2)} of ${few(readings.cores)} cores while requests failed, in calm seconds ${taker.before.toFixed(2)}.`,
      `The machine was ${percent(busy)} busy, in calm seconds ${percent(still)}.`,
      ...waitedText(readings, service, moments, calm),
      `Requests stood in ${service}, which waited for no callee.`,
    ],
    ...(still < FULL_SHARE ? {} : { doubts: ['the machine was as full in calm seconds: who else took its CPU then is not known'] }),
  };
}

/** What the kernel counts of it by itself, where it does. @param {Step['readings']} readings @param {string} service @param {number[]} moments @param {number[]} calm @returns {string[]} none or a sentence */
function waitedText(readings, service, moments, calm) {
  const [now, before] = [readings.strain(service, moments).cpu_wait, readings.strain(service, calm).cpu_wait];
  return now === null || before === null
    ? []
    : [`Tasks of ${service} waited for a CPU in ${percent(now)} of the time, in calm seconds in ${percent(before)}.`];
}

/** All that it asks, and they ask. @param {Step['seen']} seen @param {string} service */
function reached({ calleesOf }, service) {
  const all = new Set([service]);
  for (const one of all) for (const to of calleesOf(one)) all.add(to);
  return all;
}

/** @param {Step} step @returns {Why | null} */
export function busy(step) {
  const { readings, service, moments, calm } = step;
  const [now, before] = [readings.use(service, moments), calmUse(readings, service, calm)];
  const most = Math.min(ONE_CORE, readings.quotas[service] ?? ONE_CORE);
  if (!now || now.cores < WORKING_SHARE * most || (before && before.cores > now.cores * BUSY_CALM_PART)) return null;
  const isSilent = isWithoutCalls(step) && isWithoutAnswers(step);
  if (!isSilent && now.cores < BUSY_SHARE * most) return null;
  const queue = readings.queued(service, moments);
  return {
    mechanism: 'busy',
    basis: 'timed',
    evidence: [
      `${service} used ${now.cores.toFixed(2)} cores while requests failed${before ? `, in calm seconds ${before.cores.toFixed(2)}` : ''}.`,
      ...(queue && queue.middle > 0 ? [`${few(queue.middle)} connections waited to be accepted.`] : []),
      ...(isSilent
        ? [
            'It answered nobody and asked nobody meanwhile: a loop that does not end looks like this, and a collector of memory that runs all the time.',
          ]
        : []),
    ],
    ...doubtOfCalm(before),
  };
}

/** It was too busy to take connections: its kernel took none when the queue was full. @param {Step} step @returns {Why | null} */
export function busyUnreached(step) {
  const unanswered = step.failed.filter((call) => step.seen.sign[call] === 'unanswered').length;
  const why = unanswered * 2 > step.failed.length ? busy(step) : null;
  return why && { ...why, evidence: [...why.evidence, `${counted(unanswered)} connection requests got no answer.`] };
}

/** @param {Step} step */
const isWithoutCalls = ({ seen, service, moments }) =>
  countsAt(seen, seen.madeBy(service), seen.over, moments).every((count) => count === 0);

/** @param {Step} step */
function isWithoutAnswers({ seen, service, time }) {
  const during = seen.servedBy(service).filter((call) => seen.began[call] <= time.to && seen.over[call] >= time.from);
  return share(during.filter((call) => seen.calls[call].end === 'answered').length, during.length) <= ANSWERED_MOST;
}

/** @param {Step['readings']} readings @param {string} name @param {number[]} calm */
const calmUse = (readings, name, calm) => (calm.length < CALM_LEAST ? null : readings.use(name, calm));

/** @param {unknown} before */
const doubtOfCalm = (before) => (before ? {} : { doubts: ['no second of the load was calm, so that its usual CPU is not known'] });
