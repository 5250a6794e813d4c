/**
 * Where requests stood waiting when their client gave up: the tier furthest from the client that shows it was stuck.
 */
import { countEvidence } from './evidence.js';

/** Share of its quota from which on a tier is taken for saturated; quotas are enforced in 10 ms slices. */
const SATURATED_SHARE = 0.95;
const SATURATED_SECONDS = 3;

/**
 * @param {import('./facts.js').Facts} facts
 * @returns {{ tier: import('../../define/result.js').Tier, service: string, cause: string, evidence: import('../../define/result.js').Evidence[] }}
 */
export function stalledTier(facts) {
  const { database, deaths, stalls, nodes, entry, raw, window } = facts;
  const name = database.name ?? 'database';
  if (deaths.some(({ tier }) => tier === 'database')) {
    return {
      tier: 'database',
      service: name,
      cause: 'database-down',
      evidence: [countEvidence('container state', `${name} had ended`, 1)],
    };
  }
  // The first of the list stands furthest from the client.
  if (stalls.length > 0) {
    const [{ tier, name: service, from, to }] = stalls;
    const evidence = [countEvidence('observer', `${service} stood still for ${(to - from).toFixed(1)} s`, stalls.length)];
    return { tier: /** @type {'app'} */ (tier), service, cause: tier === 'database' ? 'database-slow' : 'client-gave-up', evidence };
  }
  const full = Object.entries(raw.nodes).find(([, rows]) => isPoolFull(rows, window.from) && !rows.some(isLoopBusy));
  if (full)
    return {
      tier: 'pool',
      service: full[0],
      cause: 'client-gave-up',
      evidence: [countEvidence('pool events', 'every pooled connection was in use and requests waited', 1)],
    };
  const [waiting] = Object.keys(nodes)
    .map((node) => ({ node, most: mostInFlight(raw.nodes[node], window.from) }))
    .sort((one, other) => other.most - one.most);
  if (waiting && waiting.most > 0)
    return {
      tier: 'app',
      service: waiting.node,
      cause: 'client-gave-up',
      evidence: [countEvidence('node record', `most requests in flight at ${waiting.node}`, waiting.most)],
    };
  return { tier: /** @type {'app'} */ (entry.tier), service: entry.name, cause: 'client-gave-up', evidence: [] };
}

/** @param {any[]} rows of a node @param {number} from */
const mostInFlight = (rows, from) => Math.max(0, ...rows.filter(({ t }) => t > from).map(({ in_flight: inFlight }) => inFlight));

/** @param {any} row */
const isLoopBusy = (row) => row.loop_utilisation >= SATURATED_SHARE;

/** @param {any[]} rows of a node @param {number} from */
function isPoolFull(rows, from) {
  const most = rows.find(({ event }) => event === 'start')?.max_pool_size;
  return rows.filter(({ t, pool }) => t > from && pool.waiting > 0 && pool.in_use >= most).length >= SATURATED_SECONDS;
}
