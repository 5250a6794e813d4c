import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { shapes } from '../../k6/shapes.js';
import { loads } from './loads.js';
import { ROOT } from './paths.js';

for (const [id, load] of Object.entries(loads)) {
  test(`${id} has a shape, a scenario and a think time`, async () => {
    assert.ok(shapes[load.shape]);
    await access(join(ROOT, 'k6', 'scenarios', `${load.scenario}.js`));
    assert.ok(load.think_time_s >= 0);
  });
}
