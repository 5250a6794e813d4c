/**
 * A run whose engine has a kernel of its own (Docker Desktop): CPU and memory by the engine's API, and nothing of what the kernel counts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../record/types.js';
import { copyOf, readStoredRun } from './fixtures/stored-run.ts';
import { resultOf } from './result.ts';

const stored = await readStoredRun();

/** As the same run would have been recorded there. */
function recordedElsewhere() {
	const raw = copyOf(stored);
	raw.kernel = [];
	raw.host = [];
	raw.containers = raw.containers.map(({ pressure, fds, ...reported }) => reported);
	return raw;
}

/** The machine's own limits that were read, such as pressure. */
const ofMachine = ({ series }: Result) =>
	series.limits.filter(({ tier, values }) => tier === 'machine' && values.some((value) => value !== null)).map(({ id }) => id);

test('its requests are counted and placed as ever, and what is missing is a doubt', () => {
	const whole = resultOf(copyOf(stored));
	const reported = resultOf(recordedElsewhere());
	assert.deepEqual(reported.metrics, whole.metrics);
	assert.equal(
		reported.ledger.failures.reduce((sum, { count }) => sum + count, reported.ledger.unattributed),
		reported.metrics.failures,
	);
	assert.deepEqual(
		reported.ledger.failures.map(({ tier, count }) => [tier, count]),
		whole.ledger.failures.map(({ tier, count }) => [tier, count]),
	);
	assert.notEqual(reported.validity.verdict, 'VALID');
	assert.ok(
		reported.validity.reasons.includes("the machine's own record was not recorded, so what else it did is not known"),
		reported.validity.reasons.join('\n'),
	);
});

test('CPU and memory of each container are as they were read, and no figure stands for what was not', () => {
	const whole = resultOf(copyOf(stored));
	const reported = resultOf(recordedElsewhere());
	assert.deepEqual(reported.resources, whole.resources);
	assert.ok(ofMachine(whole).length > 0);
	assert.deepEqual(ofMachine(reported), []);
});
