/**
 * Times in which Nginx left a server out after failures (`max_fails`, `fail_timeout`), and what set each off: the failed attempt
 * that is logged next to it, of the same client's connection and server.
 *
 * @typedef {import('./messages.js').LogMessage} LogMessage
 */
import { serviceAt } from '../hop-counts.js';

/** Lines of other connections may lie between the two; Nginx writes them in one go. */
const LOOK_AROUND = 50;
/** It may go on in the next second. */
const APART_S = 1;

/**
 * @param {LogMessage[]} log  of the whole record: who was left out in the warm-up may still be so
 * @param {import('./access-line.js').AccessLine[]} lines  of the whole record
 * @param {{ names: Map<string, string>, benchedS: number }} about
 * @returns {import('../contract.js').Bench[]}
 */
export function benchesOf(log, lines, { names, benchedS }) {
  return log.flatMap((message, index) => {
    if (message.signal !== 'benched') return [];
    const trigger = nearest(log, index);
    return [
      {
        node: message.to === undefined ? 'a service' : serviceAt(message.to, names),
        // The second that the log names has begun, and may be over by then.
        from: message.t,
        to: message.t + 1 + benchedS,
        trigger: trigger?.signal ?? null,
        line: trigger?.text ?? message.text,
        request: lines.find((line) => line.connection === message.connection && isAt(line, message.t))?.id ?? null,
      },
    ];
  });
}

/**
 * Nginx says why an attempt failed before it leaves the server out, but for a time-out, of which it says so after.
 * @param {LogMessage[]} log
 * @param {number} index of the message that the server was left out
 */
function nearest(log, index) {
  const isOwn = (/** @type {LogMessage | undefined} */ other) =>
    other !== undefined &&
    other.signal !== 'benched' &&
    other.connection === log[index].connection &&
    other.to === log[index].to &&
    Math.abs(other.t - log[index].t) <= APART_S;
  for (let away = 1; away <= LOOK_AROUND; away += 1)
    for (const other of [log[index - away], log[index + away]]) if (isOwn(other)) return other;
  return undefined;
}

/** @param {import('./access-line.js').AccessLine} line @param {number} second */
const isAt = (line, second) => line.t >= second && line.t - line.request_s < second + 1;
