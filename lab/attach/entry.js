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
import { OPERATORS_PORTS } from '../adapters/well-known.js';

/** Ports that HTTP is usually served on, the likeliest first. */
const USUAL_PORTS = [80, 8080, 8000, 3000, 5000, 8888];
const TLS_PORTS = [443, 8443];
const RANK = { otherPort: 100, tls: 200, operators: 300 };

/**
 * @param {AttachedService[]} models
 * @param {Map<string, Tier | null>} tierOf
 * @param {import('./edges.js').Edge[]} edges
 * @param {import('./edges.js').Edge[]} [assumed]  that no file says
 * @returns {{ entry: Entry | null, more: Place[], others: Place[], doubts: string[] }} null when nothing listens that could be asked; more:
 *   where users enter as well, because it is published and none of these asks it; others: where they could, the likeliest first
 */
export function chooseEntry(models, tierOf, edges, assumed = []) {
  const asked = models.filter(
    // What has no network of the file cannot be asked by its name.
    ({ service, networkMode }) => ['load-balancer', 'app'].includes(tierOf.get(service) ?? '') && networkMode === '',
  );
  const publishing = asked.filter(({ published }) => published.length > 0);
  const candidates = publishing.length > 0 ? publishing : asked.filter(({ ports }) => ports.length > 0);
  const rankOf = (/** @type {AttachedService} */ model) => [
    tierOf.get(model.service) === 'load-balancer' ? 0 : 1,
    // What another candidate asks stands behind it.
    edges.some(({ from, to }) => to === model.service && candidates.some((candidate) => candidate.service === from)) ? 1 : 0,
    edges.some(({ from }) => from === model.service) ? 0 : 1,
    rankOfPort(likeliestPort(model)),
  ];
  const [best, ...rest] = candidates.toSorted((one, other) => compareRanks(rankOf(one), rankOf(other)));
  if (best === undefined) return { entry: null, more: [], others: [], doubts: [] };
  const isBehind = (/** @type {AttachedService} */ { service }) =>
    [...edges, ...assumed].some(({ from, to }) => to === service && candidates.some((one) => one.service === from));
  // Of another port nobody knows before a run that HTTP is spoken there.
  const isUsual = (/** @type {AttachedService} */ model) => [...USUAL_PORTS, ...TLS_PORTS].includes(likeliestPort(model));
  const more = publishing.length > 0 ? rest.filter((model) => !isBehind(model) && isUsual(model)) : [];
  const others = rest.filter((model) => !more.includes(model));
  const kind = tierOf.get(best.service) === 'load-balancer' ? 'load balancer' : 'app';
  const port = likeliestPort(best);
  const reason =
    publishing.length > 0
      ? `the ${kind} that publishes port ${port}`
      : `the ${kind} that listens on port ${port}; nothing publishes a port`;
  return { entry: { ...placeOf(best), reason }, more: more.map(placeOf), others: others.map(placeOf), doubts: doubtsOf(others) };
}

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
function likeliestPort({ published, ports }) {
  const [port] = (published.length > 0 ? published : ports).toSorted((one, other) => rankOfPort(one) - rankOfPort(other));
  return port;
}

/** @param {number} port */
function rankOfPort(port) {
  if (OPERATORS_PORTS.includes(port)) return RANK.operators;
  if (TLS_PORTS.includes(port)) return RANK.tls;
  return USUAL_PORTS.includes(port) ? USUAL_PORTS.indexOf(port) : RANK.otherPort;
}

/** @type {(one: number[], other: number[]) => number} */
function compareRanks(one, other) {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}
