/**
 * Thresholds of a run: what continuous integration gets to see of them, and the exit code.
 */
import assert from 'node:assert/strict';
import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { RECORD } from '../../lab/base/paths.ts';
import { isDoubted, statementsOf, wordOf } from '../../lab/record/touches.ts';
import type { Result } from '../../lab/record/types.js';
import type { Outcome } from './commands.ts';
import { doubletake, make, readManifest, readResult } from './commands.ts';

/** No run loses more than all, or answers a billion requests a second. */
const MET = 'failure_rate<=1';
const UNMET = 'goodput_rps>1e9';
/** Of one that is met and one that cannot be. */
export const EXPECT = `${MET},${UNMET}`;
const ASK_LIMIT_MS = 60_000;

/** What is said of both, whatever is in doubt about the run. */
const WORDS = {
	output: [/^ {2}met: failure_rate<=1 .*found \d[\d.]*( %)?\)$/m, /^ {2}not met: goodput_rps>1e9 .*found \d/m],
	junit: [/<testsuite [^>]*tests="2" failures="1" errors="0"/, /<failure message="expected goodput_rps > 1000000000 rps; found /],
	summary: [/Thresholds: 1 of 2 met/, /\*\*not met\*\*/],
};

const read = (folder: string, file: string) => readFile(join(folder, file), 'utf8');

/** @param given the run that was made with EXPECT */
export function testThresholds(given: () => { folder: string; outcome: Outcome; result: Result }) {
	test('ends with 3 and says of each whether it is met', () => {
		const { outcome } = given();
		assert.equal(outcome.exitCode, EXIT.thresholdNotMet, outcome.output);
		for (const text of WORDS.output) assert.match(outcome.output, text);
	});

	test('leaves JUnit with one test case for each, of which one fails', async () => {
		const junit = await read(given().folder, RECORD.junit);
		for (const text of WORDS.junit) assert.match(junit, text);
		assert.equal(junit.match(/<testcase /g)?.length, 2);
	});

	test('leaves a summary with the verdict of the run and of each threshold', async () => {
		const summary = await read(given().folder, RECORD.summary);
		assert.ok(summary.includes(`**${wordOf(given().result.validity)}**`), summary);
		for (const text of WORDS.summary) assert.match(summary, text);
	});

	test('measured what any run measures: its command names no threshold', async () => {
		const { command, interrupted } = await readManifest(given().folder);
		assert.doesNotMatch(command, /EXPECT/);
		assert.equal(interrupted, false);
	});

	test('is rebuilt from raw alone to the same result, and judged by other thresholds', { timeout: ASK_LIMIT_MS }, async () => {
		await Promise.all([RECORD.result, RECORD.report].map((file) => rm(join(given().folder, file))));
		const { exitCode, output } = await doubletake(['report', given().folder], { EXPECT: MET });
		assert.equal(exitCode, EXIT.done, output);
		assert.match(await read(given().folder, RECORD.junit), /tests="1" failures="0" errors="0"/);
		const strict = await doubletake(['report', given().folder], { EXPECT: MET, STRICT: '1' });
		const isInDoubt = isDoubted(given().result.validity, statementsOf('failure_rate'));
		assert.equal(strict.exitCode, isInDoubt ? EXIT.inDoubt : EXIT.done, strict.output);
		assert.deepEqual(await readResult(given().folder), given().result);
		await access(join(given().folder, RECORD.report));
	});

	test('is reported again without thresholds, and then no judgement stands beside it', { timeout: ASK_LIMIT_MS }, async () => {
		const { exitCode, output } = await make('report', `RUN=${given().folder}`);
		assert.equal(exitCode, EXIT.done, output);
		await assert.rejects(access(join(given().folder, RECORD.junit)));
		assert.doesNotMatch(await read(given().folder, RECORD.summary), /Thresholds/);
	});
}
