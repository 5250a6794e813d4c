import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../fixtures/reporter.js';
import { benchProject, refuseUnlike } from './targets.js';

/** @param {Record<string, string>} env */
const bench = (env) => benchProject('/nowhere', env, { allowData: false, ...listen().around });

test('a variable that changes nothing about it is refused by name, before anything is looked at', async () => {
  for (const name of ['LOAD', 'BUDGET', 'RATE', 'THINK', 'DELAY', 'INTEGRITY', 'DASHBOARD', 'EXPECT', 'PARTS', 'FAULTS', 'ARMS'])
    await assert.rejects(
      bench({ [name]: '3' }),
      new RegExp(`^NotReadyError: ${name}: expected none, because it changes nothing about bench-overhead of your own system; found "3"`),
    );
});

test('pairs, seed and a busy machine are taken, and so is what the Compose files may read', async () => {
  // Then it looks for doubletake.yaml.
  await assert.rejects(
    bench({ REPEATS: '2', SEED: '7', BUSY: 'allow', IMAGES: 'local', WORKERS: '4', CAPTURE: '1' }),
    /expected doubletake\.yaml in/,
  );
  await assert.rejects(bench({ BUSY: 'often' }), /BUSY: expected one of refuse, allow; found "often"/);
});

test('a script whose thresholds may end it early is refused, with their metrics', () => {
  refuseUnlike({ aborting: [], asksMachine: false }, 'load.js');
  assert.throws(
    () => refuseUnlike({ aborting: ['checks', 'http_req_failed'], asksMachine: false }, 'load.js'),
    /load\.js: expected a script that runs to its end, .*; found abortOnFail in its thresholds of checks, http_req_failed\./,
  );
});
