import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedRates, cpuBounds } from './bounds.js';

/** @type {(name: string, tier: string, quota: number | null) => import('./demands.js').Service} */
const service = (name, tier, quota) => ({ name, tier, cpu_quota_cores: quota });

test('a tier finishes at most its capacity over its demand, and two nodes twice what one does', () => {
  const nginx = service('nginx', 'load-balancer', 0.25);
  const one = cpuBounds({ nginx: 0.0005, 'app-1': 0.002 }, [nginx, service('app-1', 'app', 0.5)], 4);
  assert.deepEqual(one[0], { by: 'app', rps: 250 });
  // With two nodes each request costs either of them half on average.
  const nodes = [service('app-1', 'app', 0.5), service('app-2', 'app', 0.5)];
  const two = cpuBounds({ nginx: 0.0005, 'app-1': 0.001, 'app-2': 0.001 }, [nginx, ...nodes], 4);
  assert.deepEqual(
    two.map(({ by, rps }) => [by, Math.round(rps)]),
    [
      ['load-balancer', 500],
      ['app', 500],
      ['machine', 1600],
    ],
  );
});

test('without quotas all tiers share the machine', () => {
  const services = [service('app-1', 'app', null), service('mongo', 'database', null)];
  assert.deepEqual(cpuBounds({ 'app-1': 0.003, mongo: 0.001 }, services, 2), [{ by: 'machine', rps: 500 }]);
});

test('quotas that exceed the machine together do not make it larger', () => {
  const services = [service('app-1', 'app', 1.5), service('mongo', 'database', 1.5)];
  assert.equal(cpuBounds({ 'app-1': 0.001, mongo: 0.001 }, services, 2)[0].by, 'machine');
});

test('a service whose demand is not known bounds nothing', () => {
  assert.deepEqual(cpuBounds({ 'app-1': null }, [service('app-1', 'app', 0.5)], 2), []);
});

/** @type {(t_s: number, p50?: number | null) => import('../../record/result.js').TimelineRow} */
const row = (t_s, p50 = null) => /** @type {any} */ ({ t_s, vus: 1, latency_ms_p50_ok: p50 });
/** @type {(unit: 'users' | 'rps', stages: import('../../../k6/lib/shapes.js').Stage[]) => import('../../../k6/lib/shapes.js').Shape} */
const shape = (unit, stages) => ({ title: '', model: unit === 'rps' ? 'open' : 'closed', unit, warmup_s: 1, stages });

test('users ask for as many requests as their number over the quickest round of answer and thinking', () => {
  const held = shape('users', [{ duration_s: 3, target: 30, held: true }]);
  assert.deepEqual(askedRates(held, [row(0, 1), row(1, 90), row(2, 50), row(3), row(4, 1000)], 0.05), [null, 300, 300, 300, null]);
});

test('users that are still being added are those planned for the end of the second', () => {
  const ramp = shape('users', [
    { duration_s: 2, target: 21 },
    { duration_s: 2, target: 41 },
  ]);
  assert.deepEqual(askedRates(ramp, [row(1, 100), row(2), row(3), row(4)], 0), [110, 210, 310, 410]);
});

test('without a good answer nothing is known of how fast users could be', () => {
  assert.deepEqual(askedRates(shape('users', [{ duration_s: 1, target: 5 }]), [row(1)], 0.01), [null]);
});

test('an open load asks for what arrives, whatever the answers take', () => {
  const open = shape('rps', [
    { duration_s: 2, target: 100 },
    { duration_s: 2, target: 100, held: true },
  ]);
  assert.deepEqual(askedRates(open, [row(0), row(1, 900), row(2), row(3), row(4), row(5)], 0), [null, 25, 75, 100, 100, null]);
});
