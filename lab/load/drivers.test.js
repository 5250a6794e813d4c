import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunFailedError } from '../base/errors.js';
import { scenarios, shapes } from '../catalog/scenarios.js';
import { architectureSystem } from '../docker/system.js';
import { drivers } from './drivers.js';

test('there is a driver for every scenario, and k6 alone is a service beside the stack', () => {
  for (const [id, { driver }] of Object.entries(scenarios)) assert.ok(Object.hasOwn(drivers, driver), id);
  assert.deepEqual([drivers.k6.profiles, drivers.program.profiles], [['load'], []]);
});

test('a program has no image of its own to ask for a version', () => {
  const images = { K6_IMAGE: 'doubletake/k6:1' };
  assert.deepEqual([drivers.k6.image(images), drivers.program.image(images)], ['doubletake/k6:1', null]);
});

test('a program is ready with the stack and needs no warm-up, and is refused where its store is not up', async () => {
  /** @type {string[]} */
  const steps = [];
  const stack = /** @type {import('../docker/containers.js').Service[]} */ ([{ name: 'app-1', tier: 'app' }]);
  const driven = drivers.program.drive({
    system: architectureSystem('a', []),
    env: { FILES: '1', THREADS: '1' },
    stack,
    shape: shapes['inserts-smoke']({}),
    ...{ rawFolder: '', writtenFolder: '' },
    progress: { say() {}, load() {}, done() {} },
    signal: new AbortController().signal,
    onReady: async (services) => {
      steps.push(`ready with ${services.map(({ name }) => name)}`);
    },
    onSettled: async () => {
      steps.push('settled');
    },
    onWarmupBegan: () => steps.push('began'),
  });
  await assert.rejects(
    driven,
    (error) => error instanceof RunFailedError && /Expected a store .* to be up; found app-1\./.test(error.message),
  );
  assert.deepEqual(steps, ['ready with app-1', 'settled']);
});
