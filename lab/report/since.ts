/** What is otherwise since the run before, of the same system under the same load: a hint, since one run of each says nothing of noise. */

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RECORD } from '../base/paths.ts';
import { readPrivate } from '../base/private-file.ts';
import { jsonIn } from '../base/values.ts';
import { readRecord } from '../record/excerpt-file.ts';
import type { Result } from '../record/types.js';
import { milliseconds, moment, percent, rate } from './format.ts';

/** Of a figure, from which on a change is no rounding. */
const CHANGED_LEAST = 0.005;

/** files: of the system, as Compose resolves them */
type Earlier = { result: Result; files: 'same' | 'changed' | 'unknown' };

/**
 * @param folder of a run
 * @param result of it
 * @returns the newest before it that was measured alike; null where there is none
 */
export async function earlierRun(folder: string, result: Result): Promise<Earlier | null> {
	const group = dirname(folder);
	// Runs of comparisons and copies of proofs stand elsewhere.
	if (basename(group) !== result.architecture) return null;
	const names = await readdir(group).catch(() => [] as string[]);
	// Their names begin with the time.
	const before = names.filter((name) => name < basename(folder)).toSorted((one, other) => (one < other ? 1 : -1));
	const own = manifestIn(folder);
	for (const name of before) {
		const manifest = manifestIn(join(group, name));
		if (conditionsOf(manifest) !== conditionsOf(own)) continue;
		const found: Result | null = await readRecord(join(group, name), RECORD.result);
		if (found === null || found.interrupted) continue;
		const [now, then] = [own, manifest].map(({ system }) => system?.fingerprints?.files);
		return { result: found, files: now === undefined ? 'unknown' : now === then ? 'same' : 'changed' };
	}
	return null;
}

const manifestIn = (folder: string): any => jsonIn(String(readPrivate(join(folder, RECORD.manifest)) ?? '')) ?? {};

/** What has to be the same. */
const conditionsOf = ({ shape, system, budget, variables, think_time_s: think, client, delay_ms: delay, faults = [] }: any) =>
	JSON.stringify([
		...[shape, system?.fingerprints?.load, budget, variables, think, client, delay],
		faults.map(({ text }: { text: string }) => text),
	]);

const FILES = {
	same: 'The Compose files are the same.',
	changed: 'The Compose files have changed.',
	unknown: '',
};

/** @returns sentences; null where there is nothing to compare with */
export function sinceText({ metrics }: Result, earlier: Earlier | null): string | null {
	if (earlier === null) return null;
	const { metrics: before, started } = earlier.result;
	const parts = [
		changeOf('throughput', before.throughput_rps, metrics.throughput_rps, rate),
		changeOf('p95 of successful requests', before.latency_ms.ok.p95, metrics.latency_ms.ok.p95, milliseconds),
		`failed ${percent(before.failure_rate)} → ${percent(metrics.failure_rate)}`,
	].filter((part) => part !== null);
	return `Since the run of ${moment(started)}: ${parts.join(', ')}. ${FILES[earlier.files]} One run of each says nothing about noise; a comparison does.`.replace(
		'  ',
		' ',
	);
}

function changeOf(name: string, before: number | null, now: number | null, format: (value: number | null) => string): string | null {
	if (before === null || now === null || before === 0) return null;
	const by = now / before - 1;
	const shown = Math.abs(by) < CHANGED_LEAST ? '±0 %' : `${by > 0 ? '+' : '−'}${Math.abs(100 * by).toFixed(0)} %`;
	return `${name} ${format(before)} → ${format(now)} (${shown})`;
}
