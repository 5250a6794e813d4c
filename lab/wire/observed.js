/**
 * What the wire says of a system as a whole: which services were asked, by which protocol, by whom, and which of that a request of users
 * needed. Pure.
 *
 * An edge is needed where its calls begin while its caller itself is being asked on the way from the entry, far more often than while it
 * is not: heartbeats, scrapes and health checks go on at the same rate whether or not anybody asks.
 *
 * @typedef {import('./record.js').WireRecord} WireRecord
 * @typedef {WireRecord['connections'][number]} ConnectionRecord
 * @typedef {{ from: number, to: number }} Span
 * @typedef {Span & { call?: import('./record.js').WireCall }} Question  call: of a protocol that is read
 *
 * @typedef {object} ObservedEdge   by services; `host` is the machine itself
 * @property {string} from
 * @property {string} to
 * @property {string} protocol      of most connections; `unknown`, or empty where nothing was said
 * @property {number} connections   that were asked for
 * @property {number} calls         questions; where the protocol is not read, connections on which something was said
 * @property {number} within        of them, those that began while a request on the way from the entry was in their caller
 * @property {number} beside        heartbeats, and what sets connections up
 * @property {boolean} needed       by requests of users
 *
 * @typedef {object} Outside        who was asked, and is none of the stack
 * @property {string} from
 * @property {string} address
 * @property {string} name          that was looked up for it; empty where the wire does not have it
 * @property {number} port
 * @property {string} protocol
 * @property {number} connections
 * @property {number} calls
 *
 * @typedef {object} ObservedService
 * @property {string} service
 * @property {number} replicas
 * @property {string} protocol      in which most of its callers ask it; empty where nobody does
 * @property {'way' | 'worker' | 'beside' | 'alone'} place  way: requests of users pass it. worker: nobody asks it, and it asks others. beside:
 *   it is asked, and by none that requests pass. alone: neither
 * @property {boolean} passes_on    it asks another service just what it is asked, and gives its answers
 *
 * @typedef {object} Observed
 * @property {ObservedService[]} services
 * @property {ObservedEdge[]} edges  the busiest first; the first of requests, from the generator or the machine to an entry, is not among them
 * @property {Outside[]} outside
 * @property {number} asked         requests that the entries got
 * @property {boolean} isWhole      nothing of it is missing, as far as the capture can tell: what was not seen was not there
 */

import { lookupsIn, NAMES, namesLookedUp } from './looked-up.js';
import { needOf, unionOf } from './need.js';
import { passersOf } from './passing-on.js';
import { HOST, lookUp } from './tenancy.js';

/** Whose calls say nothing of what a request needs. */
const ASKING = new Set(['call', 'wait', 'send']);
/** Of the connections to one address, for its name. */
const LOOKED_AT_MOST = 10;

/**
 * @param {WireRecord} wire
 * @param {object} about
 * @param {string[]} about.entries  services that users ask
 * @param {string} about.generator  service that asks in their place
 * @param {number} [about.until]    seconds since 1970; what began later does not count
 * @returns {Observed}
 */
export function observedOf(wire, { entries, generator, until = Number.POSITIVE_INFINITY }) {
  const isUser = (/** @type {string} */ service) => service === HOST || service === generator;
  const told = gather(wire, until);
  const { spans, asked, protocols } = spansOfUsers(told, isUser, entries);
  const inside = told.filter(({ from, to }) => from && to && !isUser(from.service) && !isUser(to.service) && from.service !== to.service);
  const { edges, reached } = needOf(inside, spans, lifeOf(wire, until));
  const services = servicesOf(wire, isUser);
  const passing = passersOf(told);
  return {
    services: services.map((service) => ({
      ...placed(service, { edges, reached, protocols }),
      passes_on: passing.has(service.service),
    })),
    edges: edges.toSorted((one, other) => other.calls - one.calls || other.connections - one.connections),
    outside: outsideOf(wire, told, isUser),
    asked,
    isWhole: isWhole(wire),
  };
}

/**
 * @typedef {object} Told            a connection, and the questions on it
 * @property {ConnectionRecord} connection
 * @property {import('./record.js').Tenure | null} from  null: none of the stack
 * @property {import('./record.js').Tenure | null} to
 * @property {Question[]} calls
 * @property {number} beside
 */

/** @param {WireRecord} wire @param {number} until @returns {Told[]} */
function gather({ services, connections, calls }, until) {
  const at = lookUp(services);
  /** @type {Map<number, Told>} */
  const byId = new Map();
  for (const connection of connections) {
    // Names are beside the way of every request, and looked up by Docker's making.
    if (connection.opened_at > until || connection.protocol === NAMES) continue;
    const { id, client, server, opened_at: opened } = connection;
    byId.set(id, { connection, from: at(client, opened), to: at(server, opened), calls: [], beside: 0 });
  }
  for (const call of calls) {
    const { connection, began_at: from, ended_at: ended, role = 'call' } = call;
    const told = byId.get(connection);
    if (told === undefined || from > until) continue;
    if (ASKING.has(role)) told.calls.push({ from, to: ended ?? from, call });
    else told.beside += 1;
  }
  // Of what is not read, such as TLS, it is known when something was said.
  for (const { connection, calls: own, beside } of byId.values())
    if (own.length + beside === 0 && connection.asked_at !== null && connection.protocol !== '')
      own.push({ from: connection.asked_at, to: connection.last_at ?? connection.asked_at });
  return [...byId.values()];
}

/** While requests of users were in the entries' containers. @param {Told[]} told @param {(service: string) => boolean} isUser @param {string[]} entries */
function spansOfUsers(told, isUser, entries) {
  /** @type {Map<string, Span[]>} */
  const spans = new Map();
  let asked = 0;
  const protocols = new Map(entries.map((entry) => [entry, '']));
  for (const { connection, from, to, calls } of told) {
    if (from === null || to === null || !protocols.has(to.service) || !isUser(from.service)) continue;
    const own = spans.get(to.name) ?? [];
    for (const call of calls) own.push(call);
    spans.set(to.name, own);
    asked += calls.length;
    protocols.set(to.service, protocols.get(to.service) || connection.protocol);
  }
  return { spans: new Map([...spans].map(([name, own]) => [name, unionOf(own)])), asked, protocols };
}

/** From the first to the last that was seen. @param {WireRecord} wire @param {number} until @returns {Span} */
function lifeOf({ connections, services }, until) {
  const began = Math.min(
    ...services.map(({ from }) => from),
    ...firstOf(
      connections.map(({ opened_at: at }) => at),
      Math.min,
    ),
  );
  const ended = firstOf(
    connections.flatMap(({ last_at: last, ended_at: end, opened_at: at }) => [last ?? at, end ?? at]),
    Math.max,
  );
  return { from: began, to: Math.min(until, ...ended) };
}

/** Over more than a call takes arguments. @param {number[]} values @param {(one: number, other: number) => number} better @returns {number[]} one, or none of none */
const firstOf = (values, better) => (values.length === 0 ? [] : [values.reduce((one, other) => better(one, other))]);

/** @param {WireRecord} wire @param {(service: string) => boolean} isUser @returns {{ service: string, replicas: number }[]} */
function servicesOf({ services }, isUser) {
  /** @type {Map<string, Set<string>>} */
  const names = new Map();
  for (const { service, name } of services)
    if (service !== '' && !isUser(service)) names.set(service, (names.get(service) ?? new Set()).add(name));
  return [...names].map(([service, own]) => ({ service, replicas: own.size }));
}

/**
 * @param {{ service: string, replicas: number }} known
 * @param {{ edges: ObservedEdge[], reached: Set<string>, protocols: Map<string, string> }} about  protocols: of entries
 * @returns {Omit<ObservedService, 'passes_on'>}
 */
function placed({ service, replicas }, { edges, reached, protocols }) {
  const asking = edges.filter(({ to, calls, beside }) => to === service && calls + beside > 0);
  const [busiest] = asking.filter(({ protocol }) => protocol !== '').toSorted((one, other) => other.calls - one.calls);
  const asks = edges.some(({ from, connections, calls }) => from === service && connections + calls > 0);
  const apart = asking.length > 0 ? 'beside' : asks ? 'worker' : 'alone';
  const protocol = protocols.get(service) ?? busiest?.protocol ?? '';
  return { service, replicas, protocol, place: protocols.has(service) || reached.has(service) ? 'way' : apart };
}

/** @param {WireRecord} wire @param {Told[]} told @param {(service: string) => boolean} isUser @returns {Outside[]} */
function outsideOf(wire, told, isUser) {
  const nameOf = namesLookedUp(lookupsIn(wire));
  /** @type {Map<string, Outside>} */
  const all = new Map();
  for (const { connection, from, to, calls: own } of told) {
    const { client, server: address, server_port: port, protocol, opened_at: at } = connection;
    if (from === null || isUser(from.service) || (to !== null && to.service !== HOST)) continue;
    const key = `${from.service} ${address} ${port}`;
    const known = all.get(key) ?? { from: from.service, address, name: '', port, protocol, connections: 0, calls: 0 };
    known.connections += 1;
    known.calls += own.length;
    known.protocol ||= protocol;
    if (known.name === '' && known.connections <= LOOKED_AT_MOST) known.name = nameOf(client, address, at);
    all.set(key, known);
  }
  return [...all.values()].toSorted((one, other) => other.connections - one.connections);
}

/** @param {WireRecord} wire */
const isWhole = ({ networks }) =>
  networks.length > 0 &&
  networks.every(
    ({ unseen, ended_early: early, dropped, counters }) =>
      unseen === '' && early === '' && dropped === 0 && counters !== null && !counters.broken && !counters.is_cut,
  );
