import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../catalog/claims.js';
import { notCarriedOver, notCarriedOverBy } from './carries.js';

const CARRIES = { tier: /** @type {const} */ ('database'), share: 0.9, source: 'the source waited for its disk' };
/** @type {(mean: number | null, quota: number | null, tier?: string) => any} */
const result = (mean, quota, tier = 'database') => ({
  resources: { mongo: { tier, cpu_quota_cores: quota, cpu_cores: { mean, max: mean } } },
});

test('a verdict does not carry over where the tier was at its CPU quota in every kept run', () => {
  assert.equal(
    notCarriedOver(CARRIES, [result(0.294, 0.3), result(0.291, 0.3)]),
    'Its bottleneck: mongo was held to 0.30 cores here and used 97.0 % to 98.0 % of them; the source waited for its disk.',
  );
  assert.equal(notCarriedOver(CARRIES, [result(0.294, 0.3), result(0.2, 0.3)]), null);
});

test('nothing is said where no run says it: none kept, no quota, another tier', () => {
  for (const runs of [[], [result(0.3, null)], [result(null, 0.3)], [result(0.3, 0.3, 'app')]])
    assert.equal(notCarriedOver(CARRIES, runs), null);
});

test('only runs of the arms of its tests count, and only where something is decided', () => {
  const [w1] = claimsOf('workers').filter(({ id }) => id === 'W1');
  const kept = [
    { arm: 'workers-10', result: result(0.294, 0.3) },
    { arm: 'workers-40', result: result(0.1, 0.3) },
  ];
  assert.match(notCarriedOverBy(w1, 'REFUTED', kept) ?? '', /I\/O or lock-contention bound rather than CPU-bound/);
  assert.equal(notCarriedOverBy(w1, 'INCONCLUSIVE', kept), null);
  assert.equal(notCarriedOverBy({ ...w1, carries: undefined }, 'REFUTED', kept), null);
});
