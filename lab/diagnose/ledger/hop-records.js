/**
 * What the adapters read of the services of a run.
 */

import { countsOf } from '../../adapters/hop-counts.js';
import { adapterOf } from '../../adapters/registry.js';
import { NotReadyError } from '../../base/errors.js';
import { isHeldBack, limitBetween, SATURATED_SHARE } from '../limits/saturation.js';

/**
 * Services of several containers behind one name. A proxy that was given the name logs the name, and not which container it asked: the
 * container that has the request on record says so.
 *
 * @typedef {import('../../adapters/contract.js').HopRecord} HopRecord
 * @typedef {import('../../adapters/contract.js').RequestRecord} RequestRecord
 * @typedef {import('../../adapters/contract.js').UpstreamAttempt} UpstreamAttempt
 */

/**
 * @param {{ name: string, service?: string }[]} services  name: of the container; service: Compose's, common to several
 * @returns {Map<string, string[]>} containers by the name that they have in common; only where there are several
 */
export function replicasOf(services) {
  /** @type {Map<string, string[]>} */
  const all = new Map();
  for (const { name, service = name } of services) all.set(service, [...(all.get(service) ?? []), name]);
  return new Map([...all].filter(([, names]) => names.length > 1));
}

/**
 * @param {HopRecord[]} hops
 * @param {Map<string, string[]>} replicas
 * @returns {HopRecord[]} that name the container where it is on record; what none has seen keeps the common name
 */
export function withReplicas(hops, replicas) {
  if (replicas.size === 0) return hops;
  const seen = new Map([...replicas].map(([common, names]) => [common, sightedIn(hops, names)]));
  return hops.map((record) => {
    const common = [...replicas.keys()].filter((name) => record.requestRecords.some(({ asked }) => asked.some(({ to }) => to === name)));
    if (common.length === 0) return record;
    const requestRecords = record.requestRecords.map((requestRecord) =>
      common.reduce((known, name) => named(known, name, seen.get(name)?.get(requestRecord.id) ?? []), requestRecord),
    );
    return { ...record, requestRecords, asked_by_name: common };
  });
}

/** Which of these had a request, in the order of time. @param {HopRecord[]} hops @param {string[]} names @returns {Map<string, string[]>} */
function sightedIn(hops, names) {
  const all = hops.filter(({ service }) => names.includes(service)).flatMap(({ requestRecords }) => requestRecords);
  /** @type {Map<string, string[]>} */
  const byId = new Map();
  for (const { id, service } of all.toSorted((one, other) => one.received - other.received))
    if (id !== '') byId.set(id, [...(byId.get(id) ?? []), service]);
  return byId;
}

/**
 * As many attempts as containers saw are theirs, in their order: all of them, or else those that were answered. Where neither is so many,
 * nobody knows which.
 * @param {RequestRecord} requestRecord @param {string} common @param {string[]} saw
 */
function named(requestRecord, common, saw) {
  const open = requestRecord.asked.filter(({ to }) => to === common);
  const theirs = [open, open.filter(({ status }) => status !== null)].find(({ length }) => length === saw.length);
  if (open.length === 0 || saw.length === 0 || theirs === undefined) return requestRecord;
  const names = new Map(theirs.map((attempt, index) => [attempt, saw[index]]));
  return { ...requestRecord, asked: requestRecord.asked.map((attempt) => renamed(attempt, names.get(attempt))) };
}

/** @param {UpstreamAttempt} attempt @param {string | undefined} to @returns {UpstreamAttempt} */
const renamed = (attempt, to) =>
  to === undefined ? attempt : { ...attempt, to, message: attempt.message === null ? null : { ...attempt.message, to } };

/**
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../time/window.js').Window} window
 * @param {{ names: Map<string, string>, replicas: Map<string, string[]> }} about  names: address to service
 * @returns {HopRecord[]}
 * @throws {NotReadyError} when the record is of a product that no adapter reads
 */
export function hopsIn(raw, window, { names, replicas }) {
  const adapted = raw.adapted.map(({ service, tier, product, level, files }) => {
    const adapter = adapterOf(product);
    if (adapter === null)
      throw new NotReadyError(
        `manifest: expected a product that the lab knows for ${service}; found "${product}".`,
        'analyse it with the version that measured it.',
      );
    return ofLoad(adapter.read(files, { service, tier, level, names, window }));
  });
  return withReplicas(adapted, replicas);
}

/** Of a service's requests, that have to have the load's ids, or those that have none are not health checks alone. The lab's own choice. */
const NAMED_SHARE = 0.5;
/** By a proxy in the place of the load's: 32 hexadecimal digits, or a UUID. */
const MADE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Where requests are on record by their ids, those without one are not the load's: health checks, or other users. Where most have none, the
 * load's are among them, and the count of all is what is known.
 * @param {HopRecord} record
 * @returns {HopRecord}
 */
function ofLoad(record) {
  if (record.coverage.requests !== 'full' || record.only_load) return record;
  const { service, coverage, uncovered } = record;
  const requestRecords = record.requestRecords.filter(({ id }) => id !== '' && !MADE_ID.test(id));
  if (requestRecords.length >= record.requestRecords.length * NAMED_SHARE)
    return { ...record, ...countsOf(requestRecords), requestRecords };
  const without = `${record.requestRecords.length - requestRecords.length} of ${record.requestRecords.length} requests`;
  return {
    ...record,
    coverage: { ...coverage, requests: 'partial' },
    uncovered: [
      `${without} reached ${service} without the id that the load gave them (X-Request-Id): they cannot be told apart`,
      ...uncovered,
    ],
  };
}

/**
 * With what services say of themselves once a second: a user's own program may keep the same record as the lab's.
 * @param {import('../read-raw.js').Raw} raw
 * @param {HopRecord[]} hops
 * @returns {import('../read-raw.js').Raw}
 */
export function withHeartbeats(raw, hops) {
  const reported = hops.flatMap(({ service, heartbeat = [] }) =>
    heartbeat.length > 0 ? [/** @type {const} */ ([service, heartbeat])] : [],
  );
  return reported.length === 0 ? raw : { ...raw, nodes: { ...raw.nodes, ...Object.fromEntries(reported) } };
}

/**
 * What services logged of single requests, as a node's log tells it. What the proxy logged that users talk to is told apart.
 * @param {HopRecord[]} hops
 * @param {string | null} entryProxy
 * @param {Set<string>} wanted  ids
 * @param {import('../read-raw.js').Raw['attempts']} known  of nodes
 * @returns {import('../read-raw.js').Raw['attempts']} both
 */
export function attemptsIn(hops, entryProxy, wanted, known) {
  const all = new Map(known);
  for (const { service, requestRecords } of hops.filter((hop) => hop.service !== entryProxy)) {
    for (const { id, received, ended, outcome, status, error, place } of requestRecords.filter((seen) => wanted.has(seen.id)))
      all.set(id, [...(all.get(id) ?? []), { node: service, received, ended, outcome, status, error, place }]);
  }
  return all;
}

/**
 * Times in which a service had nothing left of something, by readings taken once a second: of files that it may open, of CPU, of the
 * connections of its pool.
 *
 * @typedef {{ name: string, from: number, to: number }} Exhaustion  seconds since 1970
 *
 * @typedef {object} Exhaustions
 * @property {Exhaustion[]} files  its process had as many open as it may
 * @property {Exhaustion[]} cpu    it used up its quota of the time
 * @property {Exhaustion[]} queue  requests stood before a node's pool at each reading
 * @property {Exhaustion[]} pool   a node's pool gave out no connection, though requests waited: none that was out came back
 */

/** Readings are taken once a second; of a node that was late to take its own, nobody can say what its pool did. */
const READING_S = 1;
const LATE_S = 2;
/** For which no connection of a pool came back: the same as for a standstill (lives.js), which this is of what is behind the pool. */
const HELD_S = 3;

/** @param {Pick<import('../read-raw.js').Raw, 'manifest' | 'containers' | 'nodes'>} raw @returns {Exhaustions} */
export function resourceExhaustion({ manifest, containers, nodes }) {
  const services = /** @type {{ name: string, cpu_quota_cores: number | null }[]} */ (manifest.services ?? []);
  const rowsOf = (/** @type {string} */ name) => containers.filter((row) => row.name === name);
  return {
    files: services.flatMap(({ name }) => fullFiles(name, rowsOf(name))),
    cpu: services.flatMap(({ name, cpu_quota_cores: quota }) => usedUp(name, quota, rowsOf(name))),
    queue: Object.entries(nodes).flatMap(([name, rows]) => spansOf(name, rows, hasQueue)),
    pool: Object.entries(nodes).flatMap(([name, rows]) => heldPools(name, rows)),
  };
}

/** @param {string} name @param {any[]} rows @returns {Exhaustion[]} */
const fullFiles = (name, rows) =>
  rows.flatMap(({ t, fds }) =>
    fds && fds.limit !== null && fds.open_files >= fds.limit * SATURATED_SHARE ? [{ name, from: t - READING_S, to: t }] : [],
  );

/** @param {string} name @param {number | null} quota @param {any[]} rows @returns {Exhaustion[]} */
const usedUp = (name, quota, rows) =>
  rows.slice(1).flatMap((row, index) => {
    const before = rows[index];
    return row.t > before.t && (isLimitUsed(quota, before, row) || isHeldBack(before, row)) ? [{ name, from: before.t, to: row.t }] : [];
  });

/** @param {number | null} planned @param {any} before @param {any} after */
function isLimitUsed(planned, before, after) {
  const limit = limitBetween(planned, before, after);
  return limit !== null && (after.cpu_s - before.cpu_s) / (after.t - before.t) >= limit * SATURATED_SHARE;
}

/** @param {string} name @param {any[]} rows of a node @returns {Exhaustion[]} */
const heldPools = (name, rows) => spansOf(name, rows, isHeld).filter(({ from, to }) => to - from >= HELD_S);

/**
 * @param {string} name @param {any[]} rows of a node
 * @param {(before: any, after: any) => boolean} is  so between two readings
 * @returns {Exhaustion[]} each without a break
 */
function spansOf(name, rows, is) {
  /** @type {Exhaustion[]} */
  const spans = [];
  for (const [index, row] of rows.slice(1).entries()) {
    if (!is(rows[index], row)) continue;
    const from = /** @type {number} */ (rows[index].t);
    const last = spans.at(-1);
    if (last?.to === from) last.to = row.t;
    else spans.push({ name, from, to: row.t });
  }
  return spans;
}

/** @param {any} _before @param {any} after */
const hasQueue = (_before, { pool }) => (pool?.waiting ?? 0) > 0;

/** Between two readings of a node that had time to take what came back. @param {any} before @param {any} after */
function isHeld(before, after) {
  if (!before.pool || !after.pool || after.event === 'start' || after.t - before.t > LATE_S) return false;
  if (after.busy_share >= SATURATED_SHARE) return false;
  return after.pool.checkouts === before.pool.checkouts && after.pool.in_use > 0 && after.pool.waiting > 0;
}
