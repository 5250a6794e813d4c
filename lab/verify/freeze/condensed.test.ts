import assert from 'node:assert/strict';
import { test } from 'node:test';
import { condensed } from './condensed.ts';

const rows = Array.from({ length: 20 }, (_, t) => ({ t, rps: t * 2 }));

test('short lists and plain values stay as they are', () => {
	const value = { headline: 'x', list: [1, { a: [2] }], none: null };
	assert.deepEqual(condensed(value), value);
});

test('of a long list each field has a digest, so that the one that moved is known', () => {
	const [before, now] = [rows, rows.with(7, { t: 7, rps: 15 })].map((timeline) => condensed({ timeline }).timeline);
	assert.equal(before.rows, 20);
	assert.equal(before.t, now.t);
	assert.notEqual(before.rps, now.rps);
	assert.equal(condensed({ rows }).rows.rps, before.rps);
});

test('a field that a row lacks is another than one that says nothing', () => {
	const withNull = rows.with(3, { t: 3, rps: null } as any);
	const without = rows.with(3, { t: 3 } as any);
	assert.notEqual(condensed(withNull).rps, condensed(without).rps);
});

test('a list of figures has one digest, by their order', () => {
	const figures = Array.from({ length: 30 }, (_, index) => index);
	assert.notDeepEqual(condensed(figures), condensed(figures.toReversed()));
});
