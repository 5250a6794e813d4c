/**
 * The picture of the run: the tiers in the order that requests pass, how many passed between them, and where they were lost.
 */

import { sum } from '../stats/numbers.js';
import { outsideIn } from './flow-outside.js';
import { tableOf } from './ledger/front.js';
import { pooledNodes } from './ledger/hops.js';
import { WIRE_SOURCE } from './wire-ledger.js';

/** @typedef {import('../record/result.js').FlowEdge} FlowEdge */

const TIER_ORDER = ['generator', 'load-balancer', 'app', 'pool', 'cache', 'database', 'queue'];

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {import('../record/result.js').Ledger} ledger
 * @param {import('../record/result.js').WireOutside[]} [outside]  hosts that are none of the stack
 * @returns {import('../record/result.js').Flow}
 */
export function flowOf(facts, { hops, edges, failures }, outside = []) {
  const { generator } = facts;
  const nodes = { ...facts.nodes, ...facts.workers };
  const told = new Set(facts.hops.map(({ service }) => service));
  const served = sum(pooledNodes(facts).map((name) => nodes[name].received));
  const flowNodes = [...hops]
    .sort((one, other) => TIER_ORDER.indexOf(one.tier) - TIER_ORDER.indexOf(other.tier))
    .map(({ tier, service, received, answered_ok, answered_error }) => ({
      id: service,
      label: service,
      tier,
      // The picture speaks of requests; the pool's own count is of checkouts, several to a request.
      ...(tier === 'pool' && !told.has(service)
        ? { received: served, answered_ok: null, answered_error: null }
        : { received, answered_ok, answered_error }),
      note: told.has(service) && tier !== 'load-balancer' ? '' : noteOf(tier, service, facts),
    }));
  const outlets = mergedOutlets(failures, told).map(({ at, cause_title, count }) => ({
    at,
    cause_title,
    count,
    share: generator.finished === 0 ? 0 : count / generator.finished,
  }));
  const others = outsideIn(
    outside,
    flowNodes.map(({ id }) => id),
  );
  return { nodes: [...flowNodes, ...others.nodes], edges: [...throughPool(facts, edges, hops), ...others.edges], outlets };
}

/**
 * A trigger that several nodes share is drawn at the first of them; one that several made more of, once.
 * @type {(failures: import('../record/result.js').Failure[], told: Set<string>) => { at: string, cause_title: string, count: number }[]}
 */
function mergedOutlets(failures, told) {
  /** @type {Map<string, { at: string, cause_title: string, count: number }>} */
  const outlets = new Map();
  for (const { tier, service, cause_title, count } of failures) {
    // A pool that is inside its node the picture shows by itself.
    const at = tier === 'pool' && !told.has(service) ? 'pool' : service.split(', ')[0];
    const title = service.includes(', ') ? `${service}: ${cause_title}` : cause_title;
    const known = outlets.get(`${at} ${title}`);
    outlets.set(`${at} ${title}`, { at, cause_title: title, count: count + (known?.count ?? 0) });
  }
  return [...outlets.values()];
}

/**
 * The picture has the pools as one box between nodes and database.
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {import('../record/result.js').Edge[]} edges
 * @param {import('../record/result.js').Hop[]} hops
 * @returns {FlowEdge[]}
 */
function throughPool(facts, edges, hops) {
  const stores = facts.databases.map(({ name }) => name);
  const names = Object.keys(facts.nodes);
  const nodes = { ...facts.nodes, ...facts.workers };
  const pooled = pooledNodes(facts);
  const served = sum(names.map((name) => nodes[name].received));
  const drawn = edges
    .filter(({ from, to }) => !(pooled.includes(from) && stores.includes(to)))
    .map((edge) => {
      const isNode = names.includes(edge.to);
      return { ...passedOn(edge, isNode), share: isNode ? share(edge.received ?? 0, served) : null };
    });
  const asked = [...new Set(edges.filter(({ from, to }) => pooled.includes(from) && stores.includes(to)).map(({ to }) => to))];
  if (asked.length === 0) return drawn;
  return [
    ...drawn,
    ...pooled.map((name) => ({ from: name, to: 'pool', requests: nodes[name].received, share: null })),
    ...asked.map((name) => ({ from: 'pool', to: name, ...reached(hops, name), share: null })),
  ];
}

/** @param {import('../record/result.js').Hop[]} hops @param {string} name @returns {Pick<FlowEdge, 'requests' | 'source'>} */
function reached(hops, name) {
  const hop = hops.find(({ service }) => service === name);
  return { requests: hop?.received ?? null, ...(hop?.source === WIRE_SOURCE ? { source: 'wire' } : {}) };
}

/**
 * By a record of one of its ends where there is one, else by the wire. Who hands out and keeps no count of it is counted by those who took.
 * @param {import('../record/result.js').Edge} edge @param {boolean} isNode  to: counts what it receives itself @returns {Omit<FlowEdge, 'share'>}
 */
function passedOn({ from, to, sent, sent_source, received, received_source, wire }, isNode) {
  const ends = [
    { requests: sent, by: sent_source },
    { requests: received, by: received_source },
  ];
  const counted = (isNode ? ends.slice(1) : ends).filter(({ requests }) => requests !== null);
  const found = counted.find(({ by }) => by !== WIRE_SOURCE) ?? counted[0];
  if (found === undefined) return { from, to, requests: null, ...(wire ? { connections: wire.connections } : {}) };
  if (found.by !== WIRE_SOURCE) return { from, to, requests: found.requests };
  return { from, to, requests: found.requests, source: 'wire', ...(wire && wire.unread_bytes > 0 ? { at_least: true } : {}) };
}

/** @type {(part: number, whole: number) => number | null} */
const share = (part, whole) => (whole === 0 ? null : part / whole);

/** @type {(database: import('./ledger/facts.js').DatabaseFacts, program: object | null) => string} */
function writtenWords({ set }, program) {
  if (set !== null) return 'operations';
  return `${program ? 'records' : 'documents'} inserted`;
}

/** @type {(tier: string, service: string, facts: import('./ledger/facts.js').Facts) => string} */
function noteOf(tier, service, { nodes: own, workers, front, databases, generator, raw }) {
  if (tier === 'pool') {
    const nodes = { ...own, ...workers };
    const checkouts = sum(Object.values(nodes).map((node) => node.checkouts));
    const waited = sum(Object.values(nodes).map((node) => node.waitMs));
    return `${checkouts.toLocaleString('en-US')} checkouts${checkouts > 0 ? `, mean wait ${(waited / checkouts).toFixed(1)} ms` : ''}`;
  }
  const slots = front && tableOf(front)?.size;
  if (tier === 'load-balancer' && slots) return `${slots.toLocaleString('en-US')} connection slots`;
  const database = databases.find(({ name }) => name === service);
  if (tier === 'database' && database) {
    const refused = database.rejected ? database.rejected.after - database.rejected.before : null;
    return refused === null ? writtenWords(database, raw.program) : `refused ${refused.toLocaleString('en-US')} connections`;
  }
  if (tier === 'generator') return generator.unanswered > 0 ? `${generator.unanswered.toLocaleString('en-US')} never answered` : '';
  return '';
}
