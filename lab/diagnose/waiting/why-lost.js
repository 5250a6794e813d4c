/**
 * Were packets lost on the way to it, or to whom it asks? The wire shows those that were sent again, connection by connection; how often a
 * kernel waited without success until it sent again, each container's own counter.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { asks, usageOf } from './asked.js';
import { share } from './spread.js';
import { counted, percent } from './text.js';

/** Readings come once a second: fewer calm moments tell little. */
const CALM_LEAST = 2;
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

/** @param {Step} step @returns {Why | null} */
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

/** Connections that were open while requests failed. @param {Step} step @param {string} from @param {string} to */
const linesOn = ({ seen, time }, from, to) =>
  seen
    .lines(from, to)
    .filter(
      ({ connection: { opened_at: opened, ended_at: ended, calls } }) =>
        calls > 0 && opened <= time.to && (ended ?? Number.POSITIVE_INFINITY) >= time.from,
    );

/** @param {Step} step @param {ReturnType<typeof linesOn>} lines */
const isSentAgain = ({ time }, lines) =>
  lines.length > 0 &&
  share(lines.filter(({ connection: { again, again_at: at } }) => again > 0 && (at ?? 0) >= time.from).length, lines.length) >= LINES_SHARE;

/** Whether it may wait for an answer to what was lost, which is no call yet. @param {Step} step */
export const mayAwaitLost = (step) => step.seen.calleesOf(step.service).some((to) => isSentAgain(step, linesOn(step, step.service, to)));

/** How often a second their kernels sent again after having waited for it. @param {Step} step @param {string[]} names @returns {{ now: number, before: number | null } | null} null where that was no more than in calm seconds */
function timeoutsOf({ readings, moments, calm }, names) {
  const rateAt = (/** @type {number[]} */ at) => {
    const found = names.flatMap((name) => readings.strain(name, at).timeouts ?? []);
    return found.length === 0 ? null : found.reduce((sum, rate) => sum + rate, 0);
  };
  const [now, before] = [rateAt(moments), calm.length < CALM_LEAST ? null : rateAt(calm)];
  return now === null || now <= 0 || (before ?? 0) * LIFT_TIMES > now ? null : { now, before };
}

/** @param {Step} step @param {string} from @param {string} to @param {{ now: number, before: number | null }} timeouts @returns {Why} */
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
