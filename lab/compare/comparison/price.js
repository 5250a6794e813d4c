/**
 * What an architecture takes, and what it leaves for later: beside what it answered, the price of that.
 *
 * @typedef {import('../../record/experiment-result.js').Price} Price
 */

import { staleShareIn } from '../../diagnose/staleness.js';
import { max, sum } from '../../stats/numbers.js';

const DATABASE_CONNECTIONS = /^database-connections\b/;

/**
 * @param {Pick<import('../../record/result.js').Result, 'resources' | 'series' | 'queue' | 'breakdowns'>} result
 * @returns {Price}
 */
export function priceOf({ resources, series, queue, breakdowns }) {
  const containers = Object.values(resources).filter(({ tier }) => tier !== 'generator' && tier !== 'observer').length;
  // Results of earlier versions have fewer parts.
  const most = (series?.limits ?? [])
    .filter(({ id }) => DATABASE_CONNECTIONS.test(id))
    .map(({ values }) => max(values.flatMap((value) => value ?? [])));
  return {
    containers,
    // Of several databases the most of each, which need not have been at one moment.
    database_connections: most.length === 0 || most.includes(null) ? null : sum(most),
    backlog: queue ? max(queue.backlog) : null,
    drained_after_s: queue?.drained_after_s ?? null,
    stale_share: staleShareIn(breakdowns ?? []),
  };
}
