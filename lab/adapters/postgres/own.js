/**
 * What PostgreSQL logged of the lab's own questions. It refuses, cancels and times them as it does a client's, and none of it is the
 * system's.
 *
 * @typedef {import('../contract.js').Message} Message
 * @typedef {Message & { pid: number | null }} Logged  pid: of the process that says it, where the line begins with it
 */

/** Such a line is met at most so long before or after its sample's time. */
const NEAR_S = 1.5;
/** The lab asks once a second. */
const EVERY_S = 1;
const CANCELLED = /canceling statement due to statement timeout/;

/**
 * @param {Logged[]} messages  of the load
 * @param {any[]} samples
 * @param {{ from: number, to: number }} window
 * @returns {Message[]} those of clients
 */
export function withoutOwn(messages, samples, window) {
  const pids = new Set(samples.flatMap(({ pid }) => pid ?? []));
  let left = messages.filter(({ pid }) => pid === null || !pids.has(pid));
  /** For each moment the nearest one. @type {(moments: number[], isOwn: (message: Logged) => boolean) => void} */
  const leaveOut = (moments, isOwn) => {
    for (const moment of moments) {
      const [near] = left
        .filter((message) => isOwn(message) && Math.abs(message.t - moment) <= NEAR_S)
        .toSorted((one, other) => Math.abs(one.t - moment) - Math.abs(other.t - moment));
      left = left.filter((message) => message !== near);
    }
  };
  const times = (/** @type {any[]} */ some) => some.map(({ t }) => t);
  leaveOut(times(samples.filter(({ refused }) => refused)), ({ signal }) => signal === 'connections-exhausted');
  leaveOut(times(samples.filter(({ failed }) => failed)), ({ signal }) => signal === 'server-error' || signal === 'shut-down');
  leaveOut(unansweredIn(times(samples), window), ({ text }) => CANCELLED.test(text));
  return left.map(({ pid, ...message }) => message);
}

/**
 * Moments at which the lab asked and had no answer in time: the server then ends the question, as it ends a client's. Where it never had one,
 * nothing says that its questions came there.
 * @type {(times: number[], window: { from: number, to: number }) => number[]}
 */
function unansweredIn(times, { from, to }) {
  if (times.length === 0) return [];
  const moments = [...(times[0] > from ? [from] : []), ...times, ...(times[times.length - 1] < to ? [to] : [])];
  return moments.slice(1).flatMap((t, index) => {
    const missing = Math.max(0, Math.round((t - moments[index]) / EVERY_S) - 1);
    return Array.from({ length: missing }, (_, at) => moments[index] + (at + 1) * EVERY_S);
  });
}
