/**
 * What is known of a Node service: of its output what says that a process died, and what the preload recorded in its processes.
 */
import { bareRecord } from '../bare-record.js';
import { countsOf, seenIn } from '../hop-counts.js';
import { withAccess } from '../opaque/access-log.js';
import { limitOf, sampledExtent, unsampled } from '../sampled.js';
import { isDuring } from '../whole-lines.js';
import { failedCalls } from './failed-calls.js';
import { readLog } from './log.js';
import { PRELOAD_LEVEL } from './overlay.js';
import { joinedRows, processesIn } from './processes.js';

/** Of the requests, that may lack a line: as of any log (../../analyse/ledger/unlisted.js). */
const LOST_SHARE = 0.01;
/** A status class, as it counts them. */
const FIRST_ERROR = '4xx';
/** A process that lives writes each second; one that wrote nothing for so long while others did has ended. */
const SILENT_S = 3;
/** From here on V8 does little else than collect garbage, before it gives up; the lab's own choice. */
const FULL_HEAP_SHARE = 0.95;

/**
 * @typedef {import('../contract.js').HopRecord} HopRecord
 * @typedef {import('../contract.js').Message} Message
 * @typedef {import('./processes.js').Process} Process
 */

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {HopRecord}
 */
export function read({ log, file }, about) {
  const messages = about.level === 0 ? [] : readLog(log, about.window);
  if (about.level < PRELOAD_LEVEL) return readOutput(log, about, messages);
  const processes = processesIn(file, about);
  const record = bareRecord(about, 'node');
  if (processes.length === 0) return { ...record, uncovered: [notLoaded(about.service)], messages };
  return { ...record, ...readProcesses(processes, about, messages) };
}

/** @type {(log: string, about: import('../contract.js').About, messages: Message[]) => HopRecord} */
function readOutput(log, about, messages) {
  const floor = `${about.service} is watched from outside: its container, and not single requests (watch: ${PRELOAD_LEVEL} gives each)`;
  return withAccess({ ...bareRecord(about, 'node'), uncovered: [floor], messages }, log, about);
}

/** @param {string} service */
const notLoaded = (service) =>
  `${service} left no record: it took no connection, runs a Node before 18.18 or none, starts its program without NODE_OPTIONS, has no HTTP server of Node’s own, or could not write to its record`;

/** @type {(processes: Process[], about: import('../contract.js').About, said: Message[]) => Partial<HopRecord>} */
function readProcesses(processes, about, said) {
  const { service, window } = about;
  const pulse = joinedRows(processes);
  const sightings = seenIn(
    processes.flatMap((process) => process.sightings),
    window,
  );
  const doubts = doubtsAbout(processes, service);
  // That a process died its record says, too.
  const others = said.filter(({ signal }) => signal !== 'worker-died');
  const messages = [...others, ...diedIn(processes, window), ...processes.flatMap(({ rows }) => failedCalls(rows, about))];
  return {
    coverage: { requests: doubts.length === 0 ? 'full' : 'partial', reasons: 'partial', limits: sampledExtent(pulse, window) },
    uncovered: [
      ...doubts,
      `what a request waited for inside ${service}, and why its program answered an error, is not on record`,
      `requests that Node itself refused (a malformed or too long one: 400, 408, 431), HTTP/2 and upgraded connections of ${service} are not on record`,
      ...unsampled(service, pulse, window, 'its processes ended before the load'),
    ],
    source: 'record of its processes',
    log_source: 'output and record',
    ...(isNamed(processes) ? countsOf(sightings) : countedIn(pulse, window)),
    sightings,
    messages: messages.toSorted((one, other) => one.t - other.t),
    limits: heapLimits(processes, window),
    pulse,
  };
}

/** Of the requests, that have to have an id, or those that have one are not the load's alone. The lab's own choice. */
const NAMED_SHARE = 0.5;

/** @param {Process[]} processes @param {(process: Process) => number} read */
const total = (processes, read) => processes.reduce((sum, process) => sum + read(process), 0);

/** Whether the load's requests are those that it has by their ids. @param {Process[]} processes */
function isNamed(processes) {
  const received = total(processes, ({ rows }) => rows.at(-1).received);
  return total(processes, ({ ofLoad }) => ofLoad) > 0 && total(processes, ({ rows }) => rows.at(-1).logged) >= received * NAMED_SHARE;
}

/**
 * What it counted in the load, whatever ids its requests had.
 * @param {any[]} pulse @param {import('../contract.js').About['window']} window
 */
function countedIn(pulse, { from }) {
  const [before, after] = [pulse.findLast(({ t }) => t <= from), pulse[pulse.length - 1]];
  const gained = (/** @type {(row: any) => number} */ read) => read(after) - (before ? read(before) : 0);
  const answered = (/** @type {any} */ row, /** @type {(status: string) => boolean} */ isWanted) =>
    Object.entries(row.answered).reduce((sum, [status, count]) => (isWanted(status) ? sum + count : sum), 0);
  const isError = (/** @type {string} */ status) => status >= FIRST_ERROR;
  return {
    received: gained(({ received }) => received),
    answered_ok: gained((row) => answered(row, (status) => !isError(status))),
    answered_error: gained((row) => answered(row, isError)),
    aborted: gained(({ aborted }) => aborted),
  };
}

/** Why requests may be missing, a sentence each. @type {(processes: Process[], service: string) => string[]} */
function doubtsAbout(processes, service) {
  const lost = total(processes, (process) => process.lost);
  const logged = total(processes, ({ rows }) => rows.at(-1).logged);
  const received = total(processes, ({ rows }) => rows.at(-1).received);
  const isForeign = total(processes, ({ ofLoad }) => ofLoad) === 0;
  const troubles = processes.flatMap(({ rows }) => rows.flatMap(({ trouble }) => trouble ?? []));
  return [
    ...(isForeign ? [`no request reached ${service} with the id that the load gave it (X-Request-Id)`] : []),
    ...(!isForeign && !isNamed(processes) ? [`${received - logged} of ${received} requests reached ${service} without an id`] : []),
    ...(isNamed(processes) ? [] : [`what ${service} counted has health checks among it`]),
    ...(lost > logged * LOST_SHARE
      ? [`${lost} of the ${logged} requests that ${service} wrote down are not in its record: it was killed`]
      : []),
    ...[...new Set(troubles)].map((text) => `the record of ${service} may have gaps: the preload met with "${text}"`),
  ];
}

/**
 * Processes of several that ended in the load: killed, so that they wrote no last line, or by themselves with an error. That the only one
 * ended the container engine tells.
 * @type {(processes: Process[], window: import('../contract.js').About['window']) => Message[]}
 */
function diedIn(processes, window) {
  return processes.flatMap(({ rows }, index) => {
    const { t, event, code } = rows.at(-1);
    const others = processes.filter((_, at) => at !== index);
    const isAlone = !others.some((other) => other.rows.some((row) => Math.abs(row.t - t - SILENT_S) <= 1));
    if (!isDuring(t, window) || isAlone || (event === 'stop' && code === 0)) return [];
    const how = event === 'stop' ? `ended with code ${code}` : 'wrote no last line, and no other after that';
    return [{ signal: /** @type {const} */ ('worker-died'), t, text: `process ${rows[0].pid}: ${how}` }];
  });
}

/** @param {number | undefined} bytes */
const inMb = (bytes) => (bytes === undefined ? undefined : Math.round(bytes / 1e6));

/** Of the process whose heap came nearest to its limit. @type {(processes: Process[], window: import('../contract.js').About['window']) => import('../contract.js').Limit[]} */
function heapLimits(processes, window) {
  const limits = processes.flatMap(({ rows }) =>
    limitOf(
      'heap',
      rows,
      window,
      ({ heap_limit_bytes: size }) => inMb(size),
      ({ heap_bytes: used }) => inMb(used),
    ),
  );
  const share = (/** @type {import('../contract.js').Limit} */ { size, used }) => Math.max(...used.map((reading) => reading.used)) / size;
  const [nearest] = limits.toSorted((one, other) => share(other) - share(one));
  return nearest ? [{ ...nearest, unit: 'MB', full: nearest.size * FULL_HEAP_SHARE }] : [];
}
