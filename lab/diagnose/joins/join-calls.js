/**
 * Which calls of a service belong to which call that it served: by an id where both carry it, else one to one by order (by-order.js).
 * Only what a request waits for is joined: heartbeats, set-ups of connections that went well, blocking reads and what goes on without requests
 * never are.
 *
 * @typedef {import('./spans.js').Spans} Spans
 *
 * @typedef {object} Joins       indices are those of the calls (joined.js)
 * @property {Int32Array} parent    the call that it was made for; -1: none is known
 * @property {Uint8Array} basis     BY_ID or BY_ORDER where it has a parent
 * @property {Uint8Array} ambiguous 1: another assignment would fit as well
 * @property {JoinedEdge[]} edges   of services that serve calls themselves, the busiest first
 * @property {(request: number, to: string) => number | null} askedAlone  share of the requests of its kind that asked that container's service,
 *   of those that were alone in their own; null where too few were
 *
 * @typedef {Pick<Joins, 'parent' | 'basis' | 'ambiguous'>} Columns
 *
 * @typedef {object} JoinedEdge
 * @property {string} from
 * @property {string} to
 * @property {number} calls
 * @property {number} by_id
 * @property {number} by_order
 * @property {number} ambiguous  of those that were joined
 */

import { profilesOf } from './alone.js';
import { besideOf } from './beside.js';
import { joinById } from './by-id.js';
import { joinByKind } from './by-kind.js';
import { joinByOrder } from './by-order.js';
import { grouped } from './grouped.js';
import { Choices } from './matching.js';
import { BY_ID, BY_ORDER } from './rules.js';
import { neighboursOf } from './transactions.js';

/** What all requests ask alike tells nothing of whose a call is. */
const KINDS_LEAST = 2;
/**
 * Requests of all services whose calls are dealt (by-kind.js): that takes some tenths of a millisecond of each, several times what order
 * takes, and a run of many is to be told within seconds. The lab's own choice.
 */
const DEALT_MOST = 20_000;

/**
 * @param {Spans} spans
 * @param {{ steps: number }} [work]  counts what was looked at, for tests
 * @returns {Joins}
 */
export function joinCalls(spans, work = { steps: 0 }) {
  const size = spans.calls.length;
  const joins = { parent: new Int32Array(size).fill(-1), basis: new Uint8Array(size), ambiguous: new Uint8Array(size) };
  const containers = [...spans.containers()].filter(({ served, made }) => served.length > 0 && made.length > 0);
  /** 1: it may have been asked for a request of which no id tells. */
  const isAsked = new Uint8Array(size);
  const asking = containers.map(({ service, served, made }) => {
    const { left, isPassedOn } = joinById(spans, served, made, joins);
    const beside = besideOf(spans, served, left);
    const asked = left.filter((call) => !beside.has(spans.kind[call]));
    for (const call of asked) isAsked[call] = 1;
    const all = made.filter((call) => joins.parent[call] >= 0 || isAsked[call] === 1);
    return { service, served, isPassedOn, made: all, left: asked };
  });
  const services = [...grouped(asking, ({ service }) => service)].map(([service, own]) => ({
    service,
    own,
    profiles: profilesOf(spans, own),
  }));
  const dealt = new Set(services.filter(({ profiles }) => areApart(profiles)));
  const count = [...dealt].flatMap(({ own }) => own).reduce((sum, { served }) => sum + served.length, 0);
  const requestsMost = mostOf(asking.map(({ served }) => served));
  const lefts = asking.map(({ left }) => left);
  const room = { neighbours: neighboursOf(spans, lefts), choices: new Choices(requestsMost, mostOf(lefts)) };
  for (const service of services) {
    const profileOf = (/** @type {number} */ request) => service.profiles.get(spans.way[request]);
    for (const { served, made, left, isPassedOn } of service.own) {
      const isDealt = dealt.has(service) && count <= DEALT_MOST;
      const whole = isDealt ? joinByKind(spans, { served, made, isPassedOn, profileOf, work }, joins) : new Set();
      joinByOrder(spans, served, left, joins, { work, isPassedOn, profileOf, isWhole: (request) => whole.has(request), ...room });
    }
  }
  const profiles = new Map(services.map((one) => [one.service, one.profiles]));
  return { ...joins, edges: edgesOf(spans, joins), askedAlone: askedAloneBy(spans, profiles) };
}

/** @param {number[][]} lists */
const mostOf = (lists) => lists.reduce((most, { length }) => Math.max(most, length), 0);

/** It outlives the columns, of which it keeps what it needs. @param {Spans} spans @param {Map<string, ReturnType<typeof profilesOf>>} profiles @returns {Joins['askedAlone']} */
function askedAloneBy({ edge, edges, way, serviceOf }, profiles) {
  return (request, to) => {
    const profile = profiles.get(serviceOf(edges[edge[request]].to))?.get(way[request]);
    return profile ? (profile.callees.get(serviceOf(to)) ?? 0) : null;
  };
}

/** Whether what a request asks tells of which kind it is. @param {ReturnType<typeof profilesOf>} profiles */
const areApart = (profiles) => profiles.size >= KINDS_LEAST && [...profiles.values()].some(({ isOne }) => !isOne);

/** @param {Spans} spans @param {Columns} joins @returns {JoinedEdge[]} */
function edgesOf(spans, { parent, basis, ambiguous }) {
  /** @type {Map<number, JoinedEdge>} */
  const edges = new Map();
  for (const { served, made } of spans.containers()) {
    if (served.length === 0) continue;
    for (let place = 0; place < made.length; place += 1) {
      const call = made[place];
      const number = spans.edge[call];
      let edge = edges.get(number);
      if (edge === undefined) {
        edge = { ...spans.edges[number], calls: 0, by_id: 0, by_order: 0, ambiguous: 0 };
        edges.set(number, edge);
      }
      edge.calls += 1;
      if (parent[call] < 0) continue;
      edge.by_id += basis[call] === BY_ID ? 1 : 0;
      edge.by_order += basis[call] === BY_ORDER ? 1 : 0;
      edge.ambiguous += ambiguous[call];
    }
  }
  return [...edges.values()].toSorted((one, other) => other.calls - one.calls);
}
