import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceTable } from './price.js';

const NOTHING = { containers: 4, database_connections: 104, backlog: null, drained_after_s: null, stale_share: null };
/** @type {(id: string, price: object | null) => any} */
const arm = (id, price) => ({
  id,
  price: price && { ...NOTHING, ...price },
  metrics: { cpu_ms_per_good: { median: 1.2 }, latency_ms_p95_ok: { median: 250 } },
});
const tableOf = (/** @type {any[]} */ arms) => String(priceTable(arms)).replaceAll('\u00a0', ' ');

test('each arm has its price, and what it leaves for later where any does', () => {
  const table = tableOf([
    arm('2a-slots', {}),
    arm('2a-list', { containers: 6, backlog: 4000, drained_after_s: 20 }),
    arm('2a-replica', { stale_share: 0.065 }),
  ]);
  assert.match(table, /Left for later/);
  assert.match(
    table,
    /2a-slots<\/th><td class="number">250 ms<\/td><td class="number">1.2 s<\/td><td class="number">4<\/td><td class="number">104<\/td><td class="number">–</,
  );
  assert.match(table, /4,000 writes queued, 20 s to drain/);
  assert.match(table, /6.5 % of reads stale/);
});

test('where nothing is left for later there is no column of it, and results from before have no table', () => {
  assert.doesNotMatch(tableOf([arm('a', {}), arm('2a', {})]), /Left for later/);
  assert.equal(priceTable([arm('a', null), arm('2a', {})]), null);
});

test('arms of several loads stand below their load, by the name of what they are', () => {
  const under = (/** @type {string} */ load) => ({ ...arm(`2a (${load})`, {}), load });
  const table = tableOf([under('patient'), under('surge')]);
  assert.match(table, /colspan="5">load patient<[\s\S]*row">2a<[\s\S]*load surge<[\s\S]*row">2a</);
});
