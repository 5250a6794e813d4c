/**
 * The proxy that users talk to first, where there is one: its record, and that of single requests by their ids.
 *
 * @typedef {import('../../adapters/contract.js').HopRecord} HopRecord
 * @typedef {import('../../adapters/contract.js').RequestRecord} RequestRecord
 * @typedef {import('../../adapters/contract.js').Signal} Signal
 * @typedef {import('../../adapters/contract.js').Ejection} Ejection
 *
 * @typedef {object} Said          what it said of one sort, whichever requests it was about
 * @property {number} count
 * @property {string} first
 * @property {number[]} times      seconds since 1970
 *
 * @typedef {Partial<Record<Signal, Said>>} Saying
 *
 * @typedef {Omit<HopRecord, 'ejections' | 'ejected_s'> & { said: Saying, ejections: Ejection[], ejected_s: number | null }} EntryProxy
 */

import { answersOf } from '../database-rows.js';

/**
 * @param {HopRecord[]} hops
 * @param {import('../time/window.js').Window} window
 * @param {{ name: string, tier: string }} entry
 * @returns {EntryProxy | null} null where users talk to something else than a proxy
 */
export function entryProxyOf(hops, window, entry) {
  const record = entry.tier === 'load-balancer' ? hops.find(({ service }) => service === entry.name) : undefined;
  if (!record) return null;
  return {
    ...record,
    said: saidIn(record.messages),
    ejections: (record.ejections ?? reportedEjections(record.messages, window)).filter(({ to }) => to > window.from),
    ejected_s: record.ejected_s ?? null,
  };
}

/** Where its messages stand, as evidence names it. @param {Pick<HopRecord, 'service' | 'log_source'>} record */
export const logOf = ({ service, log_source: log = 'log' }) => `${service} ${log}`;

/** Its connection table, of all workers together. @param {Pick<HopRecord, 'limits'>} record @returns {import('../../adapters/contract.js').Limit | null} null where none is on record */
export const tableOf = ({ limits }) => limits.find(({ resource }) => resource === 'connection slots') ?? null;

/** @param {import('../../adapters/contract.js').Message[]} messages @returns {Saying} */
export function saidIn(messages) {
  /** @type {Saying} */
  const said = {};
  for (const { signal, t, text } of messages) {
    const known = said[signal] ?? { count: 0, first: text, times: [] };
    said[signal] = known;
    known.count += 1;
    known.times.push(t);
  }
  return said;
}

/**
 * From the message that a service was ejected to the message that it was reinstated.
 * @type {(messages: import('../../adapters/contract.js').Message[], window: { to: number }) => Ejection[]}
 */
function reportedEjections(messages, window) {
  return messages.flatMap(({ signal, t, to: node, text }, index) => {
    if (signal !== 'ejected' || node === undefined) return [];
    const back = messages.slice(index).find((other) => other.signal === 'reinstated' && other.to === node);
    return [{ node, from: t, to: back?.t ?? window.to, trigger: null, line: text, request: null }];
  });
}

/**
 * Times in which a tier was not there, or stood still though it ran.
 *
 * @typedef {object} Restart       a time in which a service was not there, seconds since 1970
 * @property {string} name
 * @property {string} tier
 * @property {number} stopping   when it said that it was about to end; its end where it did not
 * @property {number} from
 * @property {number} to         its container ran again
 * @property {number} ready      it kept its record again, which it begins when it serves; `to` where it keeps none
 * @property {number | null} exitCode
 * @property {boolean} outOfMemory
 *
 * @typedef {{ name: string, tier: string, from: number, to: number, served?: string[] }} Stall  a time in which a service did nothing,
 *   though it ran. served: nodes that went on answering well, so that it was not their requests that it held up
 */

/** Records are written once a second. On a busy machine the longest gap of 30 healthy runs was 2.0 s; a pause of 5 s shows as 6. */
const STALL_S = 3;
/** Nodes write their record once a second. */
const READING_S = 1;
/** The generator too; one that paused for longer sent nothing that a proxy could have finished. */
const GENERATOR_S = 2;
/** What asking costs a container that cannot answer: a process that is started in it each second. The lab's own choice. */
const IDLE_CORES = 0.1;
/** Of a gap, how long requests that a node had when it began may take to be answered to nobody. */
const DRAINED_S = 1.5;
/** Docker lets a container that is told to stop take its time, ten seconds unless told otherwise. */
const STOPPING_S = 15;
/** The kernel's message that it killed for lack of memory may come just after the end that it explains. */
const OUT_OF_MEMORY_S = 2;

/**
 * Services that ended by themselves before the load had ended, each time that they did.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../time/window.js').Window} window
 * @returns {Restart[]}
 */
export const restartsOf = (raw, window) =>
  endsOf(raw, (tier) => tier !== 'generator' && tier !== 'observer')
    .map((restart) => ({ ...restart, stopping: stoppingOf(restart, raw), ready: readyAfter(restart, raw) }))
    .filter(({ from, to }) => from > window.warmupFrom && from < window.to && to > window.from);

/** @type {(raw: import('../read-raw.js').Raw, isOf: (tier: string) => boolean) => Downtime[]} */
function endsOf({ finalStates, events, manifest }, isOf) {
  // What the wire shows to be on the way of no request is a job, whatever its container was labelled before the run.
  const tiers = new Map((manifest.services ?? []).map((/** @type {any} */ { name, tier }) => [name, tier]));
  return finalStates
    .map((state) => ({ ...state, tier: tiers.get(state.name) ?? state.tier }))
    .filter(({ tier }) => isOf(tier))
    .flatMap((state) => {
      const own = events.filter(({ name }) => name === state.name);
      const reported = own.filter(({ action }) => action === 'die').map((restart) => reportedRestart(restart, own, state));
      return reported.length > 0 ? reported : lastRestart(state);
    });
}

/** @typedef {import('../read-raw.js').Raw['events'][number]} Event */
/** @typedef {Omit<Restart, 'stopping' | 'ready'>} Downtime */

/** @param {Downtime} restart @param {import('../read-raw.js').Raw} raw */
const stoppingOf = ({ name, from }, { databaseStops }) =>
  databaseStops.find((stop) => stop.name === name && stop.t <= from && from - stop.t < STOPPING_S)?.t ?? from;

/** A program takes its time from its container's start until it serves. @param {Downtime} restart @param {import('../read-raw.js').Raw} raw */
function readyAfter({ name, tier, to }, { nodes, database }) {
  const rows = tier === 'database' ? answersOf(database, name) : (nodes[name] ?? []);
  return rows.find(({ t }) => t >= to)?.t ?? to;
}

/** @param {Event} restart @param {Event[]} own of the same service @param {any} state @returns {Downtime} */
function reportedRestart({ t, exit_code: exitCode }, own, { name, tier, out_of_memory: outOfMemory }) {
  const back = own.find((event) => event.action === 'start' && event.t > t);
  const killed = own.some((event) => event.action === 'oom' && Math.abs(event.t - t) < OUT_OF_MEMORY_S);
  return {
    name,
    tier,
    from: t,
    to: back?.t ?? Number.POSITIVE_INFINITY,
    exitCode,
    outOfMemory: killed || (back === undefined && outOfMemory),
  };
}

/** What the last state tells of a container whose events were not heard. @param {any} state @returns {Downtime[]} */
function lastRestart({ name, tier, running, started, finished, exit_code: exitCode, out_of_memory: outOfMemory }) {
  const from = Date.parse(finished) / 1000;
  // A container that never ended says that it did so in the year 1.
  if (!(from > 0)) return [];
  const to = running ? Date.parse(started) / 1000 : Number.POSITIVE_INFINITY;
  return [{ name, tier, from, to, exitCode: running ? null : exitCode, outOfMemory }];
}

/** Of a process of a container that may have gone on. @param {import('../read-raw.js').Raw} raw @returns {{ name: string, t: number }[]} */
export const killsOf = ({ events }) => events.filter(({ action }) => action === 'oom').map(({ name, t }) => ({ name, t }));

/**
 * Times in which a tier's own record pauses: the database answered not even its observer, a node not even its own clock, a service of a
 * user's own not even the lab's question once a second, and did nothing, the proxy finished no request although no tier behind it paused, and no node had a request to work on.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../time/window.js').Window} window
 * @param {object} about
 * @param {{ name: string, tier: string }[]} about.services
 * @param {EntryProxy | null} about.entryProxy
 * @param {Restart[]} about.restarts  what is gone does not stand still
 * @returns {Stall[]} those furthest from the client first
 */
export function stallsOf(raw, window, { services, entryProxy, restarts }) {
  const named = (/** @type {string} */ tier) => services.filter((service) => service.tier === tier);
  const gapsIn = (/** @type {{ name: string, tier: string }} */ { name, tier }, /** @type {{ t: number }[]} */ rows) =>
    rows
      .map((row, index) => ({ name, tier, from: row.t, to: rows[index + 1]?.t ?? window.to }))
      .filter(({ from, to }) => to - from > STALL_S && to > window.from && from < window.to)
      .filter(({ from, to }) => !restarts.some((restart) => restart.name === name && restart.from < to && restart.to > from));
  // Who asks the database once a second may be gone itself.
  const unasked = endsOf(raw, (tier) => tier === 'observer');
  const behind = [
    ...named('database').flatMap((service) =>
      gapsIn(service, answersOf(raw.database, service.name))
        .filter((gap) => !unasked.some((end) => end.from < gap.to && end.to > gap.from))
        .map((gap) => ({ ...gap, served: servedIn(raw.nodes, gap) })),
    ),
    ...named('app').flatMap((service) => gapsIn(service, raw.nodes[service.name] ?? [])),
    ...raw.adapted.flatMap(({ service: name, tier, files }) =>
      gapsIn({ name, tier }, files.samples).filter((gap) => isIdle(raw.containers, gap) && isAsking(raw.adapted, gap)),
    ),
  ];
  // Where a node keeps no record, nobody can say that it had nothing to work on.
  const isKnown = entryProxy?.coverage.requests === 'full' && named('app').every(({ name }) => raw.nodes[name]);
  const finished = (isKnown ? entryProxy.requestRecords : []).flatMap(({ ended }) => (ended === null ? [] : [{ t: ended }]));
  const before = (isKnown ? [{ name: entryProxy.service, tier: entryProxy.tier }] : [])
    .flatMap((service) => gapsIn(service, finished))
    .filter(({ from, to }) => !behind.some((other) => other.from < to && other.to > from))
    .filter(({ from, to }) => !isUnsent(raw, from, to))
    // With the gap's end comes what had waited.
    .filter(({ from, to }) => !isWorkedOn(raw.nodes, from + DRAINED_S, to - READING_S));
  return [...behind, ...before];
}

/**
 * A service that works may have no time for the lab's question, and the machine none to ask it; one that stands still does nothing at all.
 * @param {import('../read-raw.js').Raw['containers']} rows @param {{ name: string, from: number, to: number }} gap
 */
function isIdle(rows, { name, from, to }) {
  const inside = rows.filter((row) => row.name === name && row.t >= from + READING_S && row.t <= to - READING_S);
  const [first, last] = [inside[0], inside.at(-1)];
  return first !== undefined && last.t > first.t && (last.cpu_s - first.cpu_s) / (last.t - first.t) <= IDLE_CORES;
}

/**
 * Whether the lab had answers of others in that time: where all are silent, it is the lab or the engine that did not ask.
 * @param {import('../read-raw.js').Raw['adapted']} adapted @param {{ name: string, from: number, to: number }} gap
 */
function isAsking(adapted, { name, from, to }) {
  const others = adapted.filter(({ service, files }) => service !== name && files.samples.length > 1);
  return others.length === 0 || others.some(({ files }) => files.samples.some(({ t }) => t > from + READING_S && t < to - READING_S));
}

/**
 * An observer on a busy machine may be late by itself. Its last reading may be of a second before the gap's cause began.
 * @param {import('../read-raw.js').Raw['nodes']} nodes @param {{ from: number, to: number }} gap
 */
const servedIn = (nodes, { from, to }) =>
  Object.entries(nodes).flatMap(([name, rows]) => {
    const good = rows.filter(({ t }) => t >= from + READING_S && t <= to).map(({ answered }) => answered['2xx'] ?? 0);
    return good.length > 1 && good.slice(1).every((count, index) => count > good[index]) ? [name] : [];
  });

/** @type {(raw: import('../read-raw.js').Raw, from: number, to: number) => boolean} whether the generator paused in a time */
const isUnsent = ({ snapshots }, from, to) =>
  snapshots.some(({ t }, index) => index > 0 && t - snapshots[index - 1].t > GENERATOR_S && snapshots[index - 1].t < to && t > from);

/** Whether a node had requests in a time: what waits there has passed the balancer. @type {(nodes: import('../read-raw.js').Raw['nodes'], from: number, to: number) => boolean} */
const isWorkedOn = (nodes, from, to) =>
  Object.values(nodes).some((rows) => rows.some(({ t, in_flight: open }) => t > from && t < to && open > 0));
