import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rotatedLogs } from './rotated-logs.ts';

const reasons: (failed: number, rotated?: string[]) => string[] = (failed, rotated) =>
	rotatedLogs({ facts: { raw: { manifest: { rotated_logs: rotated } }, generator: { failed } } } as any).map(
		({ grade, rule, reason }) => `${grade} ${rule}: ${reason}`,
	);

test('a log that may lack lines is a doubt where requests failed, and none where none did', () => {
	assert.deepEqual(reasons(3, ['web', 'db']), [
		'SUSPECT unlogged web: the log of web may lack lines of the load: the engine keeps no more of it',
		'SUSPECT unlogged db: the log of db may lack lines of the load: the engine keeps no more of it',
	]);
	assert.deepEqual([reasons(0, ['web']), reasons(3)], [[], []]);
});
