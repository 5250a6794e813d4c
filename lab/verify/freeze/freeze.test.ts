import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { putStoredRun } from '../../diagnose/fixtures/stored-run.ts';
import { listen } from '../../fixtures/reporter.ts';
import { readGroup, readRecords } from './files.ts';
import { freeze } from './freeze.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-freeze-'));
after(() => rmSync(folder, { recursive: true }));
const frozen = join(folder, 'frozen');
const run = join(folder, 'reports/2a/1');
await putStoredRun(run);

const give = (from: string | undefined, into?: string, env = {}) => freeze(from, into, env, listen().reporter, frozen);

test('a run is stored under its name with its result, where it left each failed request, and what is left of it', async () => {
	assert.equal(await give(run, 'systems/again'), 0);
	const { again } = await readGroup(frozen, 'systems');
	const { result, placed, left } = again;
	assert.equal(result.architecture, '2a');
	assert.equal(placed.length, result.metrics.failures);
	assert.equal(left.kept.failures, placed.length);
	assert.deepEqual(left.moved, []);
	assert.match(left.sentence, /requests are kept/);
});

test('of a self-test each fault is stored by its name, from the first run that is still there', async () => {
	const selftest = join(folder, 'reports/selftest');
	mkdirSync(selftest, { recursive: true });
	const scores = [
		{ fault: 'deaf', run: '2a/gone' },
		{ fault: 'deaf', run: '2a/1' },
		{ fault: 'skipped', run: '' },
	];
	writeFileSync(join(selftest, 'record.json'), JSON.stringify({ scores }));
	await give(selftest);
	assert.deepEqual([...(await readRecords(frozen, 'faults')).keys()], ['deaf']);
});

test('what is no run, has no name or a wrong one is refused', async () => {
	await assert.rejects(
		give(folder),
		/freeze: expected the folder of a run, with its raw record, or of a self-test's record; found neither in /,
	);
	await assert.rejects(give(undefined), /found none named/);
	await assert.rejects(give(run), /expected a name such as cases\/php-fpm; found ""/);
	await assert.rejects(give(run, '../x'), /found "\.\.\/x"/);
	await assert.rejects(give(run, 'a/b', { LOAD: 'smoke' }), /^NotReadyError: LOAD: expected none/);
});
