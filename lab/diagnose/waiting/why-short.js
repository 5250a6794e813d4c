/**
 * Was it short of files, of memory, or did it wait for the disk? Each is asked of the service's own readings beside those of calm seconds:
 * what the whole machine waits for convicts nobody who does not use it.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { share } from './spread.js';
import { areOthersQuick } from './step.js';
import { counted, percent } from './text.js';

/** Readings come once a second: fewer calm moments tell little. */
const CALM_LEAST = 2;
/** Of the files that a process may have open: between two readings some are closed. The lab's own choice. */
const FILES_SHARE = 0.95;
/** Pages a second that come back from the disk: at 10 ms each, as of a turning disk, they are all of a thread's time. */
const REFAULTS_LEAST = 100;
/** Of the time, in which a task waited for memory, or for the disk: below it other time counts for more. The lab's own choices. */
const MEMORY_WAIT_SHARE = 0.1;
const DISK_WAIT_SHARE = 0.4;
/** Bytes a second that are more than a log. The lab's own choice. */
const DISK_LEAST = 64 * 1024;
/** More of a neighbour's, beside calm, may be what the disk was busy with. */
const DISK_TAKEN = 1024 * 1024;
/** What is less often as high in calm seconds has a lift. */
const LIFT_TIMES = 3;
const MEBI = 2 ** 20;

/** Connections are files. @param {Step} step @returns {Why | null} */
export function outOfDescriptors(step) {
  const { seen, readings, service, moments, calm, time } = step;
  const [now, before] = beside(calm, (at) => readings.strain(service, at).files, moments);
  if (now === null || now.open < FILES_SHARE * now.limit || (before !== null && before.open >= FILES_SHARE * before.limit)) return null;
  const isOnNew = (/** @type {number} */ call) => (seen.lineOf(call)?.connection.opened_at ?? 0) >= time.from;
  // Others were accepted meanwhile, and served.
  if (areOthersQuick(step, isOnNew)) return null;
  const queue = readings.queued(service, moments);
  return {
    mechanism: 'out-of-descriptors',
    title: `had ${counted(now.open)} files open of the ${counted(now.limit)} that it may have`,
    basis: before === null ? 'inferred' : 'timed',
    evidence: [
      `A process of ${service} had ${counted(now.open)} of ${counted(now.limit)} files open while requests failed${before === null ? '' : `, in calm seconds ${counted(before.open)}`}; each connection is one.`,
      ...(queue && queue.middle > 0 ? [`${counted(queue.middle)} connections waited to be accepted.`] : []),
    ],
    ...doubtOfCalm(before),
  };
}

/** No connection to it came about. @param {Step} step @returns {Why | null} */
export const outOfDescriptorsUnreached = (step) =>
  share(step.failed.filter(step.seen.isAttempt).length, step.failed.length) > 1 / 2 ? outOfDescriptors(step) : null;

/**
 * What it used was thrown out of memory and had to come back. Pages that come from the disk for the first time are a cold cache, and memory that
 * is full of a warm one is as it should be.
 * @param {Step} step @returns {Why | null}
 */
export function memoryShort({ readings, service, moments, calm }) {
  const [now, before] = beside(calm, (at) => readings.strain(service, at), moments);
  if (now === null) return null;
  const isWaiting = isLifted(now.memory_wait, before?.memory_wait, MEMORY_WAIT_SHARE);
  const isBack = isLifted(now.refaults, before?.refaults, REFAULTS_LEAST);
  if (!isWaiting && !isBack) return null;
  return {
    mechanism: 'memory-short',
    basis: before === null ? 'inferred' : 'timed',
    evidence: [
      ...(now.memory_limit === null ? [] : [`${service} may use ${mebibytes(now.memory_limit)} of memory.`]),
      ...(isWaiting
        ? [`Its tasks waited for memory in ${percent(now.memory_wait ?? 0)} of the time${usual(before?.memory_wait, percent)}.`]
        : []),
      ...(isBack
        ? [
            `${counted(now.refaults ?? 0)} pages a second that had been thrown out came back from the disk for it${usual(before?.refaults, counted)}.`,
          ]
        : []),
    ],
    ...doubtOfCalm(before),
  };
}

/** Many a store waits for its disk whenever it is asked: without calm seconds that says nothing. @param {Step} step @returns {Why | null} */
export function diskWait({ readings, service, moments, calm }) {
  const [now, before] = beside(calm, (at) => readings.strain(service, at), moments);
  if (now === null || before === null) return null;
  const isOwn = now.disk_wait !== null;
  const [wait, usualWait] = isOwn ? [now.disk_wait, before.disk_wait] : beside(calm, readings.machineDiskWait, moments);
  // Where the kernel counts waiting for the machine alone, it is no service's that does not use the disk.
  if (!isLifted(wait, usualWait, DISK_WAIT_SHARE) || (!isOwn && (now.disk_bytes ?? 0) < DISK_LEAST)) return null;
  return {
    mechanism: 'disk-wait',
    basis: isOwn ? 'timed' : 'inferred',
    evidence: [
      `${isOwn ? `Tasks of ${service}` : 'On the machine something'} waited for the disk in ${percent(wait ?? 0)} of the time while requests failed${usual(usualWait, percent)}.`,
      ...(now.disk_bytes === null
        ? []
        : [`${service} read and wrote ${mebibytes(now.disk_bytes)} a second there${usual(before.disk_bytes, mebibytes)}.`]),
      ...neighbourText(readings, service, moments, calm),
    ],
    ...(isOwn ? {} : { doubts: [`the kernel counts waiting for the disk for the whole machine alone, not for ${service}`] }),
  };
}

/** Who else kept the disk busy. @param {Step['readings']} readings @param {string} service @param {number[]} moments @param {number[]} calm @returns {string[]} none or a sentence */
function neighbourText(readings, service, moments, calm) {
  const gains = readings.names
    .filter((name) => name !== service)
    .map((name) => {
      const [now, before] = beside(calm, (at) => readings.strain(name, at).disk_bytes, moments);
      return { name, now: now ?? 0, before };
    });
  const [most] = gains.toSorted((one, other) => gainOf(other) - gainOf(one));
  if (!most || gainOf(most) < DISK_TAKEN) return [];
  return [`${most.name} read and wrote ${mebibytes(most.now)} a second there${usual(most.before, mebibytes)}.`];
}

/** @param {{ now: number, before: number | null }} read */
const gainOf = ({ now, before }) => now - (before ?? 0);

/** @template T @param {number[]} calm @param {(moments: number[]) => T | null} read @param {number[]} moments @returns {[T | null, T | null]} at the failed, and in calm; null where there was too little of it */
const beside = (calm, read, moments) => [read(moments), calm.length < CALM_LEAST ? null : read(calm)];

/** @param {number | null | undefined} now @param {number | null | undefined} before @param {number} least */
const isLifted = (now, before, least) => typeof now === 'number' && now >= least && (before ?? 0) * LIFT_TIMES <= now;

/** @param {number | null | undefined} before @param {(number: number) => string} text */
const usual = (before, text) => (typeof before === 'number' ? `, in calm seconds ${text(before)}` : '');

/** @param {number} bytes */
const mebibytes = (bytes) => `${(bytes / MEBI).toFixed(1)} MiB`;

/** @param {unknown} before @returns {{ doubts?: string[] }} */
const doubtOfCalm = (before) => (before === null ? { doubts: ['no second of the load was calm, so that what is usual is not known'] } : {});
