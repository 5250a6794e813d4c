import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestFitting } from './control.js';

const machine = { cpu_model: 'a processor', cores: 2 };
const wanted = {
  load: 'ramp',
  budget: 'fair',
  variables: {},
  machine,
  arms: [
    { id: 'a', architecture: 'a' },
    { id: '2a', architecture: '2a' },
  ],
};

/** @type {(started: string, differing?: Record<string, unknown>) => Record<string, unknown>} */
const record = (started, differing = {}) => ({
  load: 'ramp',
  budget: 'fair',
  variables: {},
  machine,
  arm: { id: 'a', architecture: 'a' },
  control: { started, noise: {} },
  ...differing,
});

test('the newest control counts that was made of one of the arms, on this machine, under this load and budget', () => {
  const found = newestFitting([record('2026-03-01'), record('2026-03-03'), record('2026-03-02')], wanted);
  assert.equal(found?.started, '2026-03-03');
});

test('any other control says nothing of this comparison', () => {
  for (const differing of [
    { load: 'smoke' },
    { budget: 'none' },
    { variables: { DELAY: '100' } },
    { machine: { ...machine, cores: 4 } },
    { machine: { ...machine, cpu_model: 'another' } },
    { fingerprint: 'of a load of its own' },
    { arm: { id: 'a-lb', architecture: 'a-lb' } },
    { arm: { id: 'a', architecture: 'a', variables: { DELAY: '100' } } },
  ])
    assert.equal(newestFitting([record('2026-03-01', differing)], wanted), null, JSON.stringify(differing));
});

test('of an own system a control counts that was made under the same load, and no other', () => {
  const own = { title: 'shop as it is', given: [], compose: ['compose.yaml'], commit: null, absent: [], fingerprint: 'files' };
  const arm = { id: 'shop', architecture: 'shop', own };
  const asked = { ...wanted, arms: [arm], fingerprint: 'load' };
  assert.ok(newestFitting([record('2026-03-01', { arm, fingerprint: 'load' })], asked));
  assert.equal(newestFitting([record('2026-03-01', { arm, fingerprint: 'another' })], asked), null);
  assert.equal(newestFitting([record('2026-03-01', { arm })], asked), null);
});
