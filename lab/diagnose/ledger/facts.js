/**
 * All that the rules may look at. Gathered from the record alone: nothing here tells which architecture or which fault
 * was run.
 */

import { scenarios } from '../../catalog/scenarios.js';
import { answersOf, generatorCounts, storeIn } from '../database-rows.js';
import { SATURATED_SHARE } from '../limits/saturation.js';
import { kernelIncrements, nodeIncrements } from '../time/window.js';
import { countedBy, noSuccessIntervals, saidBy, saidOf } from './behind.js';
import { entryProxyOf, killsOf, restartsOf, saidIn, stallsOf } from './entry-proxy.js';
import { attemptsIn, hopsIn, replicasOf, resourceExhaustion, withHeartbeats } from './hop-records.js';
import { allOf, answeredBy, besideLogs, checkedOutBy, clearedAt, databaseFacts, incrementsOf } from './place.js';

/**
 * Each failed request with all that is recorded of it: k6's own account, the proxy's record, what the nodes logged. Joined
 * by the id that the request carries, so that a failure can be placed by where it was last seen.
 *
 * @typedef {object} Failed      k6's own account of a failed request
 * @property {string} id
 * @property {number} t          its end, seconds since 1970
 * @property {number} waited_s
 * @property {number} status     0: no HTTP answer
 * @property {number} code       of k6's error
 * @property {string} kind       what k6's error text says; `status` where there was an answer
 *
 * @typedef {object} Attempt     what a node logged of a request that it received
 * @property {string} node
 * @property {number} received   seconds since 1970
 * @property {number | null} ended  null: its log ends first
 * @property {'answered' | 'broken' | 'open'} outcome  broken: closed without an answer
 * @property {number | null} status
 * @property {string} error      name, of an answer with an error
 * @property {string} [opener]    id of the request whose failure made the node refuse this one, of a refusal that says so
 * @property {string} place      where it was when it was broken: app, pool or database
 *
 * @typedef {Failed & Followed} Trace
 *
 * @typedef {object} Followed
 * @property {import('./entry-proxy.js').RequestRecord | null} seen  by the proxy that users talk to
 * @property {import('../../adapters/contract.js').UpstreamAttempt[]} asked  by it, in their order
 * @property {import('../../adapters/contract.js').Message[]} own  what it said of the request as a whole
 * @property {Attempt[]} attempts  of nodes
 * @property {Attempt[]} late      what nodes read only after the user had stopped waiting
 */

/**
 * @param {{ failures: Failed[], attempts: Map<string, Attempt[]> }} raw
 * @param {import('./entry-proxy.js').EntryProxy | null} entryProxy
 * @returns {Trace[]} in the order of their ends
 */
export function tracesOf({ failures, attempts }, entryProxy) {
  const wanted = new Set(failures.map(({ id }) => id));
  const requestRecords = new Map((entryProxy?.requestRecords ?? []).filter(({ id }) => wanted.has(id)).map((seen) => [seen.id, seen]));
  return failures
    .map((failed) => {
      const all = attempts.get(failed.id) ?? [];
      // What was answered was read before, whatever the node's clock says.
      const inTime = (/** @type {Attempt} */ { received, status }) => received <= failed.t || (status !== null && status === failed.status);
      const seen = requestRecords.get(failed.id) ?? null;
      return {
        ...failed,
        seen,
        asked: seen?.asked ?? [],
        own: seen?.own ?? [],
        attempts: all.filter(inTime),
        late: all.filter((attempt) => !inTime(attempt)),
      };
    })
    .sort((one, other) => one.t - other.t);
}

/*
 * Services whose log is not whole: it has fewer requests than the service counted. What is not in such a log may have been there.
 */

/** Of a service's requests; where more are not in its log, it says nothing that a request is not there. The lab's own choice. */
const UNLOGGED_SHARE = 0.01;

/** @typedef {{ name: string, count: number, share: number }} Unlogged  requests that it received without a line in its log */

/**
 * A service that was killed, or one of whose processes was, took its last lines with it.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('./entry-proxy.js').EntryProxy | null} entryProxy
 * @param {import('./entry-proxy.js').Restart[]} restarts
 * @returns {Unlogged[]}
 */
function unloggedIn({ unlogged, nodes }, entryProxy, restarts) {
  const ofNodes = Object.entries(unlogged).map(([name, count]) => ({ name, count, received: receivedBy(nodes[name]) }));
  return [...ofEntryProxy(entryProxy), ...ofNodes]
    .filter(({ name, count }) => count > 0 && !restarts.some((restart) => restart.name === name))
    .map(({ name, count, received }) => ({ name, count, share: count / received }));
}

/** @param {Unlogged[]} unlogged @param {string} service */
const isGap = (unlogged, service) => unlogged.some(({ name, share }) => name === service && share > UNLOGGED_SHARE);

/** @param {any[]} rows of a node, in all its lives */
export const receivedBy = (rows) => nodeIncrements(rows, Number.NEGATIVE_INFINITY).received;

/** By a counter of its own beside its log. @param {import('./entry-proxy.js').EntryProxy | null} entryProxy */
function ofEntryProxy(entryProxy) {
  if (!entryProxy || entryProxy.coverage.requests !== 'full' || entryProxy.received === null || entryProxy.said['worker-died']) return [];
  return [{ name: entryProxy.service, count: entryProxy.received - entryProxy.requestRecords.length, received: entryProxy.received }];
}

/**
 * @typedef {object} Facts
 * @property {import('../time/window.js').Window} window
 * @property {import('../database-rows.js').GeneratorCounts} generator
 * @property {Trace[]} traces                       each failed request
 * @property {Retried[]} retried                    requests that were answered well by another node than the first
 * @property {{ code: number, kind: string, error: string }[]} errorSamples  k6's error texts, each once a user
 * @property {import('../../record/k6-requests.js').Snapshot[]} snapshots
 * @property {import('./entry-proxy.js').EntryProxy | null} entryProxy  the proxy that users talk to
 * @property {import('../../adapters/contract.js').HopRecord[]} hops  what adapters read of services, the front's too
 * @property {Map<string, import('./entry-proxy.js').Saying>} said  what each of them said
 * @property {Map<string, import('./place.js').Tier>} tiers  of the services
 * @property {string[]} observers                   services of the lab's own, which no request passes
 * @property {Set<string>} watched                  services that have every request on record, by its id
 * @property {Set<string>} silent                   programs among them that do not say why a request failed
 * @property {Unlogged[]} unlogged  services whose log has fewer requests than they received
 * @property {Record<string, import('../time/window.js').NodeIncrements>} nodes
 * @property {Record<string, import('../time/window.js').NodeIncrements>} workers  nodes that a queue hands its messages to; no request waits for them
 * @property {Record<string, number>} repeated    how often a node received a request once more
 * @property {Map<string, Attempt[]>} attempts
 * @property {Map<string, string>} names            address to service
 * @property {Map<string, string[]>} replicas       containers by the name that several have in common
 * @property {{ name: string, tier: string }} entry the tier that the generator talks to; of several the first
 * @property {Set<string>} entries                  all that it talks to
 * @property {import('./entry-proxy.js').Restart[]} restarts
 * @property {{ name: string, t: number }[]} kills  of processes, for lack of memory
 * @property {import('./entry-proxy.js').Stall[]} stalls
 * @property {Map<string, import('./behind.js').NoSuccessInterval[]>} noSuccess  times without a good answer, of the services that the front asked
 * @property {{ name: string, from: number, to: number }[]} busyLoops  times in which a node's event loop had no rest
 * @property {import('./hop-records.js').Exhaustions} exhaustion  times in which a service had nothing left of something
 * @property {Record<string, ReturnType<typeof kernelIncrements>>} kernel by service
 * @property {Record<string, import('./place.js').Increment[]>} increments  counters that can decide, by `<service> <counter>`
 * @property {DatabaseFacts} database              all of them together
 * @property {DatabaseFacts[]} databases            each
 * @property {import('../database-rows.js').StoreWords} store  what they are called
 * @property {Record<string, string>} refusals      statuses and names of errors by which the app refuses a request, to the cause
 * @property {import('../read-raw.js').Raw} raw     for what is no rule
 *
 *
 * @typedef {Pick<Trace, 'attempts'> & { seen: import('./entry-proxy.js').RequestRecord }} Retried
 *
 * @typedef {import('./place.js').DatabaseFacts} DatabaseFacts
 */

/** Of the time between two readings of a node's loop; the lab's own choice. */
const BLOCKED_SHARE = 0.5;
/** Between two readings of a counter, which are taken once a second (../../adapters/sampled.js). */
const COUNTED_MOST_S = 3;
/** Kernel counters that rules look at. */
const DECISIVE = [
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
 * @param {import('../read-raw.js').Raw} record
 * @param {import('../time/window.js').Window} window
 * @returns {Facts}
 */
export function gatherFacts(record, window) {
  const services = /** @type {Described[]} */ (record.manifest.services ?? []);
  const generator = generatorCounts(record);
  const entry = entryOf(record.manifest, services, generator.name);
  const replicas = replicasOf(services);
  const names = new Map([
    ...[...replicas.keys()].map((name) => /** @type {const} */ ([name, name])),
    ...services.flatMap(({ address, addresses = [], name }) =>
      [address, ...addresses, name].map((key) => /** @type {const} */ ([key, name])),
    ),
  ]);
  const hops = hopsIn(record, window, { names, replicas });
  const raw = withHeartbeats(record, hops);
  const restarts = restartsOf(raw, window);
  const databases = services.filter(({ tier }) => tier === 'database').map(({ name }) => databaseFacts(raw, window, name));
  const database = allOf(databases) ?? databaseFacts(raw, window, null);
  const entryProxy = entryProxyOf(hops, window, entry);
  const unlogged = unloggedIn(raw, entryProxy, restarts);
  const kept = hops.filter(({ coverage }) => coverage.requests === 'full').map(({ service }) => service);
  const retried = (entryProxy?.requestRecords ?? []).filter(({ asked }) => asked.length > 1);
  const attempts = attemptsIn(hops, entryProxy?.service ?? null, new Set([...raw.failures, ...retried].map(({ id }) => id)), raw.attempts);
  const traces = tracesOf({ failures: raw.failures, attempts }, entryProxy);
  const isWorker = (/** @type {string} */ name) => raw.queued?.workers.includes(name) === true;
  return {
    window,
    generator,
    traces,
    retried: retriedOf(retried, traces, attempts),
    errorSamples: raw.errorSamples,
    snapshots: raw.snapshots,
    entryProxy,
    hops,
    said: new Map(hops.map(({ service, messages }) => [service, saidIn(messages)])),
    tiers: new Map(
      services.flatMap(({ name, service = name, tier }) =>
        [name, service].map((key) => [key, /** @type {import('./place.js').Tier} */ (tier)]),
      ),
    ),
    replicas,
    watched: new Set([...kept, ...Object.keys(record.nodes)].filter((name) => !isGap(unlogged, name))),
    silent: new Set(hops.filter(isSilent).map(({ service }) => service)),
    unlogged,
    observers: services.filter(({ tier }) => tier === 'observer').map(({ name }) => name),
    nodes: incrementsOfNodes(raw, window, (name) => !isWorker(name)),
    workers: incrementsOfNodes(raw, window, isWorker),
    repeated: Object.fromEntries(Object.entries(raw.repeated).map(([name, times]) => [name, times.filter((t) => t >= window.from).length])),
    attempts,
    names,
    entry: { name: entry.name, tier: entry.tier },
    entries: entriesOf(record.manifest, generator.name, entry.name),
    restarts,
    kills: killsOf(raw),
    stalls: stallsOf(raw, window, { services, entryProxy, restarts }),
    noSuccess: noSuccessIntervals(entryProxy, generator.finished, window),
    busyLoops: Object.entries(raw.nodes).flatMap(([name, rows]) => busyTimes(name, rows)),
    exhaustion: resourceExhaustion(raw),
    kernel: Object.fromEntries(services.map(({ name }) => [name, kernelIncrements(raw.kernel, name, window)])),
    increments: { ...decisiveIncrements(raw, services, entryProxy), ...saidIncrements(hops), ...besideLogs(raw, attempts) },
    database,
    databases,
    store: storeIn(record.manifest),
    refusals: scenarios[raw.manifest.scenario]?.refusals ?? {},
    raw,
  };
}

/** @type {(raw: import('../read-raw.js').Raw, window: import('../time/window.js').Window, isWanted: (name: string) => boolean) => Facts['nodes']} */
const incrementsOfNodes = ({ nodes }, window, isWanted) =>
  Object.fromEntries(
    Object.entries(nodes)
      .filter(([name]) => isWanted(name))
      .map(([name, rows]) => [name, nodeIncrements(rows, window.from)]),
  );

/** @param {import('../../adapters/contract.js').HopRecord} record of a program that says what became of a request, and not why */
const isSilent = ({ tier, coverage }) => tier === 'app' && coverage.requests === 'full' && coverage.reasons !== 'full';

/** @typedef {{ name: string, service?: string, tier: string, address: string, addresses?: string[] }} Described */

/** Where the edges are named, whom the generator asks; else the first tier that is there. @type {(manifest: any, services: Described[], generator: string) => { name: string, tier: string }} */
function entryOf({ edges = [] }, services, generator) {
  const asked = edges.find((/** @type {{ from: string }} */ { from }) => from === generator)?.to;
  const first = ['load-balancer', 'app', 'database'].map((tier) => services.find((service) => service.tier === tier)).find(Boolean);
  return services.find(({ name }) => name === asked) ?? first ?? { name: 'app', tier: 'app' };
}

/** @type {(manifest: any, generator: string, first: string) => Set<string>} */
const entriesOf = ({ edges = [] }, generator, first) =>
  new Set([first, ...edges.flatMap((/** @type {{ from: string, to: string }} */ { from, to }) => (from === generator ? [to] : []))]);

/**
 * A node writes its record once a second, with the share of that second in which its loop was busy, and the longest time for which it served nothing else: one that blocks for two seconds may rest for the third.
 * @param {string} name @param {any[]} rows
 */
const busyTimes = (name, rows) =>
  rows.slice(1).flatMap((row, index) => {
    const from = rows[index].t;
    const isBlocked = Number(row.late_ms?.max) > (row.t - from) * 1000 * BLOCKED_SHARE;
    return row.busy_share >= SATURATED_SHARE || isBlocked ? [{ name, from, to: row.t }] : [];
  });

/** @type {(retried: import('./entry-proxy.js').RequestRecord[], traces: Trace[], attempts: Facts['attempts']) => Retried[]} */
function retriedOf(retried, traces, attempts) {
  const failed = new Set(traces.map(({ id }) => id));
  return retried.filter(({ id }) => !failed.has(id)).map((seen) => ({ seen, attempts: attempts.get(seen.id) ?? [] }));
}

/** @type {(raw: import('../read-raw.js').Raw, services: { name: string, tier: string }[], entryProxy: import('./entry-proxy.js').EntryProxy | null) => Facts['increments']} */
function decisiveIncrements(raw, services, entryProxy) {
  /** @type {Facts['increments']} */
  const increments = {};
  for (const { name } of services) {
    const own = raw.kernel.filter((row) => row.name === name);
    for (const counter of DECISIVE)
      increments[`${name} ${counter}`] = incrementsOf(own.map(({ t, counters }) => ({ t, value: counters[counter] })));
  }
  for (const [counter, readings] of Object.entries(entryProxy?.counters ?? {}))
    increments[`${entryProxy?.service} ${counter}`] = incrementsOf(readings);
  for (const [name, rows] of Object.entries(raw.nodes)) {
    increments[clearedAt(name)] = incrementsOf(rows.map(({ t, pool }) => ({ t, value: pool?.cleared })));
    increments[checkedOutBy(name)] = incrementsOf(rows.map(({ t, pool }) => ({ t, value: pool?.checkouts })));
    const counted = (/** @type {string} */ error) => rows.map(({ t, errors }) => ({ t, value: errors?.[error] ?? 0 }));
    const errors = new Set(rows.flatMap((row) => Object.keys(row.errors ?? {})));
    for (const error of errors) increments[answeredBy(name, error)] = incrementsOf(counted(error));
  }
  for (const { name } of services.filter(({ tier }) => tier === 'database')) increments[`${name} rejected`] = rejectedIncrements(raw, name);
  return increments;
}

/** How long what it speaks of took, where it says so. @param {string} text */
export const secondsIn = (text) => Number(/(\d+(?:\.\d+)?) (?:ms|milliseconds)\b/.exec(text)?.[1] ?? 0) / 1000;

/** Each message of a service accounts for one failure. @param {Facts['hops']} hops @returns {Facts['increments']} */
function saidIncrements(hops) {
  /** @type {Facts['increments']} */
  const increments = {};
  for (const { service, messages } of hops) {
    for (const { signal, t, text, to } of messages) {
      const increment = { from: signal === 'slow' ? t - secondsIn(text) : t, to: t, left: 1 };
      for (const name of [saidBy(service, signal), ...(to === undefined ? [] : [saidOf(service, signal, to)])]) {
        increments[name] ??= [];
        increments[name].push({ ...increment });
      }
    }
  }
  return { ...increments, ...countedIncrements(hops) };
}

/**
 * What a service counts and does not say too. Where its counter was not read for long, nobody knows when it rose.
 * @param {Facts['hops']} hops @returns {Facts['increments']}
 */
const countedIncrements = (hops) =>
  Object.fromEntries(
    hops.flatMap(({ service, counters = {}, messages }) =>
      Object.entries(counters)
        .filter(([name]) => !messages.some(({ signal }) => signal === name))
        .map(([name, readings]) => [
          countedBy(service, name),
          incrementsOf(readings).filter(({ from, to }) => to - from <= COUNTED_MOST_S),
        ]),
    ),
  );

/** A newer database counts refused connections; of an older one the log has a line for each. @param {import('../read-raw.js').Raw} raw @param {string} name */
function rejectedIncrements(raw, name) {
  const readings = answersOf(raw.database, name).map(({ t, connections }) => ({ t, value: connections.refused }));
  if (readings.some(({ value }) => value !== undefined)) return incrementsOf(readings);
  return raw.databaseRefusals.filter((refusal) => refusal.name === name).map(({ t }) => ({ from: t - 1, to: t + 1, left: 1 }));
}
