/**
 * Reads Redis' log. It tells of the server's own troubles; what clients are refused is counted (info.js) and not logged.
 */
import { isDuring, wholeLines } from '../whole-lines.js';

/** "1:M 21 Nov 2026 20:00:01.123 # text": process, role, time, level (serverLogRaw in server.c). */
const LINE = /^\d+:[XCSM] \d+ \w+ (?:\d{4} )?[\d:.]+ ([.*#-]) (.*)$/;
/** What a signal's handler writes has no level. */
const FROM_SIGNAL = /^\d+:signal-handler \(\d+\) (.*)$/;

/** First match wins; what matches is what is kept. Of 7.0 (src/server.c, networking.c, rdb.c, aof.c). @type {[import('../contract.js').Signal, RegExp][]} */
const MESSAGES = [
  ['shut-down', /^Received SIG\w+ scheduling shutdown/],
  ['shut-down', /^User requested shutdown/],
  ['shut-down', /^\w+ is now ready to exit/],
  ['shut-down', /\bcrashed by signal: \d+/],
  // It says so at its start alone: within the load it was gone before.
  ['shut-down', /^(Server started|oO0OoO0OoO0Oo \w+ is starting)/],
  ['out-of-memory', /^Out Of Memory allocating \d+ bytes/],
  ['out-of-memory', /^Can't (save|rewrite append only file) in background: fork: Cannot allocate memory/],
  ['out-of-memory', /\bOOM command not allowed/],
  ['connections-exhausted', /\bmax number of clients reached/],
  ['proxy_internal_error', /^Accepting client connection: accept: (Too many open files|Cannot allocate memory)/],
  ['slow', /^Asynchronous AOF fsync is taking too long/],
  ['slow', /^(Lua slow|Slow) script detected: still in execution after \d+ milliseconds/],
  ['server-error', /^Background saving error/],
  ['server-error', /^Background AOF rewrite terminated (with error|by signal \d+)/],
  ['server-error', /\bMISCONF\b/],
  ['server-error', /\bclosed (ASAP )?for overcoming of output buffer limits/],
  // Up to a colon the words are Redis' own.
  ['server-error', /^(Write error|Error) [A-Za-z ]+/],
];

/**
 * @param {string} log
 * @param {import('../whole-lines.js').Window} window
 * @returns {{ messages: import('../contract.js').Message[], heard: boolean }} heard: a line was Redis' own
 */
export function readLog(log, window) {
  /** @type {import('../contract.js').Message[]} */
  const messages = [];
  let heard = false;
  for (const { t, text } of wholeLines(log)) {
    const said = LINE.exec(text)?.[2] ?? FROM_SIGNAL.exec(text)?.[1];
    if (said === undefined) continue;
    heard = true;
    const message = isDuring(t, window) ? messageIn(t, said) : null;
    if (message) messages.push(message);
  }
  return { messages, heard };
}

/** @param {number} t @param {string} said @returns {import('../contract.js').Message | null} */
function messageIn(t, said) {
  for (const [signal, pattern] of MESSAGES) {
    const found = pattern.exec(said);
    if (found) return { signal, t, text: found[0].trim() };
  }
  return null;
}
