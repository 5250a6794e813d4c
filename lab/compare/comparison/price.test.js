import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stalenessBreakdown } from '../../diagnose/staleness.js';
import { priceOf } from './price.js';

const RESOURCES = {
  k6: { tier: 'generator' },
  'app-1': { tier: 'app' },
  'app-2': { tier: 'app' },
  mongo: { tier: 'database' },
  'database-observer': { tier: 'observer' },
};
/** @type {(id: string, values: (number | null)[]) => object} */
const limit = (id, values) => ({ id, values });
/** @type {(given?: object) => any} */
const resultOf = (given = {}) => ({
  resources: RESOURCES,
  series: { limits: [limit('database-connections', [null, 20, 104, 90]), limit('pool-app-1', [50])] },
  queue: null,
  breakdowns: [],
  ...given,
});

test('containers are those that serve, and connections to the database the most of any second', () => {
  assert.deepEqual(priceOf(resultOf()), {
    containers: 3,
    database_connections: 104,
    backlog: null,
    drained_after_s: null,
    stale_share: null,
  });
});

test('of several databases the connections add up, and one that nobody asked leaves them unknown', () => {
  const both = [limit('database-connections mongo-1', [50, 52]), limit('database-connections mongo-2', [49])];
  assert.equal(priceOf(resultOf({ series: { limits: both } })).database_connections, 101);
  const one = [both[0], limit('database-connections mongo-2', [null])];
  assert.equal(priceOf(resultOf({ series: { limits: one } })).database_connections, null);
});

test('what a queue had to do later and what reads showed too late is part of it', () => {
  const queue = { backlog: [0, 4000, 2500], drained_after_s: 20.5 };
  const node = (/** @type {number} */ stale) => ({ own: { reads: 100, stale_reads: stale, stale_le_5: stale } });
  const breakdowns = stalenessBreakdown(/** @type {any} */ ({ nodes: { 'app-1': node(4), 'app-2': node(8) } }));
  const { backlog, drained_after_s: drained, stale_share: stale } = priceOf(resultOf({ queue, breakdowns }));
  assert.deepEqual([backlog, drained, stale], [4000, 20.5, 0.06]);
});
