/**
 * Finds in a service's output that a process of its server ended: gunicorn's master and Uvicorn's say so. Several lines tell of
 * one end; a worker is named by its process.
 */
import { isDuring, wholeLines } from '../whole-lines.js';

/** Of gunicorn 19 to 23 (gunicorn/arbiter.py; 20.1 is Debian 12's), and of Uvicorn's supervisor. What matches is what is kept. */
const ENDED = [
  /\bWORKER TIMEOUT \(pid: ?(\d+)\)/,
  /\bWorker \(pid: ?(\d+)\) was sent \w+!( Perhaps out of memory\?)?/,
  /\bWorker with pid (\d+) was terminated due to signal \d+/,
  /\bWorker \(pid: ?(\d+)\) exited with code \d+/,
  /\bWorker exiting \(pid: ?(\d+)\)/,
  /\bChild process \[(\d+)\] died/,
];
/** A worker that has served its share (max_requests) ends between two requests, as it is meant to. */
const SERVED = /\[(\d+)\] \[INFO\] Autorestarting worker after current request/;
const BOOTED = /\bBooting worker with pid: \d+/;
/** Words after which a master boots workers that are in nobody's place, and that it boots them within. */
const BOOTS = /\bStarting gunicorn\b|\bHandling signal: (hup|ttin|usr2)\b/;
const BOOTS_S = 10;
/** Told to stop: its workers are to end. */
const STOPPED = /\bHandling signal: (term|int|quit)\b/;
/** Words after which a master ends workers itself, and how long it gives them: gunicorn's graceful_timeout. */
const ENDS = /\bHandling signal: (term|int|quit|hup|ttou|winch)\b/;
const ENDS_S = 30;

/**
 * @param {string} log
 * @param {import('../whole-lines.js').Window} window
 * @returns {import('../contract.js').Message[]} of the load, in the order of time
 */
export function readWorkers(log, window) {
  /** @type {import('../contract.js').Message[]} */
  const messages = [];
  /** @param {import('../contract.js').Signal} signal @param {number} t @param {string} text */
  const tell = (signal, t, text) => {
    if (isDuring(t, window)) messages.push({ signal, t, text });
  };
  /** Processes whose end is told. @type {Set<string>} */
  const told = new Set();
  /** Ends for which no new worker was booted yet. */
  let toReplace = 0;
  let bootsUntil = Number.NEGATIVE_INFINITY;
  let endsUntil = Number.NEGATIVE_INFINITY;
  for (const { t, text } of wholeLines(log)) {
    const stopped = STOPPED.exec(text);
    const booted = BOOTED.exec(text);
    const served = SERVED.exec(text);
    const ended = ENDED.map((pattern) => pattern.exec(text)).find((found) => found !== null);
    if (BOOTS.test(text)) bootsUntil = t + BOOTS_S;
    if (ENDS.test(text)) endsUntil = t + ENDS_S;
    if (stopped) tell('shut-down', t, stopped[0]);
    const process = (served ?? ended)?.[1];
    if (process !== undefined && !told.has(process) && t > endsUntil) {
      told.add(process);
      toReplace += 1;
      if (ended) tell('worker-died', t, ended[0]);
    }
    if (booted && toReplace > 0) toReplace -= 1;
    // A worker in the place of one whose end nothing told: killed, in a version that does not say so.
    else if (booted && t > bootsUntil) tell('worker-died', t, booted[0]);
  }
  return messages;
}
