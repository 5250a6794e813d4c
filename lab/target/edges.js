/**
 * Who asks whom, as far as a Compose file and the files that it names say it: by the labels and variables by which a proxy finds its
 * servers, by the host names in a service's environment, command, configuration and code, and by `depends_on`. Of these nothing but the name of the variable or the file goes into a reason.
 *
 * @typedef {import('./compose-model.js').AttachedService & Partial<import('./named-files.js').Named>} Model
 * @typedef {import('../adapters/contract.js').Tier} Tier
 * @typedef {(service: string) => Tier | null | undefined} KnownTier  by what a service runs; null: a tool, undefined: that does not say it
 * @typedef {{ from: string, to: string, reason: string }} Edge
 */
import { routesIn } from '../adapters/found-servers.js';
import { IN_CODE } from '../adapters/observed-system.js';
import { hostsInHttp, hostsOfCommand, hostsOfVariable, storeOfVariable, withoutMachine } from './host-names.js';
import { placesOnMachine } from './machine-addresses.js';

/** The reason of one that is only known to start after the other. */
export const WAITING = 'depends_on';
/** Tiers that keep what others give them, and that ask nobody by code of the system's. @type {unknown[]} */
const STORES = ['cache', 'database', 'queue'];
/** One may be given what its users are given; two were given what all are. */
const STORES_OF_ALL = 2;
/** What may be a program of the system's own. @type {unknown[]} */
const APPS = ['app', undefined];

/**
 * @param {Model[]} models
 * @param {KnownTier} [tierOf]
 * @returns {Edge[]} each pair once
 */
export function edgesOf(models, tierOf = () => undefined) {
  /** @type {Map<string, string>} */
  const serviceOf = new Map();
  for (const { service, names } of models) for (const name of names) serviceOf.set(name.toLowerCase(), service);
  // The front door's address is one for browsers.
  const places = placesOnMachine(models.filter(({ service }) => tierOf(service) !== 'load-balancer'));
  const isForAll = variablesOfAll(models, tierOf);
  const mentioned = models.flatMap((model) => namedBy(model, { serviceOf, tierOf, places, isForAll }));
  const found = routesIn(models).map(({ from, to, reason }) => ({ from, to, reason }));
  const named = [...found, ...mentioned.filter((edge) => !found.some((other) => isSame(edge, other)))];
  const isRouted = (/** @type {string} */ service) =>
    tierOf(service) === 'load-balancer' && named.some(({ from, to }) => from === service && tierOf(to) !== null);
  const depending = models.flatMap(({ service, dependsOn, endsFirst, networkMode, looksInto }) =>
    dependsOn
      // What has ended is not asked any more, and what lends its network or shows its processes is not asked for that: Compose adds
      // such services to those that it depends on.
      .filter(
        (to) => !endsFirst.includes(to) && networkMode !== `service:${to}` && !looksInto.includes(to) && serviceOf.has(to.toLowerCase()),
      )
      .map((to) => ({ from: service, to, reason: WAITING })),
  );
  const lending = models.flatMap(({ service: to, networkMode }) => {
    const from = serviceOf.get(networkMode.replace(/^service:/, '').toLowerCase());
    return networkMode.startsWith('service:') && from !== undefined ? [{ from, to, reason: 'lends it its network' }] : [];
  });
  // A proxy asks those whom its configuration names, and waits for others so as to start after them.
  const waiting = depending.filter((edge) => !isRouted(edge.from) && !named.some((other) => isSame(edge, other)));
  const all = [...named, ...lending, ...waiting];
  const said = all.filter((edge) => edge.reason !== WAITING || !isImplied(edge, named, all));
  return [...said, ...inCode(models, said, { serviceOf, tierOf })];
}

/**
 * Code may name what it asks in another case alone. So it counts where nothing but what it starts after says whom a service asks, and for
 * stores that nobody seems to ask.
 * @type {(models: Model[], said: Edge[], known: { serviceOf: Map<string, string>, tierOf: KnownTier }) => Edge[]}
 */
function inCode(models, said, { serviceOf, tierOf }) {
  const isAsked = (/** @type {string} */ service) => said.some(({ from, to }) => to === service && tierOf(from) !== null);
  return models
    .filter(({ service }) => APPS.includes(tierOf(service)))
    .flatMap((model) => {
      const isUnsaid = !said.some(({ from, reason }) => from === model.service && reason !== WAITING);
      const isStore = (/** @type {string} */ host) => STORES.includes(tierOf(serviceOf.get(host) ?? ''));
      const mentions = (model.mentions ?? [])
        .filter(({ isCode, isAmbiguous, host }) => isCode && (!isAmbiguous || isStore(host)))
        .map(({ host }) => ({ host, reason: IN_CODE }));
      return mentionedBy(model.service, mentions, serviceOf).filter(
        (edge) => !said.some((other) => isSame(edge, other)) && (isUnsaid || (STORES.includes(tierOf(edge.to)) && !isAsked(edge.to))),
      );
    });
}

/**
 * @param {string} start a service
 * @param {Edge[]} edges
 * @returns {Set<string>} services that its requests can get to, itself among them
 */
export function reachableFrom(start, edges) {
  const reached = new Set([start]);
  // A set gives what is added while it is walked.
  for (const service of reached) for (const { from, to } of edges) if (from === service) reached.add(to);
  return reached;
}

/**
 * @param {Model[]} models
 * @returns {Set<string>} services that others ask in HTTP, as far as it is said
 */
export function askedInHttp(models) {
  const inHttp = models.flatMap(({ environment, command, mentions = [] }) => [
    ...[...Object.values(environment), ...command].flatMap(hostsInHttp),
    ...mentions.flatMap(({ host, isHttp }) => (isHttp ? [host] : [])),
  ]);
  const hosts = new Set(inHttp);
  return new Set(models.flatMap(({ service, names }) => (names.some((name) => hosts.has(name.toLowerCase())) ? [service] : [])));
}

/**
 * Where all services are given the same variables, these do not say which of them asks what they name: a queue has no use for the address of
 * a database.
 * @type {(models: Model[], tierOf: KnownTier) => (name: string, value: string) => boolean}
 */
function variablesOfAll(models, tierOf) {
  const given = models.filter(({ service }) => STORES.includes(tierOf(service))).map(({ environment }) => environment);
  return (name, value) => given.filter((environment) => environment[name] === value).length >= STORES_OF_ALL;
}

/**
 * @typedef {{ serviceOf: Map<string, string>, tierOf: KnownTier, places: Record<string, string>, isForAll: (name: string, value: string) => boolean }} Known
 * @type {(model: Model, known: Known) => Edge[]}
 */
function namedBy({ service, environment, command, dependsOn, mentions = [] }, { serviceOf, tierOf, places, isForAll }) {
  const isProxy = tierOf(service) === 'load-balancer';
  const isStoreAt = (/** @type {string} */ host) => STORES.includes(tierOf(serviceOf.get(host) ?? ''));
  const waitsFor = (/** @type {string} */ host) => dependsOn.includes(serviceOf.get(host) ?? '');
  const isAsker = dependsOn.length === 0 && !isProxy && !STORES.includes(tierOf(service));
  // A proxy has no use for a store's address either.
  const isMeant = (/** @type {string} */ host, /** @type {boolean} */ isAnyones) =>
    waitsFor(host) || (isAnyones ? isAsker : !isProxy || !isStoreAt(host));
  const inVariables = Object.entries(environment).flatMap(([name, value]) => {
    const store = storeOfVariable(name, value);
    const stores = store !== null && isStoreAt(store) ? [store] : [];
    return [...hostsOfVariable(name, withoutMachine(value, places, name)), ...stores]
      .filter((host) => isMeant(host, isForAll(name, value)))
      .map((host) => ({ host, reason: `named in ${name}` }));
  });
  const inCommand = hostsOfCommand(command.map((word) => withoutMachine(word, places))).map((host) => ({
    host,
    reason: 'named in its command',
  }));
  // A store asks others of its kind, and queues. It may be given the variables of a whole system.
  const mayAsk = (/** @type {Tier | null | undefined} */ tier) =>
    !STORES.includes(tierOf(service)) || tier === 'queue' || tier === tierOf(service);
  // What serves at a socket may read the same configuration.
  const inConfiguration = mentions.filter(({ isCode, isSocket }) => !isCode && (isProxy || !isSocket));
  return mentionedBy(service, [...inVariables, ...inCommand, ...inConfiguration], serviceOf).filter(({ to }) => mayAsk(tierOf(to)));
}

/** @type {(service: string, mentions: { host: string, reason: string }[], serviceOf: Map<string, string>) => Edge[]} */
function mentionedBy(service, mentions, serviceOf) {
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  for (const { host, reason } of mentions) {
    const to = serviceOf.get(host);
    if (to !== undefined && to !== service && !edges.has(to)) edges.set(to, { from: service, to, reason });
  }
  return [...edges.values()];
}

/**
 * Whether a service only waits for another that is asked by a third one in between: an app names its pool as its host, and
 * depends on the database too, so as to start after it.
 * @type {(edge: Edge, named: Edge[], all: Edge[]) => boolean}
 */
function isImplied({ from, to }, named, all) {
  const others = all.filter((edge) => edge.from !== from);
  return named.some((edge) => edge.from === from && edge.to !== to && reachableFrom(edge.to, others).has(to));
}

/** @type {(one: Edge, other: Edge) => boolean} */
const isSame = (one, other) => one.from === other.from && one.to === other.to;
