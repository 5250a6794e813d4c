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
    const trigger = log
      .slice(Math.max(0, index - LOOK_BACK), index)
      .reverse()
      .find(({ id, connection, address }) => id !== 'benched' && connection === message.connection && address === message.address);
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

/** @param {import('../balancer.js').AccessLine} line @param {number} second */
const isAt = (line, second) => line.t >= second && line.t - line.request_s < second + 1;

/** Lines of other connections may lie between the two; Nginx writes them in one go. */
const LOOK_BACK = 50;
