import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MISSING, rate } from '../format.ts';
import { extremes, intervalText, onScale, wantedText } from './words.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('a figure is written as its scale has it', () => {
	assert.equal(onScale('ratio', 1.674), '1.67×');
	assert.equal(plain(onScale('share', 0.0002)), '0.02 %');
	assert.equal(plain(onScale('difference', 0.1771)), '+17.7 points');
	assert.equal(plain(onScale('difference', -0.01)), '−1 point');
	assert.equal(plain(onScale('difference', 0)), '0 points');
});

test('a figure that is missing is a dash on every scale', () => {
	for (const scale of ['ratio', 'difference', 'share'] as const) assert.equal(onScale(scale, null), MISSING);
	assert.equal(intervalText({ scale: 'ratio', low: null, high: null }), MISSING);
	assert.equal(extremes(undefined, rate), MISSING);
});

test('an interval says its unit once', () => {
	assert.equal(intervalText({ scale: 'ratio', low: 1.61, high: 1.72 }), '1.61 to 1.72×');
	assert.equal(plain(intervalText({ scale: 'difference', low: -0.371, high: -0.338 })), '−37.1 to −33.8 points');
	assert.equal(plain(extremes({ median: 2, low: 1, high: 3 }, rate)), '1 to 3 rps');
});

test('an interval whose ends have different units says both, and one without width says it once', () => {
	assert.equal(plain(intervalText({ scale: 'share', low: 0.000001, high: 0.5 })), '< 0.001 % to 50 %');
	assert.equal(plain(extremes({ median: 2, low: 2, high: 2 }, rate)), '2 rps');
});

test('what is wanted names the side and the threshold', () => {
	assert.equal(plain(wantedText({ scale: 'ratio', wanted: 'at least', threshold: 1.4927 })), 'at least 1.49×');
});
