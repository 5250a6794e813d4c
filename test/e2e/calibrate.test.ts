/**
 * A calibration on real containers: what it keeps. What a run makes of it is in runs.test.js.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CALIBRATION_FILE, REPORTS } from '../../lab/base/paths.ts';
import { assertNothingIsLeft, make, newestReading, RUN_LIMIT_MS, readResult, takenIn } from './commands.ts';

test('make calibrate keeps what a request costs each tier, and says what follows from it', { timeout: RUN_LIMIT_MS }, async (context) => {
	const { exitCode, output } = await make('calibrate');
	// Twice in a row, so that nothing can be built on it.
	const taken = takenIn(output, /its run is INVALID: /);
	if (taken) return context.skip(taken);
	assert.equal(exitCode, 0, output);
	const { demand_ms: demand, machine, run } = await newestReading();
	for (const tier of ['app', 'load-balancer', 'database', 'generator']) assert.ok(demand[tier] > 0, tier);
	assert.ok(machine.cores > 0);
	assert.match(run, /^calibration\//);
	// Of users whom all have room for, none fails.
	assert.equal((await readResult(join(REPORTS, run))).metrics.failures, 0);
	assert.match(output, /BUDGET=none: no quotas; one node serves about [\d,.]+ rps/);
	assert.ok(output.includes(CALIBRATION_FILE.split('/').at(-1) ?? ''));
	await assertNothingIsLeft();
});
