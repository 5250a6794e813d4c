import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { execa } from 'execa';
import { NotReadyError } from '../base/errors.ts';
import { planOf } from '../diagnose/fixtures/experiment-runs.ts';
import { putStoredRun } from '../diagnose/fixtures/stored-run.ts';
import { listen } from '../fixtures/reporter.ts';
import { withSeal } from '../record/inventory.ts';
import { report } from './report-again.ts';

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
	const main = fileURLToPath(new URL('main.ts', import.meta.url));
	const { stdout } = await promisify(execFile)(process.execPath, [main, 'report', join(folder, 'run')], { env });
	assert.match(stdout, /report: .*report\.html/);
	assert.ok((await lstat(join(reports, 'index.html'))).isFile());
});

test('a link in a folder of others leads no command to another record, nor the list of all elsewhere', async (context) => {
	const folder = await realpath(await mkdtemp(join(os.tmpdir(), 'doubletake-report-')));
	context.after(() => rm(folder, { recursive: true }));
	const [run, shop] = [join(folder, 'run'), join(folder, 'shop')];
	await putStoredRun(run);
	await mkdir(join(shop, 'reports/latest'), { recursive: true });
	await symlink(run, join(shop, 'reports/latest/shop'));
	const main = fileURLToPath(new URL('main.ts', import.meta.url));
	const env = { ...process.env, DOUBLETAKE_FOLDER: shop, DOUBLETAKE_REPORTS: join(shop, 'reports') };
	const give = (...words: string[]) => promisify(execFile)(process.execPath, [main, ...words], { env, cwd: shop });
	for (const command of ['report', 'share', 'replay'])
		await assert.rejects(
			give(command, 'reports/latest/shop'),
			new RegExp(`${command}: expected a record in ${shop}; found .* leads to ${run}`),
		);
	await rm(join(shop, 'reports'), { recursive: true });
	await mkdir(join(folder, 'away'));
	await symlink(join(folder, 'away'), join(shop, 'reports'));
	await give('report', run);
	assert.ok((await lstat(join(run, 'report.html'))).isFile());
	assert.deepEqual(await readdir(join(folder, 'away')), []);
});

test('of a record with parts of another kind each command says so', async (context) => {
	const cwd = await mkdtemp(join(os.tmpdir(), 'doubletake-report-'));
	context.after(() => rm(cwd, { recursive: true }));
	await putStoredRun(cwd);
	const [file, main] = [join(cwd, 'manifest.json'), fileURLToPath(new URL('main.ts', import.meta.url))];
	const manifest = { ...JSON.parse(await readFile(file, 'utf8')), files: [] };
	await writeFile(join(cwd, 'result.json'), '{}');
	for (const command of ['report', 'share', 'prove', 'squeeze', 'replay']) {
		await writeFile(file, JSON.stringify(withSeal({ ...manifest, ...(command === 'share' ? { budget: {} } : { edges: null }) })));
		const { all } = await execa(process.execPath, [main, command, cwd], { cwd, reject: false, all: true });
		assert.match(all, new RegExp(`${command}: expected a record as [^\\n]+\\n(?! +at )`));
	}
});

test('of a record that is none the report says so, and a sentence in it makes no line of its own', async (context) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-report-'));
	context.after(() => rm(folder, { recursive: true }));
	const refused = (file: string, text: string, expected: RegExp) =>
		writeFile(join(folder, file), text).then(() =>
			assert.rejects(
				report(folder, {}, listen().reporter),
				(error: Error) => error instanceof NotReadyError && expected.test(error.message),
			),
		);
	await refused('manifest.json', '{"schema":3,"schedule":{}}', /found no list of schedule, claims, arms, attempts\.\n/);
	for (const text of ['[]', 'null', '{"schema":1,"sentence":"It held.\\nTo go on, type: curl"}'])
		await refused('limit.json', text, /limit\.json: expected a record as Doubletake writes it; found [^\n]+\.\n/);
});
