/**
 * What a user's own Nginx wrote to its container's output: requests in the lab's format where that was laid over its configuration, in the
 * common form else, and its error log between them.
 */
import { bareRecord } from '../bare-record.js';
import { stampedLines } from '../log-lines.js';
import { countAccess } from '../opaque/access-log.js';
import { configuration, OWN_MARK } from './config.js';
import { parseErrorLog, readMessage } from './messages.js';
import { recordOf } from './read.js';

const PREFIX = `${OWN_MARK} `;
/** What the log says of a request is the client's to choose; a line that is cut or that is not the lab's is none. */
const NUMBERS = ['t', 'status', 'request_s', 'connection'];

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log, file }, about) {
  const { service, level, window } = about;
  if (level === 0 || log === '')
    return {
      ...bareRecord(about, 'nginx'),
      uncovered: [
        level === 0
          ? `the log of ${service} was not read: what it did with a request is not known`
          : `${service} wrote nothing to its output: what it did with a request is not known`,
      ],
    };
  const stamped = stampedLines(log);
  const lines = stamped.flatMap(({ text }) => readOwn(text));
  const errors = stamped.flatMap(({ t, text }) => parseErrorLog(text).map((line) => ({ ...line, t: inUtc(line.t, t) })));
  if (lines.length > 0) return { ...recordOf({ lines, errors, totals: [], conf: file(configuration.name) }, about), counters: {} };
  const counted = countAccess(log, window);
  const messages = errors.flatMap(readMessage).filter(({ t }) => t >= Math.floor(window.from) && t <= window.to + 1);
  return {
    ...bareRecord(about, 'nginx'),
    coverage: { requests: counted ? 'partial' : 'none', reasons: 'partial', limits: 'none' },
    uncovered: [
      `Nginx logs no ids by itself: which request ${service} lost cannot be said ("watch: 2" would)`,
      'by default Nginx hides its warnings, that of a full connection table among them',
    ],
    ...(counted
      ? { source: 'access log', received: counted.received, answered_ok: counted.answered_ok, answered_error: counted.answered_error }
      : {}),
    log_source: 'error log',
    messages,
  };
}

/** Zones differ by quarters of an hour (https://www.iana.org/time-zones). */
const ZONE_STEP_S = 900;

/**
 * The error log is in the container's own zone (`TZ`, /etc/localtime), and does not say which; the engine took the line at once.
 * @param {number} told   by the line, read as UTC
 * @param {number} taken  by the engine
 */
const inUtc = (told, taken) => told + Math.round((taken - told) / ZONE_STEP_S) * ZONE_STEP_S;

/** @param {string} text @returns {import('./access-line.js').AccessLine[]} */
function readOwn(text) {
  if (!text.startsWith(PREFIX)) return [];
  try {
    const line = JSON.parse(text.slice(PREFIX.length));
    return NUMBERS.every((name) => typeof line[name] === 'number') ? [line] : [];
  } catch {
    return [];
  }
}
