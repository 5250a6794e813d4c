/**
 * A comparison on real containers: judged, shared, held as a baseline; and what it leaves for its readers. It is of a store, whose runs
 * take seconds. Interrupted and resumed is one of a user's own system, whose users have latencies (project-compare.test.js).
 */
import assert from 'node:assert/strict';
import { access, mkdtemp, readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { EXPERIMENT_RECORD, REPORTS } from '../../lab/base/paths.ts';
import { readRecord } from '../../lab/record/excerpt-file.ts';
import { assertNothingIsLeft, assertRan, doubletake, newestRun, RUN_LIMIT_MS, readJson, readManifest } from './commands.ts';

/** A writer for each file, and writers who wait for each other: the stored runs are 6 times apart (experiment `writers`). */
const FASTER = 'tokyo:FILES=2';
const SLOWER = 'tokyo:THREADS=4';
const COMPARE = { A: FASTER, B: SLOWER, LOAD: 'smoke', REPEATS: '1', SEED: '3' };
const LIMIT_MS = 3 * RUN_LIMIT_MS;
const ASK_LIMIT_MS = 60_000;

describe('a comparison of a store with a slower one', () => {
	let folder = '';
	/** Arms whose run is not INVALID: which of them are is the machine's doing. */
	const countingArms = async () => {
		const { attempts } = await readManifest(folder);
		const counting: { arm: string; validity: string }[] = attempts.filter(({ validity }: { validity: string }) => validity !== 'INVALID');
		return counting.map(({ arm }) => arm).toSorted();
	};

	test('runs each side once, in the order that was planned', { timeout: LIMIT_MS }, async () => {
		assertRan(await doubletake(['compare'], COMPARE, LIMIT_MS));
		folder = await newestRun('compare');
		const { schedule, attempts, ended } = await readManifest(folder);
		// An INVALID run is made twice.
		const order = attempts.map(({ arm }: { arm: string }) => arm);
		assert.deepEqual([...new Set<any>(order)], schedule[0]);
		assert.deepEqual(schedule[0].toSorted(), [FASTER, SLOWER]);
		assert.ok(ended);
		await assertNothingIsLeft();
	});

	test('is inconclusive by rule, with its figures', async () => {
		const comparison = await readJson(folder, EXPERIMENT_RECORD.comparison);
		assert.equal(comparison.verdict.word, 'INCONCLUSIVE', JSON.stringify(comparison.verdict));
		const counts = (await countingArms()).length === 2;
		assert.deepEqual([comparison.blocks.complete, comparison.blocks.least], [counts ? 1 : 0, 8]);
		if (counts) {
			const goodput = comparison.metrics.find(({ id }: { id: string }) => id === 'goodput_rps');
			assert.ok(goodput.other.median < goodput.base.median, `${goodput.base.median} and ${goodput.other.median} inserts a second`);
		}
		assert.match(await readFile(join(folder, EXPERIMENT_RECORD.comparisonMarkdown), 'utf8'), /INCONCLUSIVE/);
	});

	// A browser looks at one of this store in experiment-all.test.js, and at one that stands by itself in project-compare.test.js.
	test('draws a page with links that lead somewhere, and is listed', async () => {
		await access(join(folder, EXPERIMENT_RECORD.comparisonPage));
		const { base, other } = await readJson(folder, EXPERIMENT_RECORD.comparison);
		for (const { href } of [...base.runs, ...other.runs]) await access(join(folder, href));
		assert.ok((await readFile(join(REPORTS, 'index.html'), 'utf8')).includes('compare.html'), 'index.html lists it');
	});

	// One that is judged again: project-compare.test.js. What else is settled: read-plan.test.js in lab/compare/experiment.
	test('cannot be resumed once it is complete', { timeout: ASK_LIMIT_MS }, async () => {
		const { exitCode, output } = await doubletake(['compare'], { RESUME: folder });
		assert.equal(exitCode, EXIT.notReady, output);
		assert.match(output, /Nothing to resume: [\s\S]*REPEATS=3 adds two repetitions/);
	});

	test('gives an excerpt to share: its pages and the typical runs, without the raw record', { timeout: ASK_LIMIT_MS }, async () => {
		const target = join(await mkdtemp(join(os.tmpdir(), 'doubletake-excerpt-')), 'shared');
		const { exitCode, output } = await doubletake(['excerpt', folder, target]);
		assert.equal(exitCode, EXIT.done, output);
		const { base, other } = await readRecord(target, EXPERIMENT_RECORD.comparison);
		const typical = [base, other].filter(({ typical_run: href }) => href !== null);
		// Of complete blocks: without its partner a run is compared with nothing.
		const counting = await countingArms();
		assert.deepEqual(typical.map(({ id }) => id).toSorted(), counting.length === 2 ? counting : []);
		for (const { typical_run: href } of typical) await access(join(target, href));
		const files = await readdir(target, { recursive: true });
		assert.ok(!files.some((file) => file.includes('raw')), files.join(', '));
		assert.equal((await doubletake(['excerpt', folder, target])).exitCode, EXIT.notReady);
	});

	test('serves as a baseline, whose runs are kept beside the new ones', { timeout: LIMIT_MS }, async () => {
		const { exitCode, output } = await doubletake(['compare'], { B: FASTER, BASELINE: folder, REPEATS: '1' });
		// One run cannot be compared with anything.
		assertRan({ exitCode, output, seconds: 0 }, EXIT.inconclusive);
		const own = await newestRun('compare');
		const { base, other, verdict, load } = await readJson(own, EXPERIMENT_RECORD.comparison);
		assert.deepEqual([base.id, other.id, verdict.word, load], [`${FASTER} (baseline)`, FASTER, 'INCONCLUSIVE', 'smoke']);
		for (const { href } of [...base.runs, ...other.runs]) await access(join(own, href));
		assert.equal((await readdir(join(own, EXPERIMENT_RECORD.runs))).length, 1);
		assert.equal((await readManifest(own)).attempts.length, 1);
	});
});

// What else is refused: lab/options/accepted-options.test.ts, and make-plan and read-plan.test.js in lab/compare/experiment.
test('what cannot be compared is refused before anything is measured', { timeout: ASK_LIMIT_MS }, async () => {
	for (const [args, variables, message] of [
		[['compare'], { A: 'a' }, /B: expected an architecture; found none/],
		[['experiment', 'nothing'], {}, /expected one of doubling, /],
	] as [string[], Record<string, string>, RegExp][]) {
		const { exitCode, output } = await doubletake(args, variables);
		assert.equal(exitCode, EXIT.notReady, output);
		assert.match(output, message);
	}
});
