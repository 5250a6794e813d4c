/** Scenarios on real containers, each under its load of seconds: what one request is may differ, what has to hold does not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { RECORD } from '../../lab/base/paths.ts';
import { metrics } from '../../lab/catalog/metrics.ts';
import { scenarios } from '../../lab/catalog/scenarios.ts';
import { assertFits } from '../../lab/record/fixtures/fits.ts';
import type { Result } from '../../lab/record/types.js';
import { checkPage } from '../browser/made-pages.ts';
import { assertNothingIsLeft, assertRan, make, newestRun, RUN_LIMIT_MS, readResult } from './commands.ts';

// A machine half as fast sells them all within the load too.
const STOCK = 1000;
const DELAY_MS = 50;

const RUNS: Record<string, { architecture: string; variables: string[]; also: Record<string, (result: Result) => void> }> = {
	tickets: {
		architecture: 'tickets-3',
		variables: [`STOCK=${STOCK}`],
		also: {
			'sells exactly the stock, each ticket once, and answers 409 from then on': ({
				ledger,
				metrics: { requests, failures },
				failures_by: by,
			}) => {
				assert.equal(requests - failures, STOCK);
				assert.deepEqual(by.status, { 409: failures });
				assert.deepEqual(
					ledger.failures.map(({ tier, cause }) => [tier, cause]).filter(([tier, cause]) => tier !== 'app' || cause !== 'sold-out'),
					[],
				);
				for (const text of [/sold twice/, /beyond the stock/, /exactly the stock/])
					assert.ok(
						ledger.checks.some(({ statement, holds }) => text.test(statement) && holds),
						String(text),
					);
			},
			'gathers sales into batches': ({ figures }) => assert.ok(Number(figures.batch_size_mean) > 1),
		},
	},
	crud: {
		architecture: 'crud',
		variables: ['WORKERS=5', `DELAY=${DELAY_MS}`],
		also: {
			'misses no document, and does every operation in every database': ({ metrics: { failures }, breakdowns }) => {
				assert.equal(failures, 0);
				assert.deepEqual(
					breakdowns.map(({ rows }) => rows.length),
					[4, 3],
				);
			},
			'answers after the delay that its node was told': ({ metrics: { latency_ms: latency } }) =>
				assert.ok(Number(latency.ok.p50) >= DELAY_MS),
			'writes to the journal, and to all databases alike': ({ figures }) => {
				assert.ok(Number(figures.journal_mb_per_s) > 0);
				assert.ok(Number(figures.database_spread) < 0.5);
			},
		},
	},
	pools: {
		architecture: 'pools',
		variables: ['VARIANT=async-unpooled', 'BUDGET=none'],
		also: {
			'answers after 100 ms': ({ metrics: { latency_ms: latency } }) => assert.ok(Number(latency.ok.p50) >= 99),
		},
	},
};

/** By runs.test.js, experiment-all.test.js, project.test.js and project-compare.test.js. */
const RUN_ELSEWHERE = ['documents', 'inserts', 'requests', 'script'];

test('every scenario but those that other tests run is here', () => {
	assert.deepEqual(
		Object.keys(RUNS).toSorted(),
		Object.keys(scenarios)
			.filter((id) => !RUN_ELSEWHERE.includes(id))
			.toSorted(),
	);
});

for (const [scenario, { architecture, variables, also }] of Object.entries(RUNS)) {
	describe(`make run-${architecture} LOAD=smoke ${variables.join(' ')}`, () => {
		let folder = '';
		let result: Result;

		before(
			async () => {
				assertRan(await make(`run-${architecture}`, 'LOAD=smoke', ...variables));
				folder = await newestRun(architecture);
				result = await readResult(folder);
			},
			{ timeout: RUN_LIMIT_MS },
		);

		test('gives a result that its schema takes, with every figure of the scenario', () => {
			assertFits('result', result);
			assert.equal(result.scenario, scenario);
			for (const { id } of scenarios[scenario].figures) {
				assert.ok(typeof result.figures[id] === 'number', id);
				assert.equal(metrics.find((metric) => metric.id === id)?.read(result), result.figures[id]);
			}
		});

		test('adds up, and places every failure', () => {
			for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
			assert.equal(result.ledger.unattributed, 0);
		});

		for (const [name, check] of Object.entries(also)) test(name, () => check(result));

		test('draws a report that a browser shows without a fault', { timeout: 120_000 }, async () => {
			await checkPage('report', join(folder, RECORD.report));
			await assertNothingIsLeft();
		});
	});
}
