/**
 * Every limited resource that is watched: slots of the balancer, pools, event loops, the database's connections, and what the
 * kernel limits. A record without a reading gives no limit.
 */

import { max, sum } from '../../stats/numbers.js';
import { answersOf } from '../database-rows.js';
import { tableOf } from '../ledger/front.js';
import { secondOf } from '../time/seconds.js';
import { kernelLimits } from './limits-kernel.js';
import { SATURATED_SHARE } from './saturation.js';
import { watchedLimit } from './watched-limit.js';

/**
 * @param {import('../ledger/facts.js').Facts} facts
 * @param {number[]} seconds of the timeline
 * @returns {import('./watched-limit.js').WatchedLimit[]}
 */
export function limitsOf(facts, seconds) {
  return [...balancerLimits(facts), ...nodeLimits(facts), ...databaseLimits(facts), ...toldLimits(facts), ...kernelLimits(facts)].map(
    (watched) => watchedLimit(watched, facts.window, seconds),
  );
}

/** @typedef {import('./watched-limit.js').Watched} Watched */

/** @param {import('../ledger/facts.js').Facts} facts @returns {Watched[]} */
function balancerLimits({ raw, front }) {
  if (!front) return [];
  const { service: name } = front;
  const table = tableOf(front);
  return [
    {
      id: 'balancer-connections',
      // The kernel's count holds the sockets that wait to be accepted too, so a full table with a queue exceeds the limit.
      label: 'balancer sockets, waiting ones included',
      tier: 'load-balancer',
      service: name,
      limit: table?.size ?? null,
      unit: 'connections',
      note: 'those that wait to be accepted take no slot yet',
      rows: raw.kernel.filter((row) => row.name === name),
      read: (row) => row.sockets.inuse,
      ...(table && { isReached: (/** @type {number} */ value) => value >= (table.full ?? table.size) }),
    },
  ];
}

/** What a service tells of its own limits. @param {import('../ledger/facts.js').Facts} facts @returns {Watched[]} */
function toldLimits({ hops }) {
  return hops.flatMap(({ service, tier, limits }) =>
    limits
      .filter(({ used }) => used.length > 0)
      .map(({ resource, size, used, unit = 'connections', full = size }) => ({
        id: `${service}-${resource.replaceAll(/\W+/g, '-')}`,
        label: `${resource} of ${service}`,
        tier: /** @type {import('../../record/result.js').Tier} */ (tier),
        service,
        limit: size,
        unit,
        rows: used,
        read: (row) => row.used,
        isReached: (value) => value >= full,
      })),
  );
}

/** @param {import('../ledger/facts.js').Facts} facts @returns {Watched[]} */
function nodeLimits({ raw }) {
  return Object.entries(raw.nodes).flatMap(([node, rows]) => {
    /** @type {Watched} */
    const pool = {
      id: `pool-${node}`,
      label: `pool of ${node}`,
      tier: 'pool',
      service: node,
      limit: max(rows.map(({ max_pool_size: size }) => size)),
      unit: 'connections',
      rows,
      read: (row) => row.pool?.in_use,
      queues: true,
      // A pool that is used up and that nobody waits for holds nobody back.
      isReached: (value, row) => pool.limit !== null && value >= pool.limit && row.pool.waiting > 0,
    };
    /** @type {Watched} */
    const loop = {
      id: `loop-${node}`,
      label: `event loop of ${node}`,
      tier: 'app',
      service: node,
      limit: 1,
      unit: 'busy share',
      what: 'always busy',
      rows,
      read: (row) => row.busy_share,
      isReached: (value) => value >= SATURATED_SHARE,
    };
    // A node without a database has no pool of connections to one.
    return rows.some((row) => row.pool) ? [pool, loop] : [loop];
  });
}

/** @param {import('../ledger/facts.js').Facts} facts @returns {Watched[]} */
function databaseLimits({ raw, window, databases, store }) {
  const waitingIn = waitingBySecond(raw, window);
  return databases.flatMap(({ name }) => {
    const answered = answersOf(raw.database, name);
    if (name === null || answered.length === 0) return [];
    const { open, free } = answered[0].connections;
    const isOne = databases.length === 1;
    return [
      {
        id: isOne ? 'database-connections' : `database-connections ${name}`,
        label: `${store.title} connections${isOne ? '' : ` of ${name}`}`,
        tier: 'database',
        service: name,
        limit: open + free,
        unit: 'connections',
        rows: answered,
        read: (row) => row.connections.open,
        queues: true,
        // Pools that want no more do not notice that there are none.
        isReached: (value, row) => value >= open + free && (waitingIn.get(secondOf(row.t, window)) ?? 0) > 0,
      },
    ];
  });
}

/** Requests that wait for a pooled connection, all nodes. @type {(raw: import('../read-raw.js').Raw, window: import('../time/window.js').Window) => Map<number, number>} */
function waitingBySecond({ nodes }, window) {
  /** @type {Map<number, number>} */
  const waiting = new Map();
  for (const row of Object.values(nodes).flat()) {
    const t_s = secondOf(row.t, window);
    waiting.set(t_s, sum([waiting.get(t_s), row.pool?.waiting]));
  }
  return waiting;
}
