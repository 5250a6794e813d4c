/**
 * Who asks whom, as far as a Compose file says it: by the labels and variables by which a proxy finds its servers, by the host names in a
 * service's environment and command, and by `depends_on`.
 * Of environment and command, nothing but the name of the variable goes into a reason.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 * @typedef {{ from: string, to: string, reason: string }} Edge
 */
import { routesIn } from '../adapters/found-servers.js';
import { hostsOfCommand, hostsOfVariable } from './host-names.js';

const DEPENDS = 'depends_on';

/**
 * @param {AttachedService[]} models
 * @returns {Edge[]} each pair once
 */
export function edgesOf(models) {
  /** @type {Map<string, string>} */
  const serviceOf = new Map();
  for (const { service, names } of models) for (const name of names) serviceOf.set(name.toLowerCase(), service);
  const mentioned = models.flatMap((model) => namedBy(model, serviceOf));
  const depending = models.flatMap(({ service, dependsOn, endsFirst, networkMode, looksInto }) =>
    dependsOn
      // What has ended is not asked any more, and what lends its network or shows its processes is not asked for that: Compose adds
      // such services to those that it depends on.
      .filter(
        (to) => !endsFirst.includes(to) && networkMode !== `service:${to}` && !looksInto.includes(to) && serviceOf.has(to.toLowerCase()),
      )
      .map((to) => ({ from: service, to, reason: DEPENDS })),
  );
  const lending = models.flatMap(({ service: to, networkMode }) => {
    const from = serviceOf.get(networkMode.replace(/^service:/, '').toLowerCase());
    return networkMode.startsWith('service:') && from !== undefined ? [{ from, to, reason: 'lends it its network' }] : [];
  });
  const found = routesIn(models).map(({ from, to, reason }) => ({ from, to, reason }));
  const named = [...found, ...mentioned.filter((edge) => !found.some((other) => isSame(edge, other)))];
  const all = [...named, ...lending, ...depending.filter((edge) => !named.some((other) => isSame(edge, other)))];
  return all.filter((edge) => edge.reason !== DEPENDS || !isImplied(edge, named, all));
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

/** @type {(model: AttachedService, serviceOf: Map<string, string>) => Edge[]} */
function namedBy({ service, environment, command }, serviceOf) {
  const mentions = [
    ...Object.entries(environment).flatMap(([name, value]) =>
      hostsOfVariable(name, value).map((host) => ({ host, reason: `named in ${name}` })),
    ),
    ...hostsOfCommand(command).map((host) => ({ host, reason: 'named in its command' })),
  ];
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
