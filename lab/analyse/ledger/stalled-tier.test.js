import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, factsOf, recordOf } from '../fixtures/record.js';
import { FROM } from '../fixtures/story.js';
import { stalledTier } from './stalled-tier.js';

/** @param {(raw: import('../read-raw.js').Raw) => void} change */
function stalled(change) {
  const raw = recordOf({ balanced: true });
  change(raw);
  const { tier, service, cause, evidence } = stalledTier(factsOf(raw));
  return { place: [tier, service, cause], texts: evidence.map((piece) => (piece.kind === 'count' ? piece.text : '')) };
}

/** @type {(raw: import('../read-raw.js').Raw, name: string, seconds: number[], values: object) => void} */
function setPool(raw, name, seconds, values) {
  for (const row of raw.nodes[name]) if (seconds.includes(row.t - FROM)) Object.assign(row.pool, values);
}

const FULL = { in_use: 50, waiting: 4 };

test('a database that ended is named before anything that waits for it', () => {
  const { place, texts } = stalled((raw) => {
    endService(raw, 'mongo', 5);
    setPool(raw, 'app-1', [5, 6, 7, 8], FULL);
  });
  assert.deepEqual(place, ['database', 'mongo', 'database-down']);
  assert.deepEqual(texts, ['mongo had ended']);
});

test('a standstill of the database is named before one of a node', () => {
  const { place, texts } = stalled((raw) => {
    raw.database = raw.database.filter(({ t }) => t <= FROM + 2 || t >= FROM + 7);
    raw.nodes['app-1'] = raw.nodes['app-1'].filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
  });
  assert.deepEqual(place, ['database', 'mongo', 'database-slow']);
  assert.deepEqual(texts, ['mongo stood still for 5.0 s']);
});

test('a pool is where requests waited when it was full for three seconds', () => {
  assert.deepEqual(stalled((raw) => setPool(raw, 'app-2', [3, 5, 7], FULL)).place, ['pool', 'app-2', 'client-gave-up']);
});

test('a pool is not full for less long, with no request waiting, or in the warm-up', () => {
  const entry = ['load-balancer', 'nginx', 'client-gave-up'];
  assert.deepEqual(stalled((raw) => setPool(raw, 'app-2', [3, 5], FULL)).place, entry);
  assert.deepEqual(stalled((raw) => setPool(raw, 'app-2', [3, 5, 7], { in_use: 50, waiting: 0 })).place, entry);
  assert.deepEqual(stalled((raw) => setPool(raw, 'app-2', [-3, -2, -1], FULL)).place, entry);
});

test('requests in flight in the warm-up do not count', () => {
  const { place, texts } = stalled((raw) => {
    raw.nodes['app-1'][2].in_flight = 500;
    raw.nodes['app-2'][12].in_flight = 3;
  });
  assert.deepEqual(place, ['app', 'app-2', 'client-gave-up']);
  assert.deepEqual(texts, ['most requests in flight at app-2']);
});
