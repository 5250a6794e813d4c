/**
 * What became of the writes that a queue had taken, in words.
 *
 * @typedef {import('../record/result.js').Result} Result
 */
import { count, duration, milliseconds, percent, rate } from './format.js';

/** @param {Partial<Pick<Result, 'queue' | 'gone_writes'>> & Pick<Result, 'duration_s'>} result @returns {string | null} null where there is no queue, and of a result from before there were any */
export function queueText({ queue = null, gone_writes: gone, duration_s: seconds }) {
  if (queue === null || queue.accepted === 0) return null;
  const {
    accepted,
    completed,
    completed_in_load: inLoad,
    failed,
    left,
    lost,
    backlog,
    oldest_s: oldest,
    lag_ms: lag,
    drained_after_s: drained,
  } = queue;
  const ends = [
    `${count(completed)} were done (${percent(completed / accepted)})`,
    `${count(failed)} failed${failed > 0 ? ', and are gone' : ''}`,
    left === null ? 'how many are still in the queue is not known' : `${count(left)} are still in the queue`,
    // Beside writes that are gone nobody says that none was lost.
    ...(lost === null
      ? ['how many were lost is not known']
      : lost === 0 && (failed > 0 || (gone?.count ?? 0) > 0)
        ? []
        : [`${count(lost)} were lost`]),
  ];
  return [
    `${count(accepted)} writes were accepted, ${rate(accepted / seconds)}; ${rate(inLoad / seconds)} were done while the load went on.`,
    `Of all ${ends.join(', ')}.`,
    `The backlog reached ${count(Math.max(0, ...backlog))}, its oldest waited ${duration(Math.max(0, ...oldest))}${drained === null ? '' : `; the last was done ${duration(drained)} after the load`}.`,
    `From accepted to done: p50 ${milliseconds(lag.p50)}, p95 ${milliseconds(lag.p95)}, p99 ${milliseconds(lag.p99)}.`,
  ].join(' ');
}
