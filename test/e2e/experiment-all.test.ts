/**
 * All experiments in one go: interrupted in the first, gone on with in the quickest, its pages, and what is found on one.
 */
import assert from 'node:assert/strict';
import { access, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { before, describe, test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { EXPERIMENT_RECORD, RAW, RECORD, REPORTS, ROOT } from '../../lab/base/paths.ts';
import { claimsOf } from '../../lab/catalog/claims.ts';
import { experiments } from '../../lab/catalog/experiments.ts';
import { ALL, FINDINGS_RECORD } from '../../lab/record/findings.ts';
import { assertFits } from '../../lab/record/fixtures/fits.ts';
import type { ExperimentResult } from '../../lab/record/types.js';
import { checkPage } from '../browser/made-pages.ts';
import {
	assertNothingIsLeft,
	doubletake,
	newestRun,
	RUN_LIMIT_MS,
	readJson,
	readManifest,
	readResult,
	saysSo,
	start,
	takenIn,
} from './commands.ts';

/** How long is left is reported at least every five seconds of the twelve that the load lasts. */
const IN_LOAD = /in all +\d+ runs, about \d+ minutes[\s\S]*repetition 1 of 1[\s\S]* (\d|1[01]) s left/;
/** Of a store that inserts for a second in each run. */
const QUICKEST = 'writers';
const ARMS = experiments[QUICKEST].arms.map(({ id }) => id).toSorted();
const CLAIMS = ['T1', 'T2'];
/** In all, of a smoke run: a twentieth of the published. */
const INSERTS = 200_000;
const QUICKEST_LIMIT_MS = 400_000;
const PAGE_LIMIT_MS = 120_000;

test('make experiment-all says how long it takes, and when it is interrupted, how to go on', { timeout: RUN_LIMIT_MS }, async (context) => {
	const child = start('lab/doubletake', ['experiment', ALL], { variables: { LOAD: 'smoke', REPEATS: '1' }, detached: true });
	try {
		await saysSo(child, IN_LOAD);
	} catch (error) {
		// Its first experiment needs a calibration, unless there is one.
		const taken = takenIn(String(error), /its run is INVALID: /);
		if (taken) return context.skip(taken);
		throw error;
	}
	assert.ok(child.pid);
	// To the lab alone: Bash becomes its process. Ctrl-C during a load is in the tests of comparisons.
	process.kill(child.pid, 'SIGTERM');
	const { exitCode, all: output } = await child;
	assert.equal(exitCode, EXIT.interrupted, String(output));
	const all = await newestRun(ALL);
	assert.match(String(output), new RegExp(`go on with: make experiment-all RESUME=${relative(ROOT, all)}`));
	await assertNothingIsLeft();
	await assertKeptWhatWasMeasured(all);
});

/** Of the run that was interrupted. */
async function assertKeptWhatWasMeasured(all: string) {
	const [{ folder }] = (await readManifest(all)).experiments;
	const runs = join(REPORTS, folder, EXPERIMENT_RECORD.runs);
	const [run] = await readdir(runs);
	assert.equal((await readManifest(join(runs, run))).interrupted, true);
	assert.ok((await stat(join(runs, run, RECORD.raw, RAW.k6Log))).size > 0);
}

describe('what is missing of it', () => {
	let all = '';
	let folder = '';
	let result: ExperimentResult;

	before(
		async () => {
			all = await newestRun(ALL);
			const manifest = await readManifest(all);
			assert.equal(manifest.experiments.filter((step: { folder: string | null }) => step.folder !== null).length, 1);
			// As if all the others had been made: they take too long for a test.
			for (const step of manifest.experiments) step.done = step.experiment !== QUICKEST;
			await writeFile(join(all, RECORD.manifest), JSON.stringify(manifest));

			const { exitCode, output } = await doubletake(['experiment', ALL], { RESUME: relative(ROOT, all) }, QUICKEST_LIMIT_MS);
			assert.equal(exitCode, EXIT.done, output);
			assert.match(output, /1 of \d+ experiments to go/);
			folder = await newestRun(QUICKEST);
			result = await readJson(folder, EXPERIMENT_RECORD.result);
		},
		{ timeout: QUICKEST_LIMIT_MS },
	);

	test('runs every arm once, in the order that was planned, with the claims fixed before', async () => {
		const { schedule, attempts, claims, claims_hash: hash } = await readManifest(folder);
		// An INVALID run is made twice.
		const order = attempts.map(({ arm }: { arm: string }) => arm);
		assert.deepEqual([...new Set<any>(order)], schedule[0]);
		assert.deepEqual(schedule[0].toSorted(), ARMS);
		assert.equal(claims.length, CLAIMS.length);
		assert.match(hash, /^[0-9a-f]{64}$/);
		await assertNothingIsLeft();
	});

	test('each run finds every insert in its file, whoever wrote it', async () => {
		for (const { run } of (await readManifest(folder)).attempts) {
			const found = await readResult(join(REPORTS, run));
			assertFits('result', found);
			assert.deepEqual([found.scenario, found.metrics.requests], ['inserts', INSERTS]);
			const { acknowledged, persisted, lost } = found.ledger.writes;
			assert.deepEqual([acknowledged, persisted, lost, found.ledger.unattributed], [INSERTS, INSERTS, 0, 0]);
			for (const { statement, left, right, holds } of found.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
		}
	});

	test('judges no claim on a single block, and shows the figures', () => {
		assert.deepEqual(
			result.claims.map(({ id, verdict }) => `${id} ${verdict}`),
			CLAIMS.map((id) => `${id} INCONCLUSIVE`),
		);
		for (const { quote, measured } of result.claims) {
			assert.doesNotMatch(quote, /[{}]|undefined|NaN/);
			assert.ok(measured.length > 0);
		}
		assert.deepEqual(result.arms.map(({ id }) => id).toSorted(), ARMS);
	});

	test('draws pages that a browser shows without a fault, with links that lead somewhere', { timeout: PAGE_LIMIT_MS }, async () => {
		await checkPage('experiment', join(folder, EXPERIMENT_RECORD.page));
		await checkPage('compare', join(folder, result.pairs[0].href));
		await checkPage('report', join(REPORTS, (await readManifest(folder)).attempts[0].run, RECORD.report));
		for (const { href } of [...result.pairs, ...result.claims.flatMap(({ evidence }) => evidence)]) await access(join(folder, href));
		const pair = join(folder, result.pairs[0].href);
		const comparison = await readJson(dirname(pair), EXPERIMENT_RECORD.comparison);
		for (const { href } of [...comparison.base.runs, ...comparison.other.runs]) await access(join(dirname(pair), href));
		for (const href of Object.values<any>(comparison.links)) await access(join(dirname(pair), href));
		assert.match(await readFile(join(folder, EXPERIMENT_RECORD.markdown), 'utf8'), /\| T1 \|/);
		assert.ok((await readFile(join(REPORTS, 'index.html'), 'utf8')).includes(`${result.id}/${EXPERIMENT_RECORD.page}`));
	});

	test('leaves findings of all experiments, measured or not', async () => {
		assert.ok((await readManifest(all)).ended);
		const findings = await readJson(all, FINDINGS_RECORD.data);
		const rows: { id: string; claims: { id: string; verdict: string }[] }[] = findings.experiments;
		assert.equal(rows.flatMap((row) => row.claims).length, Object.keys(experiments).flatMap((id) => claimsOf(id, 1)).length);
		const verdicts = Object.fromEntries(rows.map((row) => [row.id, [...new Set(row.claims.map(({ verdict }) => verdict))]]));
		// A single block gives no verdict, and what was not measured has none either.
		assert.deepEqual(verdicts[QUICKEST], ['INCONCLUSIVE']);
		assert.deepEqual(verdicts.doubling, ['not measured']);
		await checkPage('findings', join(all, FINDINGS_RECORD.page));
	});
});
