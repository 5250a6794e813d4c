/**
 * Real runs, short: what the lab measures, keeps, shows and leaves behind. One is of a system that is thrown away afterwards: a system is a
 * folder, and nothing else names it. It is judged by thresholds, and has faults put in.
 */
import assert from 'node:assert/strict';
import { access, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { COMPOSE_FOLDER, RAW, RECORD, REPORTS } from '../../lab/base/paths.ts';
import { assertFits } from '../../lab/record/fixtures/fits.ts';
import type { Result } from '../../lab/record/types.js';
import { checkPage } from '../browser/made-pages.ts';
import type { Outcome } from './commands.ts';
import {
	assertNothingIsLeft,
	assertRan,
	doubletake,
	make,
	newestRun,
	RUN_LIMIT_MS,
	readManifest,
	readResult,
	tableOf,
} from './commands.ts';
import { FAULTED, isCalibrated, testFaults } from './faults.ts';
import { EXPECT, testThresholds } from './thresholds.ts';

/** A copy of a shipped system, with a variable that this one has not. */
const SHIPPED = '2a-shard';
const OWN = 'throwaway';
const OWN_FOLDER = join(COMPOSE_FOLDER, OWN);
const NODE = '    command: [node, shard/server.js]\n';
const OWN_FILES: Record<string, (text: string) => string> = {
	'compose.yaml': (text) => text.replaceAll(SHIPPED, OWN).replaceAll(NODE, `${NODE}    environment: {MAX_POOL_SIZE: "\${POOL:-}"}\n`),
	'doubletake.yaml': (
		text,
	) => `${text.replaceAll(SHIPPED, OWN).replace(/^title: .*/, 'title: two nodes on two databases with pools of any size')}variables:
  POOL: {about: connections in the pool, standard: "50", range: [1, 500]}
`,
};
/** Connections in each pool. */
const POOL = 5;

/** What each is reported beside its load, and what it ends with; make ends with 2 whatever the lab ends with. */
const RUNS = {
	[OWN]: {
		command: `doubletake run ${OWN} POOL=${POOL} EXPECT='${EXPECT}' with FAULT`,
		run: () => doubletake(['run', OWN], { LOAD: 'smoke', INTEGRITY: '1', POOL: String(POOL), EXPECT, ...FAULTED }),
		exitCode: EXIT.thresholdNotMet,
		databases: ['mongo-1', 'mongo-2'],
		lostMost: 0,
	},
	// Behind the balancer of 2a.
	'2a-list': {
		command: 'make run-2a-list, whose consumer is killed',
		run: () => make('run-2a-list', 'LOAD=smoke', 'CAPTURE=1', 'FAULT=kill consumer@5s+2s'),
		exitCode: EXIT.done,
		databases: ['mongo'],
		// Each loop of the consumer has one write in hand.
		lostMost: 50,
	},
};
/** Half a million ids would be spread to a thousandth; a short load has some thousands. */
const UNEVEN_MOST = 0.05;
/** What a run takes beside its warm-up and load, about 20 s on two quiet cores; a machine that others share takes longer. */
const OVERHEAD_LIMIT_S = 60;
/** The source of 2a counts 21 failures with a status among 93,069; a loaded machine may see a few more. */
const WITH_STATUS_SHARE_MOST = 0.05;
/** Of failed requests; k6 may read an end so late that it is taken for another's. */
const EXPLAINED_SHARE_LEAST = 0.98;

const sum = (counts: Record<string, number> | number[]) => Object.values(counts).reduce((total, count) => total + count, 0);

before(async () => {
	await mkdir(OWN_FOLDER, { recursive: true });
	for (const [name, changed] of Object.entries(OWN_FILES))
		await writeFile(join(OWN_FOLDER, name), changed(await readFile(join(COMPOSE_FOLDER, SHIPPED, name), 'utf8')));
});
after(() => rm(OWN_FOLDER, { recursive: true, force: true }));

test('a folder with a Compose file and a doubletake.yaml is listed, with a variable of its own', async () => {
	const { output } = await doubletake(['list']);
	assert.match(output, /^ {2}throwaway +two nodes on two databases with pools of any size\. Does a/m);
	assert.match(output, /^ {2}POOL +connections in the pool \(1 to 500; 50 unless given\); on throwaway$/m);
});

for (const [architecture, { command, run, exitCode, databases, lostMost }] of Object.entries(RUNS)) {
	describe(`${command} LOAD=smoke`, () => {
		let folder = '';
		let outcome: Outcome;
		let result: Result;
		let wasCalibrated = false;

		before(
			async () => {
				wasCalibrated = await isCalibrated();
				outcome = await run();
				assertRan(outcome, exitCode);
				folder = await newestRun(architecture);
				result = await readResult(folder);
			},
			{ timeout: RUN_LIMIT_MS },
		);

		test('keeps the whole record, lists the run and points at it', async () => {
			// Without thresholds there is nothing for JUnit, and without its page no report of k6's own.
			const files = Object.values(RECORD).filter((file) => file !== RECORD.junit && file !== RECORD.k6Report);
			for (const file of [...files, join(RECORD.raw, RAW.k6Log)]) await access(join(folder, file));
			assert.equal(await realpath(join(REPORTS, 'latest', architecture)), folder);
			assert.ok((await readFile(join(REPORTS, 'index.html'), 'utf8')).includes(result.run), 'index.html lists the run');
			const manifest = await readManifest(folder);
			assert.equal(manifest.interrupted, false);
			assert.equal(manifest.load, 'smoke');
		});

		test('ends soon after its load', async (context) => {
			if (/calibrating first/.test(outcome.output)) return context.skip('it calibrated first');
			const { warmup_began_s, load_ended_s } = await readManifest(folder);
			const overhead = outcome.seconds - (load_ended_s - warmup_began_s);
			context.diagnostic(`${overhead.toFixed(1)} s outside warm-up and load, ${outcome.seconds.toFixed(1)} s in all`);
			assert.ok(overhead < OVERHEAD_LIMIT_S, `${overhead.toFixed(1)} s`);
		});

		test('gives a result that its schema takes', () => {
			assertFits('result', result);
			assert.equal(result.architecture, architecture);
		});

		test('gives the rate of what it counted', () => {
			assert.ok(result.metrics.requests > 0);
			assert.equal(result.metrics.failure_rate, result.metrics.failures / result.metrics.requests);
		});

		test('places every failure, and what it cannot place it says', () => {
			const { failures, unattributed } = result.ledger;
			assert.equal(sum(failures.map(({ count }) => count)) + unattributed, result.metrics.failures);
			for (const { tier, cause, evidence } of failures) assert.ok(evidence.length > 0, `${tier} ${cause} has evidence`);
		});

		test('adds up, tier by tier', () => {
			assert.ok(result.ledger.checks.length > 0);
			for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
		});

		test('finds every acknowledged document in the database', () => {
			const { acknowledged, persisted, lost, duplicated } = result.ledger.writes;
			assert.ok(acknowledged !== null && persisted !== null && acknowledged > 0 && persisted >= acknowledged - lostMost);
			assert.ok(lost !== null && lost <= lostMost, `${lost} lost`);
			// Told apart only where requests carry ids (INTEGRITY=1).
			assert.ok(duplicated === null || duplicated === 0, `${duplicated} duplicated`);
		});

		test('records every second and every tier', () => {
			assert.ok(result.timeline.filter(({ warmup }) => !warmup).length >= 12);
			for (const service of ['k6', 'app-1', ...databases]) assert.ok((result.resources[service]?.cpu_cores.mean ?? 0) > 0, service);
		});

		test('draws a report that a browser shows without a fault', { timeout: 120_000 }, async () => {
			await checkPage('report', join(folder, RECORD.report));
		});

		test('leaves no container, network or volume', assertNothingIsLeft);

		if (architecture === OWN) {
			test('runs with the variable that only its folder names', () => {
				assert.deepEqual(result.variables, { POOL: String(POOL) });
				const pool = result.series.limits.find(({ tier }: { tier: string }) => tier === 'pool');
				assert.equal(pool?.limit, POOL);
			});

			test('says of each database that it has about half of the documents, and of both together that they have each once', () => {
				const rows = tableOf(result, 'By database');
				assert.deepEqual(Object.keys(rows), databases);
				for (const [, share] of Object.values(rows)) assert.ok(Math.abs((share ?? 0) - 0.5) < UNEVEN_MOST, String(share));
				assert.equal(result.ledger.writes.duplicated, 0);
			});

			testFaults(() => ({ folder, outcome, result, wasCalibrated }));
			testThresholds(() => ({ folder, outcome, result }));
			return;
		}

		testList(() => ({ result, page: join(folder, RECORD.report), lostMost }));

		test('sees the balancer fail requests', () => assert.ok(result.metrics.failures > 0));

		test('sees connections closed without an answer, as published, and hardly any HTTP status', () => {
			const withStatus = sum(result.failures_by.status);
			assert.ok(withStatus <= result.metrics.failures * WITH_STATUS_SHARE_MOST, JSON.stringify(result.failures_by));
			assert.ok(result.ledger.failures.some(({ tier }) => tier === 'load-balancer'));
		});

		test('knows from the wire how nearly every failed request ended, and counts there what the other records count', () => {
			const { wire } = result;
			// A consumer asks its queue, so that nothing goes the way of what it takes.
			const counted = (wire?.compared ?? []).filter(({ unit, to }) => unit === 'requests' && to !== 'consumer');
			assert.ok(counted.length > 0, JSON.stringify(wire));
			for (const { holds, ...compared } of counted) assert.ok(holds, JSON.stringify(compared));
			assert.equal(wire?.failures?.failed, result.metrics.failures);
			assert.ok((wire?.failures?.explained ?? 0) >= result.metrics.failures * EXPLAINED_SHARE_LEAST, JSON.stringify(wire?.failures));
		});
	});
}

/**
 * @param given the run of a queue that
 * hands nothing out twice, whose consumer was killed
 */
function testList(given: () => { result: Result; page: string; lostMost: number }) {
	const queueOf = () => {
		const { queue } = given().result;
		assert.ok(queue);
		return queue;
	};

	test('every request that users had a good answer for was put into the queue', () => {
		const { requests, failures } = given().result.metrics;
		const { accepted } = queueOf();
		assert.ok(accepted >= requests - failures && accepted <= requests, `${accepted} of ${requests - failures}`);
	});

	test('all of them were taken out again, and none is missing but what the consumer had in hand', () => {
		const { left, lost, completed, completed_in_load: inLoad } = queueOf();
		assert.equal(left, 0);
		assert.ok(lost !== null && lost <= given().lostMost, String(lost));
		assert.ok(completed > 0 && inLoad <= completed);
	});

	test('while it was away writes waited, and good answers are those that were done', () => {
		const { backlog, completed } = queueOf();
		const { metrics, duration_s: lasted } = given().result;
		assert.ok(Math.max(...backlog) > 0);
		assert.ok(metrics.goodput_rps * lasted <= completed + 1);
	});

	test('the report says what became of what was accepted', async () => {
		assert.match(await readFile(given().page, 'utf8'), /<b>Accepted writes/);
	});
}
