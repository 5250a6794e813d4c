/**
 * The picture of the run: the tiers in the order that requests pass, how many passed between them, and where they were lost.
 */
import { sum } from './numbers.js';

const TIER_ORDER = ['generator', 'load-balancer', 'app', 'pool', 'database', 'queue'];

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {import('../define/result.js').Ledger} ledger
 * @returns {import('../define/result.js').Flow}
 */
export function flowOf(facts, { tiers, failures }) {
  const { generator, balancer, nodes, database } = facts;
  const names = Object.keys(nodes);
  const served = names.map((name) => nodes[name].received);
  const flowNodes = [...tiers]
    .sort((one, other) => TIER_ORDER.indexOf(one.tier) - TIER_ORDER.indexOf(other.tier))
    .map(({ tier, service, received, answered_ok, answered_error }) => ({
      id: service,
      label: service,
      tier,
      // The picture speaks of requests; the pool's own count is of checkouts, several to a request.
      ...(tier === 'pool' ? { received: sum(served), answered_ok: null, answered_error: null } : { received, answered_ok, answered_error }),
      note: noteOf(tier, facts),
    }));
  const edges = balancer
    ? [
        edge(generator.name, balancer.name, generator.finished, null),
        ...names.map((name, index) => edge(balancer.name, name, served[index], share(served[index], sum(served)))),
      ]
    : names.map((name, index) => edge(generator.name, name, served[index], share(served[index], sum(served))));
  if (database.name && names.length > 0) {
    edges.push(...names.map((name) => edge(name, 'pool', nodes[name].received, null)));
    // Where not every request leaves a document behind, each is one operation of another kind.
    const reached = generator.created === generator.ok ? database.inserts : database.operations;
    edges.push(edge('pool', database.name, reached, null));
  } else if (database.name) edges.push(edge(generator.name, database.name, database.inserts, null));
  const outlets = failures.map(({ tier, service, cause_title, count }) => ({
    // A pool is inside its node; the picture shows it by itself.
    at: tier === 'pool' ? 'pool' : service,
    cause_title,
    count,
    share: generator.finished === 0 ? 0 : count / generator.finished,
  }));
  return { nodes: flowNodes, edges, outlets };
}

/** @type {(from: string, to: string, requests: number | null, share: number | null) => import('../define/result.js').Flow['edges'][number]} */
const edge = (from, to, requests, part) => ({ from, to, requests, share: part });

/** @type {(part: number, whole: number) => number | null} */
const share = (part, whole) => (whole === 0 ? null : part / whole);

/** @type {(tier: string, facts: import('./ledger/facts.js').Facts) => string} */
function noteOf(tier, { nodes, balancer, database, generator, raw }) {
  if (tier === 'pool') {
    const checkouts = sum(Object.values(nodes).map((node) => node.checkouts));
    const waited = sum(Object.values(nodes).map((node) => node.waitMs));
    return `${checkouts.toLocaleString('en-US')} checkouts${checkouts > 0 ? `, mean wait ${(waited / checkouts).toFixed(1)} ms` : ''}`;
  }
  if (tier === 'load-balancer' && balancer?.slots) return `${balancer.slots.toLocaleString('en-US')} connection slots`;
  if (tier === 'database') {
    const refused = database.rejected ? database.rejected.after - database.rejected.before : null;
    return refused === null
      ? `${raw.program ? 'records' : 'documents'} inserted`
      : `refused ${refused.toLocaleString('en-US')} connections`;
  }
  if (tier === 'generator') return `${generator.started.toLocaleString('en-US')} started`;
  return '';
}
