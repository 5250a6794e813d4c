import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketsOf, EDGES_MS } from '../../record/latency-buckets.ts';
import { sum } from '../../stats/numbers.ts';
import { readStoredRun } from '../fixtures/stored-run.ts';
import { resultOf } from '../result.ts';
import { latencyGridOf } from './latency-grid.ts';

const secondsTo = (last: number) => Array.from({ length: last + 1 }, (_, t_s) => ({ t_s }));
const ended = (t_s: number, good: number[], failed: number[] = []) => ({
	t_s,
	latencies: { good: bucketsOf(good), failed: bucketsOf(failed) },
});

test('a latency on an edge is in the bucket below it; none is too short or too long for all', () => {
	const [least, most] = [EDGES_MS[1], EDGES_MS[EDGES_MS.length - 1]];
	const bucketOf = (ms: number) => bucketsOf([ms]).indexOf(1);
	assert.deepEqual([0, least, least + 0.1, most, most + 1].map(bucketOf), [0, 0, 1, EDGES_MS.length - 2, EDGES_MS.length - 2]);
	for (const [at, edge] of EDGES_MS.slice(1).entries()) assert.equal(bucketOf(edge), at);
});

test('a grid has the rows from the fastest request to the slowest, good ones and failed ones apart', () => {
	assert.deepEqual(latencyGridOf([ended(1, [3, 4]), ended(3, [15], [15, 5])], secondsTo(3)), {
		step_s: 1,
		edges_ms: [2, 5, 10, 20],
		good: [
			[2, 0, 0],
			[0, 0, 0],
			[0, 0, 1],
		],
		failed: [
			[0, 0, 1],
			[0, 0, 0],
			[0, 0, 1],
		],
	});
	assert.deepEqual(latencyGridOf([ended(1, [3])], secondsTo(1))?.failed, []);
});

test('where no request ended there is no grid; seconds of a long load share a column', () => {
	assert.equal(latencyGridOf([{ t_s: 1 }], secondsTo(3)), null);
	const long = latencyGridOf([ended(1, [3]), ended(2, [3]), ended(3, [3]), ended(240, [3])], secondsTo(240));
	assert.deepEqual([long?.step_s, long?.good[0].length, long?.good[0].slice(0, 2), long?.good[0].at(-1)], [2, 120, [2, 1], 1]);
});

test('the grid of the stored run has each of its requests once', async () => {
	const { latency_grid: grid, metrics, timeline } = resultOf(await readStoredRun());
	assert.ok(grid);
	const total = (rows: number[][]) => sum(rows.map(sum));
	assert.deepEqual([total(grid.good) + total(grid.failed), total(grid.failed)], [metrics.requests, metrics.failures]);
	for (const rows of [grid.good, grid.failed])
		assert.deepEqual([rows.length, rows[0].length], [grid.edges_ms.length - 1, Math.max(...timeline.map(({ t_s }) => t_s))]);
});
