import assert from 'node:assert/strict';
import { link, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RECORD } from '../base/paths.ts';
import { putStoredRun } from '../diagnose/fixtures/stored-run.ts';
import { readExpect } from '../options/expect.ts';
import type { Result } from '../record/types.js';
import { failingResult, healthyResult, invalidResult } from './fixtures/results.ts';
import { FORMATS } from './format.ts';
import type { ExperimentRow, IndexRow } from './report-index.ts';
import { renderIndex } from './report-index.ts';
import { finishRun } from './reports.ts';

test('a run is finished with report and summary, and with JUnit as long as thresholds are given', async (context) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-reports-'));
	context.after(() => rm(folder, { recursive: true }));
	await putStoredRun(folder);
	const read = (file: string) => readFile(join(folder, file), 'utf8');

	const result = await finishRun(folder, { expectations: readExpect('goodput_rps>1,failure_rate<=0'), strict: false });
	assert.deepEqual(JSON.parse(await read(RECORD.result)), JSON.parse(JSON.stringify(result)));
	const page = await read(RECORD.report);
	await link(join(folder, RECORD.report), join(folder, 'before'));
	// The first threshold is met and the second is not, whatever is in doubt about the run.
	assert.ok((await read(RECORD.summary)).includes('Thresholds: 1 of 2 met'));
	assert.match(await read(RECORD.junit), /<testsuite name="doubletake 2a smoke" [^>]*tests="2" failures="1" errors="0"/);

	await finishRun(folder);
	assert.doesNotMatch(await read(RECORD.summary), /Thresholds/);
	assert.ok(!(await readdir(folder)).includes(RECORD.junit), 'a judgement of an older result does not stay');
	assert.equal(await read('before'), page, 'the report is not written over the one that was there');
});

const rowOf: (result: Result) => IndexRow = (result) => ({ ...result, href: `${result.run}/report.html` });

test('runs are listed newest first with links to their reports', () => {
	const page = renderIndex({ runs: [invalidResult(), healthyResult(), failingResult()].map(rowOf), experiments: [], findings: null });
	const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
	assert.deepEqual(links, [
		`./${failingResult().run}/report.html`,
		`./${invalidResult().run}/report.html`,
		`./${healthyResult().run}/report.html`,
	]);
});

test('a row says what ran, whether to trust it, and what came out', () => {
	const result = invalidResult();
	const page = renderIndex({ runs: [rowOf(result)], experiments: [], findings: null });
	for (const expected of [
		'two nodes behind Nginx',
		`smoke, ${result.budget}, cut short`,
		'INVALID',
		...['throughput_rps', 'goodput_rps'].map((id) => FORMATS.rps(Reflect.get(result.metrics, id))),
		FORMATS.ms(result.metrics.latency_ms.ok.p95),
		FORMATS.share(result.metrics.failure_rate),
		'2026-11-22 07:00 UTC',
		'failed at the load balancer',
	]) {
		assert.ok(page.includes(expected), expected);
	}
});

test('what a run says is text, not markup', () => {
	const page = renderIndex({
		runs: [{ ...rowOf(healthyResult()), headline: '<img src=x onerror=alert(1)>', href: 'javascript:alert(1)' }],
		experiments: [],
		findings: null,
	});
	assert.ok(!page.includes('<img'));
	assert.ok(page.includes('href="./javascript:alert(1)"'));
});

test('an empty list says how to fill it', () => {
	assert.match(renderIndex({ runs: [], experiments: [], findings: null }), /make run-a/);
});

const EXPERIMENT: ExperimentRow = {
	kind: 'experiment',
	href: 'doubling/20260314T040000Z-1a2b/experiment.html',
	id: 'doubling/20260314T040000Z-1a2b',
	title: 'Two servers instead of one',
	started: '2026-03-14T04:00:00Z',
	sentence: 'The database is cleared.',
	stamps: [
		{ label: 'D1', word: 'HOLDS' },
		{ label: 'D3', word: 'REFUTED' },
	],
	blocks: { complete: 7, wanted: 8 },
};
const COMPARISON: ExperimentRow = {
	...EXPERIMENT,
	kind: 'comparison',
	href: 'compare/20260315T040000Z-3c4d/compare.html',
	id: 'compare/20260315T040000Z-3c4d',
	title: '2a against 2a-tuned',
	started: '2026-03-15T04:00:00Z',
	stamps: [{ label: '2a-tuned', word: 'better' }],
};

test('experiments and comparisons stand above the runs, newest first', () => {
	const page = renderIndex({ runs: [rowOf(invalidResult())], experiments: [EXPERIMENT, COMPARISON], findings: null });
	const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
	assert.deepEqual(links, [`./${COMPARISON.href}`, `./${EXPERIMENT.href}`, `./${invalidResult().run}/report.html`]);
});

test('an experiment says what it found, which claims stood, and on how many blocks it rests', () => {
	const page = renderIndex({ runs: [], experiments: [EXPERIMENT], findings: null });
	assert.match(
		page,
		/The database is cleared\..*<b>D1<\/b> <span class="stamp holds small">.*<b>D3<\/b> <span class="stamp refuted small">.*7 of 8/s,
	);
});

test('what an experiment says is text, not markup', () => {
	const attack = '<img src=x onerror=alert(1)>';
	const page = renderIndex({
		runs: [],
		experiments: [
			{
				...EXPERIMENT,
				title: attack,
				sentence: attack,
				id: attack,
				stamps: [{ label: attack, word: attack }],
				href: 'javascript:alert(1)',
			},
		],
		findings: { href: 'javascript:alert(1)', headline: attack },
	});
	assert.ok(!page.includes('<img'));
	assert.equal(page.match(/href="\.\/javascript:alert\(1\)"/g)?.length, 2);
});

test('the findings come first, where there are any', () => {
	const findings = { href: 'all/20260316T040000Z-5e6f/findings.html', headline: 'Of 5 claims 1 holds here and 4 are refuted.' };
	const page = renderIndex({ runs: [rowOf(healthyResult())], experiments: [EXPERIMENT], findings });
	const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
	assert.equal(links[0], `./${findings.href}`);
	assert.ok(page.includes(findings.headline));
	assert.doesNotMatch(renderIndex({ runs: [], experiments: [], findings: null }), /<p class="findings-link">/);
});
