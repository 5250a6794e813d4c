/**
 * Finds in the output of a Node service that a process of it died. Of a line only what matches is kept.
 *
 * @typedef {import('../contract.js').Message} Message
 */
import { isDuring, wholeLines } from '../whole-lines.js';

/** @type {[import('../contract.js').Signal, RegExp][]} */
const MEANINGS = [
  // V8's last words: https://github.com/nodejs/node/blob/main/src/node_errors.cc (OnFatalError, OOMErrorHandler)
  ['out-of-memory', /\bFATAL ERROR: .*(JavaScript heap out of memory|Allocation failed|invalid table size)/],
  // The last line of an error that nobody caught, since Node 17 (node_errors.cc, PrintUncaughtException).
  ['worker-died', /^Node\.js v\d+\.\d+\.\d+$/],
];

/**
 * @param {string} log
 * @param {import('../contract.js').About['window']} window
 * @returns {Message[]} of the load
 */
export const readLog = (log, window) =>
  wholeLines(log)
    .filter(({ t }) => isDuring(t, window))
    .flatMap(({ t, text }) =>
      MEANINGS.flatMap(([signal, pattern]) => {
        const found = pattern.exec(text);
        return found ? [{ signal, t, text: signal === 'worker-died' ? 'a process ended of an error nobody caught' : found[0] }] : [];
      }),
    );
