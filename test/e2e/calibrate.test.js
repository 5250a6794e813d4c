/**
 * A calibration on real containers: what it keeps, and what a run makes of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALIBRATION_FILE, REPORTS } from '../../lab/define/paths.js';
import {
  assertNothingIsLeft,
  assertRan,
  make,
  newestRun,
  RUN_LIMIT_MS,
  readJson,
  readManifest,
  readResult,
  takenIn,
} from './front-door.js';

/** Of a quota: seconds of the record begin before or after the load does. */
const USED_MOST = 1.2;

const readNewest = async () => (await readJson(REPORTS, 'calibration.json')).readings.at(-1);

test('make calibrate keeps what a request costs each tier, and says what follows from it', { timeout: RUN_LIMIT_MS }, async (context) => {
  const { exitCode, output } = await make('calibrate');
  // Twice in a row, so that nothing can be built on it.
  const taken = takenIn(output, /its run is INVALID: /);
  if (taken) return context.skip(taken);
  assert.equal(exitCode, 0, output);
  const { demand_ms: demand, machine, run } = await readNewest();
  for (const tier of ['app', 'load-balancer', 'database', 'generator']) assert.ok(demand[tier] > 0, tier);
  assert.ok(machine.cores > 0);
  assert.match(run, /^calibration\//);
  assert.match(output, /BUDGET=none: no quotas; one node serves about [\d,.]+ rps/);
  assert.ok(output.includes(CALIBRATION_FILE.split('/').at(-1) ?? ''));
  await assertNothingIsLeft();
});

test(
  'a run that needs one takes the one that is there, its quotas follow from it, and nodes that warmed up without have theirs',
  { timeout: RUN_LIMIT_MS },
  async (context) => {
    const calibration = await readNewest().catch(() => null);
    if (calibration === null) return context.skip('there is no calibration');
    const outcome = await make('run-2a-slots', 'LOAD=smoke', 'BUDGET=scale');
    assertRan(outcome);
    assert.doesNotMatch(outcome.output, /calibrating first/);
    const folder = await newestRun('2a-slots');
    const { quotas_cores: quotas, services, ...manifest } = await readManifest(folder);
    assert.deepEqual(manifest.calibration, calibration);
    assert.deepEqual(manifest.quotas_lifted_in_warmup, ['app']);
    for (const { tier, name, cpu_quota_cores: quota } of services) {
      const expected = quotas[tier] ?? null;
      assert.ok(quota === expected || Math.abs(quota - expected) < 1e-6, `${name}: ${quota}, expected ${expected}`);
    }
    assert.equal(quotas.generator, undefined);
    const { calibration: told, resources } = await readResult(folder);
    assert.deepEqual(told, calibration);
    // What they used in the load is what they were given, to what the engine's own second is late by.
    for (const name of ['app-1', 'app-2'])
      assert.ok(Number(resources[name].cpu_cores.mean) < quotas.app * USED_MOST, `${name}: ${resources[name].cpu_cores.mean}`);
  },
);
