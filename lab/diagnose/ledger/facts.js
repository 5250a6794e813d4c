/**
 * All that the rules may look at. Gathered from the record alone: nothing here tells which architecture or which fault
 * was run.
 */

import { wayOfTiers } from '../../adapters/observed-system.js';
import { scenarios } from '../../catalog/scenarios.js';
import { databasesIn } from '../database-rows.js';
import { generatorCounts } from '../generator-counts.js';
import { gainedInLoad } from '../time/increments.js';
import { gapsOf } from '../wire-gaps.js';
import { noSuccessIntervals } from './behind.js';
import { decidingIncrements } from './counters.js';
import { entryProxyOf, hopsIn, saidIn, withHeartbeats } from './hop-records.js';
import { livesOf } from './lives.js';
import { loggedIn } from './traces.js';

/**
 * @typedef {Topology & ReturnType<typeof databasesIn> & import('./lives.js').Lives & import('./traces.js').Logged & ReturnType<typeof gainedInLoad> & Gathered} Facts
 *
 * @typedef {object} Gathered
 * @property {import('../time/window.js').Window} window
 * @property {import('../generator-counts.js').GeneratorCounts} generator
 * @property {{ code: number, kind: string, error: string }[]} errorSamples  k6's error texts, each once a user
 * @property {import('../../record/k6-requests.js').Snapshot[]} snapshots
 * @property {import('./hop-records.js').EntryProxy | null} entryProxy  the proxy that users talk to
 * @property {import('../../adapters/contract.js').HopRecord[]} hops  what adapters read of services, the front's too
 * @property {Map<string, import('./hop-records.js').Saying>} said  what each of them said
 * @property {Record<string, number>} repeated    how often a node received a request once more
 * @property {Map<string, import('./behind.js').NoSuccessInterval[]>} noSuccess  times without a good answer, of the services that the front asked
 * @property {import('./counters.js').Increments} increments  counters that can decide
 * @property {import('../../record/types.js').WireGap[]} gaps  what the record of the wire does not have; none where nothing was recorded
 * @property {Record<string, string>} refusals      statuses and names of errors by which the app refuses a request, to the cause
 * @property {import('../read-raw.js').Raw} raw     for what is no rule
 */

/**
 * @param {import('../read-raw.js').Raw} record
 * @param {import('../time/window.js').Window} window
 * @returns {Facts}
 */
export function gatherFacts(record, window) {
  const generator = generatorCounts(record);
  const topology = topologyOf(record.manifest, generator.name);
  const hops = hopsIn(record, window, topology);
  const entryProxy = entryProxyOf(hops, window, topology.entry);
  const raw = withHeartbeats(record, hops);
  const stores = databasesIn(raw, window);
  const lives = livesOf(raw, window, entryProxy);
  const logged = loggedIn(record, { hops, entryProxy, restarts: lives.restarts });
  return {
    window,
    generator,
    ...topology,
    hops,
    entryProxy,
    said: new Map(hops.map(({ service, messages }) => [service, saidIn(messages)])),
    ...stores,
    ...lives,
    ...logged,
    noSuccess: noSuccessIntervals(entryProxy, generator.finished, window),
    ...gainedInLoad(raw, window),
    increments: decidingIncrements(raw, { hops, entryProxy, databases: stores.databases, attempts: logged.attempts }),
    gaps: raw.wire ? gapsOf(raw.wire, topology.edges) : [],
    errorSamples: raw.errorSamples,
    snapshots: raw.snapshots,
    repeated: Object.fromEntries(Object.entries(raw.repeated).map(([name, times]) => [name, times.filter((t) => t >= window.from).length])),
    refusals: scenarios[raw.manifest.scenario]?.refusals ?? {},
    raw,
  };
}

/*
 * Who is there and who asks whom: every service is a hop, every pair that talks an edge. The manifest names its edges; in one of before, and
 * where a program makes the load, they follow from the tiers.
 */

/**
 * @typedef {{ from: string, to: string }} Edge  by the services' names
 * @typedef {{ name: string, service?: string, tier: string, address?: string, addresses?: string[] }} Described  name: of the container;
 *   service: Compose's, common to several
 *
 * @typedef {object} Topology
 * @property {Edge[]} edges
 * @property {{ name: string, tier: string }} entry the tier that the generator talks to; of several the first
 * @property {Set<string>} entries                  all that it talks to
 * @property {Map<string, import('../../record/types.js').Tier>} tiers  of the services
 * @property {Map<string, string>} names            address to service
 * @property {Map<string, string[]>} replicas       containers by the name that several have in common
 * @property {string[]} observers                   services of the lab's own, which no request passes
 */

/**
 * @param {{ services?: Described[], edges?: Edge[] }} manifest
 * @param {string} generator  its name
 * @returns {Topology}
 */
function topologyOf({ services = [], edges }, generator) {
  const asked = (edges ?? []).flatMap(({ from, to }) => (from === generator ? [to] : []));
  const { name, tier } = entryOf(services, asked[0]);
  const replicas = replicasOf(services);
  return {
    edges: edges ?? edgesByTier(services, generator),
    entry: { name, tier },
    entries: new Set([name, ...asked]),
    tiers: new Map(
      services.flatMap((service) =>
        [service.name, service.service ?? service.name].map((key) => [
          key,
          /** @type {import('../../record/types.js').Tier} */ (service.tier),
        ]),
      ),
    ),
    names: namesOf(services, replicas),
    replicas,
    observers: services.filter((service) => service.tier === 'observer').map((service) => service.name),
  };
}

/** @param {Described[]} services @param {string} generator @returns {Edge[]} */
function edgesByTier(services, generator) {
  const { entries, edges } = wayOfTiers(services);
  return [...entries.map((to) => ({ from: generator, to })), ...edges.map(([from, to]) => ({ from, to }))];
}

/** Where the edges are named, whom the generator asks; else the first tier that is there. @type {(services: Described[], asked: string | undefined) => { name: string, tier: string }} */
function entryOf(services, asked) {
  const first = ['load-balancer', 'app', 'database'].map((tier) => services.find((service) => service.tier === tier)).find(Boolean);
  return services.find(({ name }) => name === asked) ?? first ?? { name: 'app', tier: 'app' };
}

/**
 * @param {Pick<Described, 'name' | 'service'>[]} services
 * @returns {Map<string, string[]>} containers by the name that they have in common; only where there are several
 */
function replicasOf(services) {
  /** @type {Map<string, string[]>} */
  const all = new Map();
  for (const { name, service = name } of services) all.set(service, [...(all.get(service) ?? []), name]);
  return new Map([...all].filter(([, names]) => names.length > 1));
}

/** @type {(services: Described[], replicas: Topology['replicas']) => Topology['names']} */
const namesOf = (services, replicas) =>
  new Map([
    ...[...replicas.keys()].map((name) => /** @type {const} */ ([name, name])),
    ...services.flatMap(({ address, addresses = [], name }) =>
      [...(address === undefined ? [] : [address]), ...addresses, name].map((key) => /** @type {const} */ ([key, name])),
    ),
  ]);
