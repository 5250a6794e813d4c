/**
 * Times in which the balancer left a node out after failures (Nginx: `max_fails`, `fail_timeout`), and what set each off: the
 * failed attempt that is logged just before, of the same client's connection and node.
 *
 * @typedef {object} Bench
 * @property {string} node
 * @property {number} from        seconds since 1970; the log has whole seconds
 * @property {number} to
 * @property {string} trigger     kind of the message that says why the attempt failed
 * @property {string} line        of the error log
 * @property {string | null} request  id of the request whose attempt it was
 */

/**
 * @param {import('../balancer.js').BalancerRecord} balancer
 * @param {import('../balancer.js').AccessLine[]} lines of the whole record
 * @param {Map<string, string>} names  address to service
 * @returns {Bench[]}
 */
export function benchesOf({ benchLog: log, failTimeoutS }, lines, names) {
  return log.flatMap((message, index) => {
    if (message.id !== 'benched') return [];
    const node = names.get(message.address ?? '') ?? message.address ?? 'a node';
    const trigger = nearest(log, index);
    return [
      {
        node,
        // The second that the log names has begun, and may be over by then.
        from: message.t,
        to: message.t + 1 + failTimeoutS,
        trigger: trigger?.id ?? 'unknown',
        line: trigger?.text ?? message.text,
        request: lines.find((line) => line.connection === message.connection && isAt(line, message.t))?.id ?? null,
      },
    ];
  });
}

/**
 * The message of the same client's connection and node that stands nearest. Nginx says why an attempt failed before it leaves the node
 * out, but for a time-out, of which it says so after.
 * @param {import('../balancer.js').Message[]} log
 * @param {number} index of the message that the node was left out
 */
function nearest(log, index) {
  const isOwn = (/** @type {import('../balancer.js').Message | undefined} */ other) =>
    other !== undefined && other.id !== 'benched' && other.connection === log[index].connection && other.address === log[index].address;
  for (let away = 1; away <= LOOK_AROUND; away += 1)
    for (const other of [log[index - away], log[index + away]]) if (isOwn(other)) return other;
  return undefined;
}

/** @param {import('../balancer.js').AccessLine} line @param {number} second */
const isAt = (line, second) => line.t >= second && line.t - line.request_s < second + 1;

/** Lines of other connections may lie between the two; Nginx writes them in one go. */
const LOOK_AROUND = 50;
