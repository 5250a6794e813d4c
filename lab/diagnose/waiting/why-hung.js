/**
 * A service that answered until a moment and never again, though nothing keeps it busy and it waits for nobody.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { GOOD_LEAST } from './asked.js';
import { countsAt } from './moments.js';
import { average } from './spread.js';
import { counted, few, seconds } from './text.js';
import { poolIdle } from './why-full.js';
import { mayAwaitLost } from './why-lost.js';
import { isBlind } from './why-own.js';

/** What a program uses that only keeps its timers. The lab's own choice. */
const IDLE_CORES = 0.1;
/** Shorter, and it may yet answer. As long as most callers wait at the least; the lab's own choice. */
const SILENT_LEAST_S = 5;
/** What was on its way when it stopped may still be answered. */
const ON_ITS_WAY_S = 0.5;
/** Waits of its own, for the mean of the moments: who waits for anybody may be held up by that. */
const WAITING_MOST = 0.5;

/** @param {Step} step @returns {Why | null} */
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
      ...(idle ? [`${idle.text} So does a pool whose connections were lost.`] : []),
    ],
  };
}
