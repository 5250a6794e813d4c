/**
 * By which host name the load asks an entry that sends requests on by it: a proxy that finds its servers answers no other one.
 *
 * @typedef {import('./detect.js').Detections} Detections
 * @typedef {import('../adapters/found-servers.js').Route} Route
 * @typedef {import('./choose-load.js').ChosenLoad} ChosenLoad
 */
import { reachableFrom } from './edges.js';
import { isPlaceholder } from './project-schema.js';

const NAMED_MOST = 4;

/**
 * @param {ChosenLoad} chosen
 * @param {{ detections: Detections, entries: string[], routes: Route[] }} system
 * @returns {ChosenLoad}
 */
export function withRoute({ load, said }, { detections, entries, routes }) {
  const own = routes.filter(({ from }) => from === detections.entry?.service);
  const [best] = own.toSorted((one, other) => needOf(other, detections) - needOf(one, detections));
  if (best === undefined) return { load, said };
  const [host] = best.hosts;
  const others = own.flatMap(({ to, hosts }) => hosts.filter((name) => name !== host).map((name) => `${name} (${to})`));
  if (load.script !== undefined)
    return host === undefined
      ? { load, said }
      : {
          load,
          said: [...said, `? ${best.from} sends requests on by their Host: let ${load.script} send one, such as ${host} (${best.to}).`],
        };
  const [path] = best.paths;
  return {
    load: {
      ...load,
      ...(isPlaceholder(load, entries) && path !== '/' ? { urls: [`GET ${path}`] } : {}),
      ...(host === undefined ? {} : { headers: { Host: host, ...load.headers } }),
    },
    said:
      host === undefined
        ? said
        : [...said, `Each request has the Host ${host}, by which ${best.from} sends it to ${best.to}${listed(others)}.`],
  };
}

/** How many others a request to it may need; what no request is meant for comes last. @param {Route} route @param {Detections} detections */
function needOf({ to, hosts }, { services, edges }) {
  const { tier = null } = services.find(({ service }) => service === to) ?? {};
  return tier === null ? -1 : reachableFrom(to, edges).size + (hosts.length > 0 ? 0.5 : 0);
}

/** @param {string[]} others */
function listed(others) {
  if (others.length === 0) return '';
  const more = others.length > NAMED_MOST ? ` and ${others.length - NAMED_MOST} more` : '';
  return `; others are ${others.slice(0, NAMED_MOST).join(', ')}${more}`;
}
