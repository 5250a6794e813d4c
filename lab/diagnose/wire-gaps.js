/**
 * What the record of the wire does not have, and the edges that it may miss calls of: what a network's capture lost, and what no decoder read.
 *
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../wire/record.js').NetworkRecord} NetworkRecord
 * @typedef {import('../record/types.js').WireGap} WireGap
 * @typedef {{ from: string, to: string }} Edge
 */

import { causes } from '../record/causes.js';
import { count, many } from '../stats/figure-words.js';
import { HOST, lookUp } from '../wire/tenancy.js';
import { linedOf, Numbering, namesOf } from './joins/numbering.js';

/** More than a sentence holds. */
const NAMED_MOST = 6;

/**
 * @param {WireRecord} wire
 * @param {Edge[]} expected  by the names that figures have, observed or not
 * @returns {WireGap[]}
 */
export function gapsOf(wire, expected) {
  const where = new Networks(wire, expected);
  return [...wire.networks.flatMap((network) => ofNetwork(network, where)), ...lateOf(wire, where), ...ofDecoders(wire)];
}

/** Which edges pass which networks. A record from before does not say which network an address is of: then it may be any. */
class Networks {
  #wire;
  #nameOf;
  #expected;
  /** Of each name. @type {Map<string, Set<string>>} */
  #joined = new Map();
  #at;

  /** @param {WireRecord} wire @param {Edge[]} expected */
  constructor(wire, expected) {
    this.#wire = wire;
    this.#expected = expected;
    this.#nameOf = namesOf(wire.services);
    this.#at = lookUp(wire.services);
    for (const { name, network } of wire.services)
      if (network !== undefined) this.#joined.set(name, (this.#joined.get(name) ?? new Set()).add(network));
    for (const { network, members = [] } of wire.networks)
      for (const name of members) this.#joined.set(name, (this.#joined.get(name) ?? new Set()).add(network));
  }

  /** @param {import('../wire/connection.js').ConnectionRecord} connection @returns {string | undefined} */
  of({ client, server, opened_at: at }) {
    return this.#at(client, at)?.network ?? this.#at(server, at)?.network;
  }

  /** @param {import('../wire/connection.js').ConnectionRecord} connection @returns {Edge} */
  edgeOf({ client, server, opened_at: at }) {
    return { from: this.#nameOf(client, at), to: this.#nameOf(server, at) };
  }

  /** @param {string} network @returns {Edge[]} */
  edgesOn(network) {
    const observed = this.#wire.connections.filter((connection) => (this.of(connection) ?? network) === network);
    return unlike([
      ...observed.map((connection) => this.edgeOf(connection)),
      ...this.#expected.filter((edge) => this.#mayPass(edge, network)),
    ]);
  }

  /** Whom no other network leads to is asked there, from wherever. @param {Edge} edge @param {string} network */
  #mayPass({ from, to }, network) {
    const networks = [from, to].map((name) => this.#joined.get(name));
    return networks.every((own) => own?.has(network) ?? true) || networks.some((own) => own?.size === 1 && own.has(network));
  }
}

/** Each once; what the lab itself asks, it asks from the machine. @param {Edge[]} edges @returns {Edge[]} */
const unlike = (edges) => [
  ...new Map(edges.filter(({ from }) => from !== HOST).map(({ from, to }) => [`${from} ${to}`, { from, to }])).values(),
];

/** @param {NetworkRecord} network @param {Networks} where @returns {WireGap[]} */
function ofNetwork(network, where) {
  const lost = lostOf(network);
  // Of most networks nothing is, and their edges are not looked for.
  const edges = lost.length === 0 ? [] : where.edgesOn(network.network);
  return lost.map((one) => ({ ...one, edges }));
}

/** @param {NetworkRecord} network @returns {Pick<WireGap, 'kind' | 'text'>[]} */
function lostOf({ network, unseen, members, ended_early: early, dropped, counters }) {
  if (unseen !== '') return [{ kind: 'unseen', text: members ? unseen : `${network} was not recorded: ${unseen}` }];
  /** @type {(kind: WireGap['kind'], text: string) => Pick<WireGap, 'kind' | 'text'>} */
  const lost = (kind, text) => ({ kind, text });
  return [
    ...(dropped === null ? [lost('dropped', `whether packets of ${network} were dropped is not known`)] : []),
    ...(dropped
      ? [lost('dropped', `${many(dropped, 'packet')} of ${network} ${dropped === 1 ? 'was' : 'were'} dropped by the kernel`)]
      : []),
    ...(early === '' ? [] : [lost('ended', `the recording of ${network} ended before the load: ${early}`)]),
    ...(counters?.broken ? [lost('ended', `the capture of ${network} could not be read to its end: ${counters.broken}`)] : []),
    ...(counters?.is_cut ? [lost('ended', `the capture of ${network} ends within a packet`)] : []),
  ];
}

/** Connections whose beginning was not recorded. @param {WireRecord} wire @param {Networks} where @returns {WireGap[]} */
function lateOf({ connections }, where) {
  const midway = connections.filter((connection) => connection.midway && connection.transport === 'tcp');
  const edges = unlike(midway.map((connection) => where.edgeOf(connection)));
  if (edges.length === 0) return [];
  return [{ kind: 'late', text: `the beginning of ${many(midway.length, 'connection')} was not recorded`, edges }];
}

/** @param {WireRecord} wire @returns {WireGap[]} */
function ofDecoders({ services, connections }) {
  const nameOf = namesOf(services);
  /** Edges of connections, by protocol. @type {Map<string, Edge[]>} */
  const faults = new Map();
  for (const { client, server, opened_at: at, protocol, fault } of connections) {
    if (fault === '') continue;
    const own = faults.get(protocol) ?? [];
    own.push({ from: nameOf(client, at), to: nameOf(server, at) });
    faults.set(protocol, own);
  }
  return [...faults].map(([protocol, edges]) => ({
    kind: 'unread',
    text: `the decoder of ${protocol} failed in ${many(edges.length, 'connection')}`,
    edges: unlike(edges),
  }));
}

/** @param {WireGap} gap @returns {string} in a sentence */
export function gapText({ text, edges }) {
  const named = edges.slice(0, NAMED_MOST).map(({ from, to }) => `${from} → ${to}`);
  const more = edges.length > NAMED_MOST ? ` and ${count(edges.length - NAMED_MOST)} more` : '';
  return named.length === 0 ? text : `${text}; calls may be missing on ${named.join(', ')}${more}`;
}

/**
 * Whether calls may be missing on an edge.
 * @param {WireGap[]} gaps
 * @param {WireGap['kind'][]} kinds  that count
 * @param {(edge: Edge) => boolean} isIt
 */
export const isTouched = (gaps, kinds, isIt) => gaps.some(({ kind, edges }) => kinds.includes(kind) && edges.some(isIt));

/**
 * The record of the wire for those who compare it with other records: calls and connections of the load by who asked whom.
 *
 * @typedef {import('../wire/record.js').WireCall} WireCall
 * @typedef {import('../wire/connection.js').ConnectionRecord} ConnectionRecord
 *
 * @typedef {object} Way          from one service to another, whatever the port
 * @property {string} from
 * @property {string} to
 * @property {WireCall[]} calls     questions that began in the load or after it; without set-ups of connections and heartbeats
 * @property {ConnectionRecord[]} silent  connections that were asked for in that time, and on which no question came
 * @property {boolean} [isHidden]  what was said there is of a protocol that is known and not read, such as TLS, so that its calls are not known
 */

/** What a service is asked for. */
const ASKING = new Set(['call', 'wait']);

/**
 * @param {import('./joins/numbering.js').Lined} lined
 * @param {number} from  the load's beginning. What k6 is done with others still work on, so there is no end
 * @returns {Map<string, Way>} by `from` and `to`, with a space between
 */
export function waysOf({ wire, lines, lineAt }, from) {
  /** @type {Map<string, Way>} */
  const ways = new Map();
  /** @type {Way[]} */
  const byNumber = [];
  const numbers = new Numbering();
  /** @type {Set<Way>} */
  const hiding = new Set();
  const byLine = lines.map((line) => {
    const { connection, from: asker, to: asked } = line;
    const number = numbers.of(asker, asked);
    if (byNumber[number] === undefined) {
      byNumber[number] = { from: asker, to: asked, calls: [], silent: [] };
      ways.set(`${asker} ${asked}`, byNumber[number]);
    }
    const way = byNumber[number];
    if (connection.hidden_bytes > 0) hiding.add(way);
    const isSilent = connection.asked_at === null && !connection.midway;
    if (isSilent && connection.opened_at >= from) way.silent.push(connection);
    return way;
  });
  for (let index = 0; index < wire.calls.length; index += 1) {
    const call = wire.calls[index];
    if (lineAt[index] >= 0 && call.began_at >= from && ASKING.has(call.role ?? 'call')) byLine[lineAt[index]].calls.push(call);
  }
  for (const way of hiding) if (way.calls.length === 0) way.isHidden = true;
  return ways;
}

/** @param {Map<string, Way>} ways @param {string} from */
export const waysFrom = (ways, from) => [...ways.values()].filter((way) => way.from === from);

/** @typedef {{ way: Way, call: WireCall }} Asked */

/** @param {Map<string, Way>} ways @param {Set<string>} wanted @returns {Map<string, Asked[]>} calls by their ids, in the order of time on each way */
export function callsById(ways, wanted) {
  /** @type {Map<string, Asked[]>} */
  const found = new Map();
  for (const way of ways.values())
    for (let index = 0; index < way.calls.length; index += 1) {
      const call = way.calls[index];
      const { id } = call;
      if (id === undefined || !wanted.has(id)) continue;
      const asked = found.get(id);
      if (asked) asked.push({ way, call });
      else found.set(id, [{ way, call }]);
    }
  return found;
}

/**
 * Placements that say of a request, or of its answer, that it never arrived or was not read, compared with the wire: where that lost packets of
 * the edge, or saw what is said not to have been, nothing proves it.
 *
 * @typedef {import('./ledger/place.js').Placement} Placement
 * @typedef {import('./ledger/place.js').Basis} Basis
 * @typedef {import('./ledger/ledger.js').PlacedTrace} PlacedTrace
 */

/**
 * @param {PlacedTrace[]} all
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {PlacedTrace[]} the same, of which some are only inferred; as they are where nothing was recorded of the wire
 */
export function heldAgainstWire(all, facts) {
  const { raw, window } = facts;
  if (!raw.wire || !all.some(({ placement }) => placement && isUnarrived(placement))) return all;
  const { edges } = facts;
  const gaps = gapsOf(raw.wire, edges);
  const known = new Set(raw.wire.services.map(({ name }) => name));
  const ways = waysOf(linedOf(raw.wire), window.from);
  const asked = callsById(ways, new Set(all.map(({ trace }) => trace.id)));
  return all.map((one) => {
    const { trace, placement } = one;
    if (placement === null || !isUnarrived(placement)) return one;
    if (!isLost(gaps, placement.service, known) && !contradicts(asked.get(trace.id), placement, trace)) return one;
    return { trace, placement: { ...placement, where: unproved(placement.where), why: unproved(placement.why) } };
  });
}

/** @param {Placement} placement */
const isUnarrived = ({ cause }) => causes[cause].unarrived !== undefined;

/** @param {Basis} basis @returns {Basis} */
const unproved = (basis) => (basis === 'proved' ? 'inferred' : basis);

/**
 * Whether the wire may lack what came to a service, or to one of several that a placement names. Of one that is not on record it is not known
 * which edge leads there.
 * @param {WireGap[]} gaps @param {string} service @param {Set<string>} known
 */
function isLost(gaps, service, known) {
  const names = service.split(', ');
  return isTouched(gaps, ['dropped', 'ended'], ({ to }) => names.includes(to) || names.some((name) => !known.has(name)));
}

/**
 * Whether the wire saw what a placement says not to have been: of a request, that the service answered it or asked another for it; of an
 * answer, that it was whole before its asker had left.
 * @param {Asked[] | undefined} asked  that carry the request's id @param {Placement} placement @param {{ t: number }} trace
 */
export function contradicts(asked = [], { service, cause }, { t }) {
  const { unarrived } = causes[cause];
  const names = service.split(', ');
  const isThere = (/** @type {string} */ name) => names.includes(name);
  if (unarrived === 'request')
    return asked.some(
      ({ way, call }) => (isThere(way.to) && call.first_at !== null && call.first_at <= t) || (isThere(way.from) && call.began_at <= t),
    );
  if (unarrived !== 'answer') return false;
  const last = asked.findLast(({ way }) => isThere(way.to))?.call;
  return last?.end === 'answered' && last.ended_at !== null && last.ended_at <= t;
}
