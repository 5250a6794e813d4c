/**
 * Where users' requests enter: a load balancer that publishes a port, else an app that does.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 * @typedef {import('../adapters/contract.js').Tier} Tier
 * @typedef {object} Entry
 * @property {string} service
 * @property {string} url     inside its network, where nothing has to be published
 * @property {string} reason  one clause
 * @typedef {Pick<Entry, 'service' | 'url'>} Place
 */
import { HTTP_STORES_PORTS, OPERATORS_PORTS, portOfImage, USUAL_PORTS } from '../adapters/well-known.js';
import { reachableFrom } from './edges.js';

const TLS_PORTS = [443, 8443];
const RANK = { knownPort: -1, ownPort: 50, otherPort: 100, tls: 200, operators: 300 };
/** Ports of the machine that a browser asks unless it is told another. */
const FRONT_DOORS = ['80', '443'];
/** In a variable: the address at which a service listens, or by which browsers find it. */
const ITSELF = /(localhost|127\.0\.0\.1|0\.0\.0\.0):\d/;
/** @type {Record<string, string>} */
const KINDS = { 'load-balancer': 'load balancer', app: 'app' };

/**
 * @param {AttachedService[]} models
 * @param {Map<string, Tier | null>} tierOf
 * @param {import('./edges.js').Edge[]} edges
 * @param {import('./edges.js').Edge[]} [assumed]  that no file says
 * @returns {{ entry: Entry | null, more: Place[], others: Place[], doubts: string[] }} null when nothing listens that could be asked; more:
 *   where users enter as well, because it is published and none of these asks it; others: where they could, the likeliest first
 */
export function chooseEntry(models, tierOf, edges, assumed = []) {
  const listening = models.filter(
    ({ service, networkMode, ports }) => isJoined(networkMode) && tierOf.get(service) !== null && ports.length > 0,
  );
  const asked = listening.filter(({ service }) => (tierOf.get(service) ?? '') in KINDS);
  // Of a file that has a store alone that is what users ask.
  const all = asked.length > 0 ? asked : listening.filter(({ published }) => published.some((port) => HTTP_STORES_PORTS.includes(port)));
  const publishing = all.filter(({ published }) => published.length > 0);
  const candidates = publishing.length > 0 ? publishing : all;
  const isHereAlone = (/** @type {AttachedService} */ { published, publishedHere }) =>
    published.length > 0 && published.every((port) => publishedHere.includes(port));
  const isDoor = (/** @type {AttachedService} */ { openAt }) => FRONT_DOORS.some((port) => port in openAt);
  const ways = new Map(candidates.map(({ service }) => [service, reachableFrom(service, edges)]));
  // What another candidate asks stands behind it, unless that one is asked by it in turn; and a tool may wait for the front door.
  const isBehind = (/** @type {AttachedService} */ model) =>
    candidates.some(
      (other) =>
        (isDoor(other) || !isDoor(model)) &&
        edges.some(({ from, to }) => from === other.service && to === model.service) &&
        !ways.get(model.service)?.has(other.service),
    );
  const rankOf = (/** @type {AttachedService} */ model) => [
    isBehind(model) ? 1 : 0,
    tierOf.get(model.service) === 'load-balancer' ? 0 : 1,
    edges.some(({ from, to }) => to === model.service && candidates.some(({ service }) => service === from)) && !isDoor(model) ? 1 : 0,
    isDoor(model) ? 0 : 1,
    edges.some(({ from }) => from === model.service) ? 0 : 1,
    isHereAlone(model) ? 1 : 0,
    rankOfPort(model, likeliestPort(model)),
  ];
  const [best, ...rest] = candidates.toSorted((one, other) => compareRanks(rankOf(one), rankOf(other)));
  if (best === undefined) return { entry: null, more: [], others: [], doubts: [] };
  const isAsked = (/** @type {AttachedService} */ { service }) =>
    [...edges, ...assumed].some(({ from, to }) => to === service && candidates.some((one) => one.service === from));
  // Of another port nobody knows before a run that HTTP is spoken there.
  const isUsual = (/** @type {AttachedService} */ model) =>
    [RANK.otherPort, RANK.operators].every((rank) => rankOfPort(model, likeliestPort(model)) !== rank);
  const more = publishing.length > 0 ? rest.filter((model) => !isAsked(model) && isUsual(model)) : [];
  const others = rest.filter((model) => !more.includes(model));
  const kind = KINDS[tierOf.get(best.service) ?? ''] ?? 'store';
  const port = likeliestPort(best);
  const reason =
    publishing.length > 0
      ? `the ${kind} that publishes port ${port}`
      : `the ${kind} that listens on port ${port}; nothing publishes a port`;
  return { entry: { ...placeOf(best), reason }, more: more.map(placeOf), others: others.map(placeOf), doubts: doubtsOf(others) };
}

/** What has no network of the file cannot be asked by its name. @param {string} networkMode */
const isJoined = (networkMode) => networkMode === '';

/** Behind where requests enter first. @param {Place[]} more */
export const moreText = (more) =>
  more.length === 0 ? '' : ` and at ${more.map(({ url }) => url).join(', ')} (which ${more.length === 1 ? 'is' : 'are'} published too)`;

/** @param {AttachedService} model */
function placeOf(model) {
  const port = likeliestPort(model);
  return { service: model.service, url: `${TLS_PORTS.includes(port) ? 'https' : 'http'}://${model.service}:${port}/` };
}

/** @param {AttachedService[]} others */
function doubtsOf(others) {
  if (others.length === 0) return [];
  const names = others.map(({ service }) => service).join(', ');
  return [`Users could also enter at ${names}. If they do, write its URL as the entry, or as one of a list.`];
}

/** @param {AttachedService} model */
function likeliestPort(model) {
  const { published, ports } = model;
  const [port] = (published.length > 0 ? published : ports).toSorted((one, other) => rankOfPort(model, one) - rankOfPort(model, other));
  return port;
}

/** @type {(model: AttachedService, port: number) => number} */
function rankOfPort({ image, likelyPorts, environment }, port) {
  if (portOfImage(image) === port) return RANK.knownPort;
  if (OPERATORS_PORTS.includes(port)) return RANK.operators;
  if (TLS_PORTS.includes(port)) return RANK.tls;
  if (USUAL_PORTS.includes(port)) return USUAL_PORTS.indexOf(port);
  const isOwn = likelyPorts.includes(port) || Object.values(environment).some((value) => ITSELF.test(value) && value.includes(`:${port}`));
  return isOwn ? RANK.ownPort : RANK.otherPort;
}

/** @type {(one: number[], other: number[]) => number} */
function compareRanks(one, other) {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}
