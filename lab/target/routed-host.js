/**
 * By which host names the load asks entries that send requests on by them: a proxy that finds its servers answers no other ones.
 *
 * @typedef {import('./detect.js').Detections} Detections
 * @typedef {import('../adapters/found-servers.js').Route} Route
 * @typedef {import('../load/choose-load.js').ChosenLoad} ChosenLoad
 *
 * @typedef {object} Routed
 * @property {Record<string, string>} hosts  names with the URLs of their entries, of each entry what needs most others first
 * @property {Record<string, string>} paths  that is served by such a host, where that is not all of it
 * @property {string} path         that is served by the first entry, whatever the host
 * @property {string[]} texts      a clause for each entry
 * @property {string} script       what to tell of a k6 script; empty where there is nothing to tell
 */

import { isPlaceholder, placeholderFor, urlOfHost } from '../catalog/project-schema.js';
import { reachableFrom } from './edges.js';

const NAMED_MOST = 4;
/** Of an entry, so many are asked. The lab's own choice. */
const HOSTS_MOST = 8;

/**
 * @param {object} system
 * @param {Detections} system.detections
 * @param {Route[]} system.routes
 * @param {Record<string, string[]>} [system.sites]  by service, the names that its configuration tells apart
 * @returns {Routed}
 */
export function routedHosts({ detections, routes, sites = {} }) {
  const entries = detections.entry === null ? [] : [detections.entry, ...detections.more];
  const all = entries.map(({ service, url }) => {
    const own = routes.filter(({ from }) => from === service).toSorted((one, other) => needOf(other, detections) - needOf(one, detections));
    return { service, url, own, ...askedOf(own, sites[service] ?? [], detections) };
  });
  const paths = all.flatMap(({ own }) => own.flatMap(({ hosts: [host], paths: [path] }) => (host && path !== '/' ? [[host, path]] : [])));
  const pairs = all.flatMap(({ url, asked }) => asked.map(({ host }) => [host, url]));
  const told = all.filter(({ asked }) => asked.length > 0);
  return {
    hosts: Object.fromEntries(pairs.filter(([host], at) => pairs.findIndex(([other]) => other === host) === at)),
    paths: Object.fromEntries(paths),
    path: all[0]?.own[0]?.paths[0] ?? '/',
    texts: told.map(
      ({ service, asked, others }) => `${service} sends requests on by their Host: the load asks it by ${named(asked)}${listed(others)}`,
    ),
    script: told
      .map(({ service, asked: [{ host, to }] }) => `${service} sends requests on by their Host: let it send one, such as ${host}${to}`)
      .join('; '),
  };
}

/** @typedef {{ host: string, to: string }} Name  to: the service behind it in brackets, with a blank before; empty where that is not known */

/**
 * @param {Route[]} own  of an entry, what needs most others first
 * @param {string[]} sites
 * @param {Detections} detections
 * @returns {{ asked: Name[], others: string[] }} others: names besides, with what is behind them
 */
function askedOf(own, sites, detections) {
  const byRoute = own.flatMap(({ to, hosts }) =>
    hosts.map((host, index) => ({ host, to: ` (${to})`, isFirst: index === 0 && isAsked(to, detections) })),
  );
  // One name alone needs no telling apart.
  const bySite = sites.length < 2 ? [] : sites.map((host) => ({ host, to: '', isFirst: true }));
  const all = [...new Map([...bySite, ...byRoute].map((one) => [one.host, one])).values()];
  const first = all.filter(({ isFirst }) => isFirst);
  const asked = (first.length > 0 ? first : all.slice(0, 1)).slice(0, HOSTS_MOST);
  return { asked, others: all.filter((one) => !asked.includes(one)).map(({ host, to }) => `${host}${to}`) };
}

/**
 * @param {ChosenLoad} chosen
 * @param {Routed} routed
 * @param {string | string[]} entry
 * @returns {ChosenLoad}
 */
export function withRoutes({ load, said }, { hosts, paths, path, texts, script }, entry) {
  if (load.script !== undefined)
    return { load, said: script === '' ? said : [...said, `? ${script.replace('let it', `let ${load.script}`)}.`] };
  const told = [...said, ...texts.map((text) => `${text}.`)];
  if (!isPlaceholder({ entry, load })) return { load, said: told };
  const { urls = [] } = placeholderFor({ entry, hosts });
  const [first] = Object.keys(hosts);
  const firstPath = first === undefined ? path : (paths[first] ?? '/');
  const below = Object.fromEntries(Object.entries(paths).map(([host, own]) => [`GET ${urlOfHost(host, hosts[host] ?? '')}`, own]));
  const served = urls.map((url, index) => (index === 0 ? `GET ${firstPath}` : below[url] ? `${url.slice(0, -1)}${below[url]}` : url));
  return { load: { ...load, urls: served }, said: told };
}

/** How many others a request to it may need; what no request is meant for comes last. @param {Route} route @param {Detections} detections */
function needOf({ to, hosts }, detections) {
  return isAsked(to, detections) ? reachableFrom(to, detections.edges).size + (hosts.length > 0 ? 0.5 : 0) : -1;
}

/** @param {string} service @param {Detections} detections */
const isAsked = (service, { services }) => (services.find((one) => one.service === service)?.tier ?? null) !== null;

/** @param {Name[]} names */
function named(names) {
  const texts = names.map(({ host, to }) => `${host}${to}`);
  return texts.length === 1 ? texts[0] : `${texts.slice(0, -1).join(', ')} and ${texts[texts.length - 1]}`;
}

/** @param {string[]} others */
function listed(others) {
  if (others.length === 0) return '';
  const more = others.length > NAMED_MOST ? ` and ${others.length - NAMED_MOST} more` : '';
  return `; others are ${others.slice(0, NAMED_MOST).join(', ')}${more}`;
}
