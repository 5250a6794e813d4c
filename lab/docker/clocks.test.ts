import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOffset, clockOffsetOf } from './clocks.ts';

/** A host whose clock is so far ahead, and whose answers take so long on each way. */
function hostWith(aheadMs: number, ways: [number, number][]) {
	let now = 1_000_000;
	let asked = 0;
	const ask = async () => {
		const [there, back] = ways[asked % ways.length];
		asked += 1;
		now += there;
		const reported = now + aheadMs;
		now += back;
		return reported;
	};
	return clockOffsetOf(ask, () => now);
}

test('a clock that is ahead or behind is known as exactly as the quickest answer allows', async () => {
	assert.deepEqual(await hostWith(2500, [[5, 5]]), { offset_s: 2.5, within_s: 0.005 });
	assert.deepEqual(await hostWith(-400, [[1, 1]]), { offset_s: -0.4, within_s: 0.001 });
});

test('ways of different lengths narrow it from both sides', async () => {
	const { offset_s: offset, within_s: within } = await hostWith(100, [
		[1, 50],
		[50, 1],
	]);
	assert.ok(Math.abs(offset - 0.1) < 1e-9, String(offset));
	assert.ok(Math.abs(within - 0.001) < 1e-9, String(within));
});

test('what is told lies within what is known, whatever the ways', async () => {
	const { offset_s: offset, within_s: within } = await hostWith(30, [[40, 2]]);
	assert.ok(Math.abs(offset - 0.03) <= within + 1e-9);
	assert.equal(within, 0.021);
});

const NOW = Date.parse('2026-11-21T20:00:00Z');

test("the engine's clock is apart from this machine's by what no waiting for the answer explains", () => {
	assert.equal(clockOffset(NOW + 400, NOW, NOW + 900), 0);
	assert.equal(clockOffset(NOW + 3900, NOW, NOW + 900), 3);
	assert.equal(clockOffset(NOW - 3000, NOW, NOW + 900), -3);
	assert.equal(clockOffset(Date.parse('2026-11-21T21:00:00.123456789+01:00'), NOW, NOW + 900), 0);
});

test('of an engine that tells no time nothing is known', () => {
	assert.equal(clockOffset(Number.NaN, NOW, NOW), null);
});
