/**
 * What the record of the wire does not have, and the edges that it may miss calls of: what a network's capture lost, and what no decoder read.
 *
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../wire/record.js').NetworkRecord} NetworkRecord
 * @typedef {import('../record/types.js').WireGap} WireGap
 * @typedef {{ from: string, to: string }} Edge
 */

import { count, many } from '../stats/figure-words.js';
import { HOST, lookUp } from '../wire/tenancy.js';
import { namesOf } from './joins/joined.js';

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
