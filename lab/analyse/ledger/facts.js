/**
 * All that the rules may look at. Gathered from the record alone: nothing here tells which architecture or which fault
 * was run.
 */
import { balancerRecord } from '../balancer.js';
import { generatorCounts } from '../generator.js';
import { sum } from '../numbers.js';
import { kernelGains, lastBefore, nodeGains } from '../window.js';

/** Records are written once a second. On a busy machine the longest gap of 30 healthy runs was 2.0 s; a pause of 5 s shows as 6. */
const STALL_S = 3;

/**
 * @typedef {object} Facts
 * @property {import('../window.js').Window} window
 * @property {import('../generator.js').GeneratorCounts} generator
 * @property {import('../../measure/k6-record.js').Snapshot[]} snapshots
 * @property {import('../balancer.js').BalancerRecord | null} balancer
 * @property {Record<string, import('../window.js').NodeGains>} nodes
 * @property {Map<string, string>} names            address to service
 * @property {{ name: string, tier: string }} entry the tier that the generator talks to
 * @property {Death[]} deaths
 * @property {Stall[]} stalls
 * @property {Record<string, ReturnType<typeof kernelGains>>} kernel by service
 * @property {DatabaseFacts} database
 * @property {import('../read-raw.js').Raw} raw
 *
 * @typedef {{ name: string, tier: string, from: number, to: number, exitCode: number | null, outOfMemory: boolean }} Death
 *   a time in which a service was not there, seconds since 1970
 *
 * @typedef {{ name: string, tier: string, from: number, to: number }} Stall  a time in which a service did nothing, though it ran
 *
 * @typedef {object} DatabaseFacts
 * @property {string | null} name
 * @property {{ before: number, after: number } | null} rejected connections that MongoDB refused
 * @property {number | null} inserts
 * @property {number | null} deletes
 * @property {number | null} operations              inserts, reads, updates and deletes
 * @property {number | null} documents               stored in the load, less those taken away again
 */

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
  return {
    window,
    generator: generatorCounts(raw),
    snapshots: raw.snapshots,
    balancer,
    nodes: Object.fromEntries(Object.entries(raw.nodes).map(([name, rows]) => [name, nodeGains(rows, window.from)])),
    names: new Map(services.map(({ address, name }) => [address, name])),
    entry: { name: entry.name, tier: entry.tier },
    deaths: deathsOf(raw, window),
    stalls: stallsOf(raw, window, services),
    kernel: Object.fromEntries(services.map(({ name }) => [name, kernelGains(raw.kernel, name, window)])),
    database: databaseFacts(raw, window, services.find(({ tier }) => tier === 'database')?.name ?? null),
    raw,
  };
}

/**
 * Services that ended by themselves before the load had ended, whether or not they were started again.
 * @param {import('../read-raw.js').Raw} raw @param {import('../window.js').Window} window @returns {Death[]}
 */
function deathsOf({ finalStates }, window) {
  return (
    finalStates
      .filter(({ tier }) => tier !== 'generator' && tier !== 'observer')
      .map(({ name, tier, running, started, finished, exit_code: exitCode, out_of_memory: outOfMemory }) => ({
        name,
        tier,
        from: Date.parse(finished) / 1000,
        to: running ? Date.parse(started) / 1000 : Number.POSITIVE_INFINITY,
        exitCode: running ? null : exitCode,
        outOfMemory,
      }))
      // A container that never ended says that it did so in the year 1.
      .filter(({ from, to }) => from > window.warmupFrom && to > window.from)
  );
}

/** @type {(raw: import('../read-raw.js').Raw, window: import('../window.js').Window, name: string | null) => DatabaseFacts} */
function databaseFacts({ database, databaseRefusals, program }, window, name) {
  if (program) {
    const stored = sum(program.writers.map((/** @type {{ stored: number }} */ writer) => writer.stored));
    return { name, rejected: null, inserts: stored, deletes: 0, operations: stored, documents: stored };
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
  };
}

/** @param {any} row */
const operationsOf = ({ opcounters: { insert, query = 0, update = 0, delete: deletes = 0 } }) => insert + query + update + deletes;

/**
 * MongoDB counts refused connections from 6.3 on; before that its log has a line for each.
 * @param {any} before @param {any} after @param {number[]} logged moments
 */
function rejectedBetween(before, after, logged) {
  if (after.connections.rejected !== undefined) return { before: before.connections.rejected ?? 0, after: after.connections.rejected };
  return { before: logged.filter((t) => t <= before.t).length, after: logged.length };
}

/**
 * Times in which a tier's own record pauses: MongoDB answered not even its observer, a node not even its own clock, the
 * balancer finished no request although no tier behind it paused.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../window.js').Window} window
 * @param {{ name: string, tier: string }[]} services
 * @returns {Stall[]}
 */
function stallsOf(raw, window, services) {
  const named = (/** @type {string} */ tier) => services.filter((service) => service.tier === tier);
  const gapsIn = (/** @type {{ name: string, tier: string }} */ { name, tier }, /** @type {any[]} */ rows) =>
    rows
      .map((row, index) => ({ name, tier, from: row.t, to: rows[index + 1]?.t ?? window.to }))
      .filter(({ from, to }) => to - from > STALL_S && to > window.from && from < window.to);
  const behind = [
    ...named('database').flatMap((service) =>
      gapsIn(
        service,
        raw.database.filter((row) => row.connections),
      ),
    ),
    ...named('app').flatMap((service) => gapsIn(service, raw.nodes[service.name] ?? [])),
  ];
  const lines = raw.accessLines.filter(({ t }) => t > window.from);
  const before = named('load-balancer')
    .flatMap((service) => gapsIn(service, lines))
    .filter(({ from, to }) => !behind.some((other) => other.from < to && other.to > from));
  return [...behind, ...before];
}
