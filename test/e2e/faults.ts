/**
 * Faults that a user puts into a run: each is there when it was asked for, is undone, and is in the report. The run has quotas that follow
 * from the calibration of this machine: that of calibrate.test.js, or one that it makes first.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { RECORD } from '../../lab/base/paths.ts';
import type { Result } from '../../lab/record/types.js';
import type { Outcome } from './commands.ts';
import { newestReading, readManifest } from './commands.ts';

/** The quota of a node is more than a tenth of a core (BUDGET=scale). */
const FAULT = 'pause mongo-1@4s+4s; cpu app-1 0.1@8.5s+1s; cut app-2 mongo-1@10s+1s; loss app-1 mongo-1 40%@10.1s+1.2s';
/** What a run with these faults, under quotas, is reported. */
export const FAULTED = { BUDGET: 'scale', FAULT };
/** A busy machine may take so long to do what it is asked. */
const LATE_MOST_S = 2;
/** Of a quota: seconds of the record begin before or after the load does. */
const USED_MOST = 1.2;

/** Segments that a container had to send again, second by second. */
async function sentAgainBy(name: string, folder: string) {
	const lines = (await readFile(join(folder, 'raw', 'kernel.ndjson'), 'utf8')).trim().split('\n');
	const rows = lines.map((line) => JSON.parse(line)).filter((row) => row.name === name);
	return rows.map(({ t, counters }) => ({ t, count: counters.RetransSegs }));
}

/** Whether a run takes a calibration that is there already. */
export const isCalibrated = async () => (await newestReading().catch(() => null)) !== null;

/** @param given the run of two nodes behind a balancer with room that was made with FAULTED */
export function testFaults(given: () => { folder: string; outcome: Outcome; result: Result; wasCalibrated: boolean }) {
	let manifest: any;
	let calibration: any;

	before(async () => {
		manifest = await readManifest(given().folder);
		calibration = await newestReading();
	});

	test('each is put in at its moment, and undone at its end', () => {
		assert.deepEqual(
			manifest.faults.map(({ text, failed }: any) => [text, failed]),
			[
				['pause mongo-1@4s+4s', null],
				['cpu app-1 0.1@8.5s+1s', null],
				['cut app-2 mongo-1@10s+1s', null],
				['loss app-1 mongo-1 40%@10.1s+1.2s', null],
			],
		);
		for (const { text, at_s: at, lasts_s: lasts, began_s: began, ended_s: ended } of manifest.faults) {
			const after = began - manifest.load_began_s;
			assert.ok(after >= at && after < at + LATE_MOST_S, `${text}: ${after} s`);
			assert.ok(ended - began >= lasts - LATE_MOST_S && ended - began < lasts + LATE_MOST_S, `${text}: ${ended - began} s long`);
		}
	});

	// The nodes have no more CPU than their quotas give: while one of two databases stands, as many are answered by the other.
	test('a database that is paused stands still for as long, and what was answered meanwhile is told', () => {
		const { faults, ledger } = given().result;
		const paused = faults.find(({ text }) => text.startsWith('pause'));
		assert.ok(paused?.before && paused.during, JSON.stringify(paused));
		const [, seconds] =
			/^mongo-1 stood still for ([\d.]+) s/.exec(
				ledger.near_misses.map(({ text }) => text).find((text) => text.startsWith('mongo-1 stood')) ?? '',
			) ?? [];
		assert.ok(Number(seconds) >= 4 && Number(seconds) < 4 + 2 * LATE_MOST_S, JSON.stringify(ledger.near_misses));
	});

	test('what was lost on its way was sent again', async () => {
		const loss = manifest.faults.find(({ kind }: any) => kind === 'loss');
		const sentAgain = await sentAgainBy('app-1', given().folder);
		const until = (t: number) => sentAgain.findLast((row) => row.t <= t)?.count ?? 0;
		// The kernel waits for an answer before it sends again, 0.2 s at the least.
		assert.ok(until(loss.ended_s + 1) > until(loss.began_s), JSON.stringify(sentAgain));
	});

	test('the report marks them, and the command that repeats the run has them', async () => {
		assert.match(
			given().result.command,
			/FAULT='pause mongo-1@4s\+4s; cpu app-1 0\.1@8\.5s\+1s; cut app-2 mongo-1@10s\+1s; loss app-1 mongo-1 40%@10\.1s\+1\.2s'( |$)/,
		);
		assert.match(await readFile(join(given().folder, RECORD.report), 'utf8'), /<section id="faults"/);
	});

	test('a run that needs a calibration takes the one that is there, its quotas follow from it, and nodes that warmed up without have theirs', () => {
		const { outcome, result, wasCalibrated } = given();
		assert.equal(/calibrating first/.test(outcome.output), !wasCalibrated);
		const { quotas_cores: quotas, services } = manifest;
		assert.deepEqual(manifest.calibration, calibration);
		assert.deepEqual(manifest.quotas_lifted_in_warmup, ['app']);
		for (const { tier, name, cpu_quota_cores: quota } of services) {
			const expected = quotas[tier] ?? null;
			assert.ok(quota === expected || Math.abs(quota - expected) < 1e-6, `${name}: ${quota}, expected ${expected}`);
		}
		assert.equal(quotas.generator, undefined);
		assert.deepEqual(result.calibration, calibration);
		// What they used in the load is what they were given, to what the engine's own second is late by; of one fault it is less for a second.
		for (const name of ['app-1', 'app-2'])
			assert.ok(
				Number(result.resources[name].cpu_cores.mean) < quotas.app * USED_MOST,
				`${name}: ${result.resources[name].cpu_cores.mean}`,
			);
	});
}
