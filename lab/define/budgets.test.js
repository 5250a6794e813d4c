import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgets, CPU_PERIOD_US, quotasOf, quotaVariables } from './budgets.js';

/** What runs at once in the largest architecture so far: two nodes, and one of every other tier. */
const AT_ONCE = { app: 2, 'load-balancer': 1, database: 1, generator: 1 };

/** @param {Record<string, number>} quotas */
const sumOf = (quotas) => Object.entries(AT_ONCE).reduce((sum, [tier, count]) => sum + count * quotas[tier], 0);

for (const cores of [2, 4, 16]) {
  test(`the fair quotas of all tiers fit ${cores} cores at once`, () => {
    const quotas = quotasOf('fair', cores);
    assert.deepEqual(Object.keys(quotas).sort(), Object.keys(AT_ONCE).sort());
    assert.ok(sumOf(quotas) <= cores, `${sumOf(quotas)} of ${cores} cores`);
  });
}

test('a node has about a quarter of a core on two cores', () => {
  const { app } = quotasOf('fair', 2);
  assert.ok(app >= 0.2 && app <= 0.3, `${app} of a core`);
});

test('the quotas of scale fit with four nodes at once', () => {
  const quotas = quotasOf('scale', 2);
  assert.ok(sumOf(quotas) + 2 * quotas.app <= 2);
});

test('the generator has the largest quota, because a saturated generator spoils a run', () => {
  const { generator, ...others } = quotasOf('fair', 2);
  assert.ok(Object.values(others).every((quota) => quota < generator));
});

test('no quota is below the 1 ms that the kernel takes', () => {
  const quotas = quotasOf('fair', 0.01);
  for (const text of Object.values(quotaVariables(quotas))) assert.ok(Number(text) >= 1000, text);
  assert.equal(quotas['load-balancer'], 1000 / CPU_PERIOD_US);
});

test('without quotas there is no variable either', () => {
  assert.deepEqual(quotaVariables(quotasOf('none', 2)), {});
});

test('a variable holds whole microseconds of a period and is named after its tier', () => {
  assert.deepEqual(quotaVariables({ app: 0.3, 'load-balancer': 0.15 }), { APP_CPU_QUOTA: '3000', LOAD_BALANCER_CPU_QUOTA: '1500' });
});

test('every budget has a title', () => {
  for (const [id, { title }] of Object.entries(budgets)) assert.ok(title, id);
});
