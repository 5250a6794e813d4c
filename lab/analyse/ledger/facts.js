/**
 * All that the rules may look at. Gathered from the record alone: nothing here tells which architecture or which fault
 * was run.
 */
import { scenarios } from '../../define/scenarios.js';
import { balancerRecord, groupByConnection, triedFor } from '../balancer.js';
import { generatorCounts } from '../generator.js';
import { sum } from '../numbers.js';
import { SATURATED_SHARE } from '../saturation.js';
import { kernelGains, lastBefore, nodeGains } from '../window.js';
import { benchesOf } from './benches.js';
import { gainsOf } from './counters.js';
import { deathsOf, stallsOf } from './lives.js';
import { tracesOf } from './requests.js';

/**
 * @typedef {object} Facts
 * @property {import('../window.js').Window} window
 * @property {import('../generator.js').GeneratorCounts} generator
 * @property {Trace[]} traces                       each failed request
 * @property {Retried[]} retried                    requests that were answered well by another node than the first
 * @property {{ code: number, kind: string, error: string }[]} errorSamples  k6's error texts, each once a user
 * @property {import('../../measure/k6-record.js').Snapshot[]} snapshots
 * @property {import('../balancer.js').BalancerRecord | null} balancer
 * @property {import('./benches.js').Bench[]} benches
 * @property {Record<string, import('../window.js').NodeGains>} nodes
 * @property {Record<string, string[]>} repeated    ids that a node received more than once
 * @property {Map<string, import('./requests.js').Attempt[]>} attempts
 * @property {Map<string, string>} names            address to service
 * @property {{ name: string, tier: string }} entry the tier that the generator talks to
 * @property {import('./lives.js').Death[]} deaths
 * @property {import('./lives.js').Stall[]} stalls
 * @property {{ name: string, from: number, to: number }[]} busyLoops  times in which a node's event loop had no rest
 * @property {Record<string, ReturnType<typeof kernelGains>>} kernel by service
 * @property {Record<string, import('./counters.js').Gain[]>} gains  counters that may convict, by `<service> <counter>`
 * @property {DatabaseFacts} database
 * @property {Record<number, string>} refusals      statuses by which the app refuses what it has not got, to the cause
 * @property {import('../read-raw.js').Raw} raw     for what is no rule
 *
 * @typedef {import('./requests.js').Trace & { tried: import('../balancer.js').Tried[], own: import('../balancer.js').Message[] }} Trace
 *   tried: nodes that the balancer asked; own: what it logged of the request as a whole
 *
 * @typedef {Pick<Trace, 'tried' | 'attempts'> & { line: import('../balancer.js').AccessLine }} Retried
 *
 * @typedef {object} DatabaseFacts
 * @property {string | null} name
 * @property {{ before: number, after: number } | null} rejected connections that MongoDB refused
 * @property {number | null} inserts
 * @property {number | null} deletes
 * @property {number | null} operations              inserts, reads, updates and deletes
 * @property {number | null} documents               stored in the load, less those taken away again
 * @property {number[]} answered                     moments at which it answered its observer
 */

/** Kernel counters that rules look at. */
const CONVICTING = [
  'ListenOverflows',
  'ListenDrops',
  'RetransSegs',
  'TCPTimeouts',
  'TCPSynRetrans',
  'OutRsts',
  'EstabResets',
  'EmbryonicRsts',
];

/**
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../window.js').Window} window
 * @returns {Facts}
 */
export function gatherFacts(raw, window) {
  const services = /** @type {{ name: string, tier: string, address: string }[]} */ (raw.manifest.services ?? []);
  const balancer = balancerRecord(raw, window);
  const first = ['load-balancer', 'app', 'database'].map((tier) => services.find((service) => service.tier === tier)).find(Boolean);
  const entry = first ?? { name: 'app', tier: 'app' };
  const names = new Map(services.map(({ address, name }) => [address, name]));
  const deaths = deathsOf(raw, window);
  const database = databaseFacts(raw, window, services.find(({ tier }) => tier === 'database')?.name ?? null);
  const traces = withTries(tracesOf(raw, balancer), balancer);
  return {
    window,
    generator: generatorCounts(raw),
    traces,
    retried: balancer ? retriedOf(balancer, traces, raw.attempts) : [],
    errorSamples: raw.errorSamples,
    snapshots: raw.snapshots,
    balancer,
    benches: balancer ? benchesOf(balancer, raw.accessLines, names).filter(({ to }) => to > window.from) : [],
    nodes: Object.fromEntries(Object.entries(raw.nodes).map(([name, rows]) => [name, nodeGains(rows, window.from)])),
    repeated: raw.repeated,
    attempts: raw.attempts,
    names,
    entry: { name: entry.name, tier: entry.tier },
    deaths,
    stalls: stallsOf(raw, window, services, deaths),
    busyLoops: Object.entries(raw.nodes).flatMap(([name, rows]) => busyTimes(name, rows)),
    kernel: Object.fromEntries(services.map(({ name }) => [name, kernelGains(raw.kernel, name, window)])),
    gains: convictingGains(raw, services, balancer, database.name),
    database,
    refusals: scenarios[raw.manifest.scenario]?.refusals ?? {},
    raw,
  };
}

/** A node writes its record once a second, with the share of that second in which its loop was busy. @param {string} name @param {any[]} rows */
const busyTimes = (name, rows) =>
  rows.slice(1).flatMap((row, index) => (row.loop_utilisation >= SATURATED_SHARE ? [{ name, from: rows[index].t, to: row.t }] : []));

/** @param {import('./requests.js').Trace[]} traces @param {import('../balancer.js').BalancerRecord | null} balancer @returns {Trace[]} */
function withTries(traces, balancer) {
  const byConnection = groupByConnection(balancer?.log ?? []);
  return traces.map((trace) => ({ ...trace, ...(trace.line ? triedFor(trace.line, byConnection) : { tried: [], own: [] }) }));
}

/** @type {(balancer: import('../balancer.js').BalancerRecord, traces: Trace[], attempts: Facts['attempts']) => Retried[]} */
function retriedOf({ lines, log }, traces, attempts) {
  const byConnection = groupByConnection(log);
  const failed = new Set(traces.map(({ id }) => id));
  return lines
    .filter(({ id, upstream }) => upstream.includes(', ') && !failed.has(id))
    .map((line) => ({ line, tried: triedFor(line, byConnection).tried, attempts: attempts.get(line.id) ?? [] }));
}

/** @type {(raw: import('../read-raw.js').Raw, services: { name: string }[], balancer: import('../balancer.js').BalancerRecord | null, database: string | null) => Facts['gains']} */
function convictingGains(raw, services, balancer, database) {
  /** @type {Facts['gains']} */
  const gains = {};
  for (const { name } of services) {
    const own = raw.kernel.filter((row) => row.name === name);
    for (const counter of CONVICTING)
      gains[`${name} ${counter}`] = gainsOf(own.map(({ t, counters }) => ({ t, value: counters[counter] })));
  }
  if (balancer)
    gains[`${balancer.name} dropped`] = gainsOf(raw.balancerStatus.map(({ t, accepted, handled }) => ({ t, value: accepted - handled })));
  if (database) gains[`${database} rejected`] = rejectedGains(raw);
  return gains;
}

/** MongoDB counts refused connections from 6.3 on; before that its log has a line for each. @param {import('../read-raw.js').Raw} raw */
function rejectedGains({ database, databaseRefusals }) {
  const readings = database.filter((row) => row.connections).map(({ t, connections }) => ({ t, value: connections.rejected }));
  if (readings.some(({ value }) => value !== undefined)) return gainsOf(readings);
  return databaseRefusals.map((t) => ({ from: t - 1, to: t + 1, left: 1 }));
}

/** @type {(raw: import('../read-raw.js').Raw, window: import('../window.js').Window, name: string | null) => DatabaseFacts} */
function databaseFacts({ database, databaseRefusals, program }, window, name) {
  if (program) {
    const stored = sum(program.writers.map((/** @type {{ stored: number }} */ writer) => writer.stored));
    return { name, rejected: null, inserts: stored, deletes: 0, operations: stored, documents: stored, answered: [] };
  }
  const answered = database.filter((row) => row.connections);
  const before = lastBefore(answered, window.from) ?? answered[0];
  const after = answered.at(-1);
  const known = before !== undefined && after !== undefined && after.t > before.t;
  const exact = database.find((row) => row.event === 'stop')?.documents_exact;
  return {
    name,
    rejected: known ? rejectedBetween(before, after, databaseRefusals) : null,
    inserts: known ? after.opcounters.insert - before.opcounters.insert : null,
    operations: known ? operationsOf(after) - operationsOf(before) : null,
    deletes: known ? (after.opcounters.delete ?? 0) - (before.opcounters.delete ?? 0) : null,
    documents: exact === undefined || !before ? null : exact - before.documents,
    answered: answered.map(({ t }) => t),
  };
}

/** @param {any} row */
const operationsOf = ({ opcounters: { insert, query = 0, update = 0, delete: deletes = 0 } }) => insert + query + update + deletes;

/** @param {any} before @param {any} after @param {number[]} logged moments */
function rejectedBetween(before, after, logged) {
  if (after.connections.rejected !== undefined) return { before: before.connections.rejected ?? 0, after: after.connections.rejected };
  return { before: logged.filter((t) => t <= before.t).length, after: logged.length };
}
