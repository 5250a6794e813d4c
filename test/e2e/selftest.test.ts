/**
 * The diagnosis itself: faults that are put in on purpose are named.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNothingIsLeft, start } from './commands.ts';

/** Of those that FAULTS=short has, lost by the balancer; what a node loses is put into a system of one’s own (project.test.js). */
const FAULTS = 'table-64';
/** About 35 s on two cores, with room. */
const LIMIT_MS = 120_000;

test(`make selftest FAULTS=${FAULTS} places its failed requests rightly, and leaves nothing`, { timeout: LIMIT_MS }, async () => {
	const { exitCode, all } = await start('make', ['selftest', `FAULTS=${FAULTS}`], { limitMs: LIMIT_MS });
	assert.equal(exitCode, 0, String(all));
	await assertNothingIsLeft();
});
