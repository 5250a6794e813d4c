import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutFailedJobs } from './collect.js';

test('a job that fails while the load goes on is named, and one that ends well is not', () => {
  const states = [
    { name: 'import', running: false, exit_code: 4 },
    { name: 'seed', running: false, exit_code: 0 },
    { name: 'web', running: false, exit_code: 1 },
    { name: 'cron', running: true, exit_code: 0 },
  ];
  const containers = ['import', 'seed', 'cron'].map((name) => ({ name, tier: 'observer' }));
  const said = aboutFailedJobs(states, [...containers, { name: 'web', tier: 'app' }]);
  assert.deepEqual(said, ['import ended with code 4 while the load went on; no request passes it.']);
});
