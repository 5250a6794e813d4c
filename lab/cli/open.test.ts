import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { listen } from '../fixtures/reporter.ts';
import { open } from './open.ts';

const DESKTOP = { DISPLAY: ':0' };

/**
 * A folder reports/ with pages in it, each written at a second of its own.
 * @param pages path below it to that second
 */
async function reportsWith(context: TestContext, pages: Record<string, number>) {
	const reports = await mkdtemp(join(os.tmpdir(), 'doubletake-open-'));
	context.after(() => rm(reports, { recursive: true }));
	for (const [path, second] of Object.entries(pages)) {
		await mkdir(join(reports, path, '..'), { recursive: true });
		await writeFile(join(reports, path), '<!doctype html>');
		await utimes(join(reports, path), second, second);
	}
	return reports;
}

async function opened(
	path: string | undefined,
	{
		reports,
		env = DESKTOP,
		platform = 'linux',
		couldShow = true,
	}: { reports?: string; env?: Record<string, string>; platform?: string; couldShow?: boolean },
): Promise<{ exitCode: number; said: string; shown: string[]; found: { url: string; shown: boolean } }> {
	const shown: string[] = [];
	const { reporter, err, result } = listen();
	const show = async (opener: string, url: string) => shown.push(`${opener} ${url}`) > 0 && couldShow;
	const exitCode = await open(path, { env, reporter, platform, show, reports });
	return { exitCode, said: err(), shown, found: result().result };
}

test('the report that was written last is shown, of whatever it is, and the examples that came along are none', async (context) => {
	const reports = await reportsWith(context, {
		'2a/2026-11-22T070000Z-0001/report.html': 20,
		'doubling/2026-11-21T070000Z-0002/experiment.html': 30,
		'a/2026-11-23T070000Z-0003/report.html': 10,
		'examples/doubling/experiment.html': 40,
	});
	const { exitCode, said, shown, found } = await opened(undefined, { reports });
	const url = pathToFileURL(join(reports, 'doubling/2026-11-21T070000Z-0002/experiment.html')).href;
	assert.deepEqual([exitCode, shown, found], [EXIT.done, [`xdg-open ${url}`], { url, shown: true }]);
	assert.match(said, /^ {2}report: .*doubling\/2026-11-21T070000Z-0002\/experiment\.html\n {2}file:\/\/\/.*experiment\.html\n$/);
});

test('of a folder that is named its own report is shown', async (context) => {
	const reports = await reportsWith(context, { 'a/one/report.html': 10, 'a/other/report.html': 20 });
	const { shown } = await opened(join(reports, 'a/one'), {});
	assert.deepEqual(shown, [`xdg-open ${pathToFileURL(join(reports, 'a/one/report.html')).href}`]);
});

test('where nobody could see a browser its path and address are said, and that is no error', async (context) => {
	const reports = await reportsWith(context, { 'a/one/report.html': 10 });
	for (const env of [{}, { CI: 'true', ...DESKTOP }, { BROWSER: 'none', ...DESKTOP }]) {
		const { exitCode, said, shown } = await opened(undefined, { reports, env });
		assert.deepEqual([exitCode, shown], [EXIT.done, []]);
		assert.match(said, /a\/one\/report\.html\n {2}file:\/\/\/\S+\n {2}no browser to show it in here/);
	}
});

test('nor is a browser that does not open', async (context) => {
	const reports = await reportsWith(context, { 'a/one/report.html': 10 });
	const { exitCode, said, shown, found } = await opened(undefined, { reports, couldShow: false });
	assert.deepEqual([exitCode, shown.length, found.shown], [EXIT.done, 1, false]);
	assert.match(said, /no browser to show it in here/);
});

test('where nothing was measured the error says what to do', async (context) => {
	const reports = await reportsWith(context, { 'examples/doubling/experiment.html': 40 });
	for (const folder of [reports, join(reports, 'nowhere')])
		await assert.rejects(
			opened(undefined, { reports: folder }),
			(error) => error instanceof NotReadyError && /found none\.\n {2}To do: measure something first: make run-a, /.test(error.message),
		);
});

test('a folder without a report is refused by name', async (context) => {
	const reports = await reportsWith(context, { 'a/one/report.html': 10 });
	for (const folder of [join(reports, 'a'), join(reports, 'nowhere')])
		await assert.rejects(opened(folder, {}), (error) => error instanceof NotReadyError && error.message.includes(`in ${folder}.`));
});

test('each platform has its opener, and one without an opener has none', async (context) => {
	const reports = await reportsWith(context, { 'a/one/report.html': 10 });
	const openerOf = async (platform: string, env: Record<string, string>) => {
		const { shown } = await opened(undefined, { reports, platform, env });
		return shown[0]?.split(' ')[0] ?? null;
	};
	assert.deepEqual(
		[await openerOf('darwin', {}), await openerOf('linux', { WAYLAND_DISPLAY: 'w' }), await openerOf('aix', DESKTOP)],
		['open', 'xdg-open', null],
	);
});

test('an opener is given the address; one that fails, or is not there, has shown nothing', async (context) => {
	const reports = await reportsWith(context, { 'a/one/report.html': 10 });
	const before = process.env.PATH;
	context.after(() => {
		process.env.PATH = before;
	});
	const isShown = async () => {
		const { reporter, result } = listen();
		await open(undefined, { env: DESKTOP, reporter, platform: 'linux', reports });
		return result().result.shown;
	};
	process.env.PATH = reports;
	assert.equal(await isShown(), false);
	for (const status of [0, 3]) {
		await writeFile(join(reports, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" >${reports}/given\nexit ${status}\n`, { mode: 0o755 });
		assert.equal(await isShown(), status === 0);
		assert.equal(await readFile(join(reports, 'given'), 'utf8'), pathToFileURL(join(reports, 'a/one/report.html')).href);
		await rm(join(reports, 'given'));
	}
});
