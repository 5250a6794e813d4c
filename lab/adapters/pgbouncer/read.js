/**
 * What PgBouncer recorded of a load: what it logged, and what its console said once a second.
 *
 * @typedef {import('../contract.js').Limit} Limit
 * @typedef {import('../whole-lines.js').Window} Window
 * @typedef {import('./state.js').State & { t: number }} Sample
 */
import { bareRecord } from '../bare-record.js';
import { countersOf, limitOf, sampledExtent, unsampled } from '../sampled.js';
import { isDuring } from '../whole-lines.js';
import { readLog } from './log.js';

/** A client that waited for as long may have left before PgBouncer ended its wait (query_wait_timeout, 120 s by default), without a line. */
const WAITED_LONG_S = 1;
const MICROSECONDS = 1e6;

/** @type {Record<string, (sample: any) => unknown>} */
const COUNTERS = {
  transactions: ({ totals }) => totals?.transactions,
  queries: ({ totals }) => totals?.queries,
  wait_us: ({ totals }) => totals?.wait_us,
};

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log, samples }, about) {
  const { service, level, window } = about;
  const said = readLog(level === 0 ? '' : log, about);
  const settings = samples.at(-1)?.settings ?? {};
  const waitedS = longestWait(samples, window);
  const limits = sampledExtent(samples, window);
  const silent = level === 0 ? 'its log was not read (level 0)' : whySilent(said.heard, settings);
  const unseen = whyUnseen(limits, waitedS);
  const heard = silent === null || said.messages.length > 0;
  return {
    ...bareRecord(about, 'pgbouncer'),
    coverage: { requests: 'none', reasons: heard ? (silent === null && unseen === null ? 'full' : 'partial') : 'none', limits },
    uncovered: [
      `PgBouncer knows no requests: a client that ${service} turned away belongs to no single one`,
      ...(silent === null ? [] : [`why ${service} turned a client away is not known: ${silent}`]),
      ...(unseen === null ? [] : [`a client that leaves while it waits for a connection of ${service} leaves no line: ${unseen}`]),
      ...(limits === 'none' && said.wait_us > 0
        ? [`by its own averages a query waited up to ${(said.wait_us / MICROSECONDS).toFixed(3)} s for a connection of ${service}`]
        : []),
      ...unsampled(service, samples, window, 'psql is not in its container, or its console did not let the lab in over the Unix socket'),
    ],
    messages: said.messages,
    counters: countersOf(samples, window, COUNTERS),
    limits: [...poolLimits(samples, window), ...clientLimit(samples, window)],
  };
}

/** Why the log does not tell every refusal; null where it does, as by default. @param {boolean} heard @param {any} settings */
function whySilent(heard, settings) {
  if (!heard) return 'it wrote nothing to its output (quiet, or to a file alone)';
  const off = ['log_pooler_errors', 'log_disconnections'].find((name) => settings[name] === '0');
  return off === undefined ? null : `${off} is 0`;
}

/** Why clients may have left unseen; null where none waited long. @param {import('../contract.js').Extent} sampled @param {number} waitedS */
function whyUnseen(sampled, waitedS) {
  if (waitedS >= WAITED_LONG_S) return `one waited for ${waitedS.toFixed(1)} s`;
  return sampled === 'full' ? null : 'how long they waited was not watched all the time';
}

/** @param {Sample[]} samples @param {Window} window */
const longestWait = (samples, window) =>
  Math.max(0, ...samples.filter(({ t }) => isDuring(t, window)).flatMap(({ pools = [] }) => pools.map(({ maxwait_s: waited }) => waited)));

/** One for each database, with its fullest pool: each user has a pool of its own, as large. @param {Sample[]} samples @param {Window} window @returns {Limit[]} */
function poolLimits(samples, window) {
  const databases = [...new Set(samples.flatMap(({ pools = [] }) => pools.map(({ database }) => database)))];
  return databases.flatMap((name) =>
    limitOf(
      databases.length === 1 ? 'server connections of the pool' : `server connections of the pool of ${name}`,
      samples,
      window,
      ({ sizes }) => sizes?.[name],
      ({ pools = [] }) => fullest(pools, name),
    ),
  );
}

/** @param {Sample[]} samples @param {Window} window @returns {Limit[]} */
const clientLimit = (samples, window) =>
  limitOf(
    'client connections',
    samples,
    window,
    ({ settings }) => Number(settings?.max_client_conn),
    ({ clients }) => clients,
  );

/** Busy connections of a database's fullest pool. @param {import('./state.js').Pool[]} pools @param {string} name */
const fullest = (pools, name) => Math.max(0, ...pools.filter(({ database }) => database === name).map(({ busy }) => busy));
