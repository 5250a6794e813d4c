import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NotReadyError } from '../base/errors.js';
import { planOf } from '../diagnose/fixtures/experiment-runs.js';
import { putStoredRun } from '../diagnose/fixtures/stored-run.js';
import { listen } from '../fixtures/reporter.js';
import { report } from './report-again.js';

test('thresholds are for a run, and are refused where an experiment is judged again', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-report-'));
	try {
		await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms: [{ id: 'a', architecture: 'a' }] })));
		const judged = report(folder, { EXPECT: 'failure_rate<0.1' }, listen().reporter);
		await assert.rejects(
			judged,
			(error) => error instanceof NotReadyError && /^EXPECT: expected none, because .* an experiment/.test(error.message),
		);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('the report of a run is made again from a folder that has no reports yet', async (context) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-report-'));
	context.after(() => rm(folder, { recursive: true }));
	await putStoredRun(join(folder, 'run'));
	const reports = join(folder, 'reports');
	const env = { ...process.env, DOUBLETAKE_REPORTS: reports };
	const main = fileURLToPath(new URL('main.js', import.meta.url));
	const { stdout } = await promisify(execFile)(process.execPath, [main, 'report', join(folder, 'run')], { env });
	assert.match(stdout, /report: .*report\.html/);
	assert.ok((await lstat(join(reports, 'index.html'))).isFile());
});
