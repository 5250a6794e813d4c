import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../../record/types.js';
import { healthyResult } from '../fixtures/results.ts';
import { overTime } from './over-time.ts';

const drawn = (good: number[], failed: number[] = []) =>
	overTime({
		...healthyResult(),
		timeline: good.map((rps, at) => ({ t_s: at + 1, goodput_rps: rps, failures_per_s: failed[at] ?? 0 })),
	} as unknown as Result)?.text ?? '';
/** @returns of the first layer, from 0 at the top to 40 */
const heights = (text: string) =>
	[...(/<path class="good" d="M0 40(.*?)h-1/.exec(text)?.[1] ?? '').matchAll(/V([\d.]+)h1/g)].map(([, at]) => Number(at));

test('a second that is far higher than all others is cut off, and the caption says so', () => {
	const text = drawn([100, ...Array(9).fill(10)], [0, 5]);
	assert.match(text, /peak 100 \(cut off\)/);
	assert.equal(heights(text)[0], 0);
	assert.ok(Math.abs(heights(text)[2] - 40 * (1 - 10 / (1.25 * 10))) < 0.2, String(heights(text)));
});

test('of a load that rises, or of three such seconds, nothing is cut off', () => {
	for (const good of [
		[10, 20, 40, 60, 80, 100],
		[100, 100, 100, 10, 10],
	]) {
		const text = drawn(good);
		assert.match(text, /peak 100: none failed/);
		assert.equal(Math.min(...heights(text)), 0);
	}
	assert.equal(drawn([0, 0]), '');
});
