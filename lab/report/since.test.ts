import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { failingResult } from './fixtures/results.ts';
import { earlierRun, sinceText } from './since.ts';

const LOAD = { shape: { title: 'steps' }, system: { fingerprints: { load: 'l', files: 'f' } } };

function folderOf(t: any, runs: Record<string, { manifest: any; result?: any }>) {
	const root = mkdtempSync(join(os.tmpdir(), 'doubletake-since-'));
	t.after(() => rmSync(root, { recursive: true }));
	for (const [name, { manifest, result }] of Object.entries(runs)) {
		const folder = join(root, 'shop', name);
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
		if (result) writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
	}
	return join(root, 'shop');
}

const result = { ...failingResult(), architecture: 'shop', interrupted: false };

test('the newest run before it under the same load is found, whatever stands between', async (t) => {
	const shop = folderOf(t, {
		'2026-11-01T000000Z-a': { manifest: LOAD, result: { ...result, started: '2026-11-01T00:00:00Z' } },
		'2026-11-02T000000Z-b': { manifest: { ...LOAD, system: { fingerprints: { load: 'l', files: 'g' } } }, result },
		'2026-11-03T000000Z-c': { manifest: { ...LOAD, faults: [{ text: 'kill db@5s' }] }, result },
		'2026-11-04T000000Z-d': { manifest: LOAD },
		'2026-11-05T000000Z-e': { manifest: LOAD, result: { ...result, interrupted: true } },
		'2026-11-06T000000Z-f': { manifest: LOAD },
	});
	const found = await earlierRun(join(shop, '2026-11-06T000000Z-f'), result);
	assert.equal(found?.files, 'changed');
	assert.equal((await earlierRun(join(shop, '2026-11-02T000000Z-b'), result))?.result.started, '2026-11-01T00:00:00Z');
	assert.equal(await earlierRun(join(shop, '2026-11-01T000000Z-a'), result), null);
	assert.equal(await earlierRun(join(shop, '2026-11-06T000000Z-f'), { ...result, architecture: 'other' }), null);
});

test('changes are told with both figures, and that they are of one run each', () => {
	const figures = (rps: number, p95: number | null) => ({
		...result,
		started: '2026-11-01T14:02:00Z',
		metrics: { ...result.metrics, throughput_rps: rps, failure_rate: 0.25, latency_ms: { ...result.metrics.latency_ms, ok: { p95 } } },
	});
	const text = sinceText(figures(99.8, 569) as any, { result: figures(100, 412) as any, files: 'same' });
	assert.equal(
		text?.replaceAll('\u00a0', ' '),
		'Since the run of 2026-11-01 14:02 UTC: throughput 100 rps → 99.8 rps (±0 %), p95 of successful requests 412 ms → 569 ms (+38 %), failed 25 % → 25 %. The Compose files are the same. One run of each says nothing about noise; a comparison does.',
	);
	assert.equal(sinceText(figures(99, null) as any, null), null);
	assert.doesNotMatch(
		sinceText(figures(99, null) as any, { result: figures(0, 1) as any, files: 'unknown' }) ?? '',
		/null|NaN|p95|throughput| {2}/,
	);
});
