import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AxisScale, Domain } from './table.ts';
import { differenceDomain, doubtLine, doubtNote, doubtShort, intervalAxis, intervalTicks, ratioDomain, shareDomain } from './table.ts';

const ratio = { estimate: 1.9, low: 1.8, high: 2.1 };
const nothing = { estimate: null, low: null, high: null };

const drawn = (changes: Partial<Parameters<typeof intervalAxis>[0]> = {}) =>
	intervalAxis({ scale: 'ratio', row: ratio, domain: ratioDomain([ratio]), label: 'goodput', ...changes }).text;

/** Where the dot of a ratio stands, per cent of the width. */
const placeOf = (estimate: number, domain: Domain) =>
	Number(/ cx="([\d.]+)%"/.exec(drawn({ row: { estimate, low: null, high: null }, domain }))?.[1]);

/** What an axis names, from left to right. */
const ticksOf = (scale: AxisScale, domain: Domain) =>
	[...intervalTicks({ scale, domain }).text.matchAll(/<text x="([\d.]+)%" [^>]*>([^<]+)</g)].map(([, x, text]) => ({ x: Number(x), text }));

test('a ratio axis is symmetric around 1, and twice is as far from it as half', () => {
	const domain = ratioDomain([ratio]);
	assert.deepEqual(domain, { low: 1 / 3, high: 3 });
	assert.equal(placeOf(1, domain), 50);
	assert.ok(placeOf(2, domain) > 60);
	assert.ok(Math.abs(placeOf(2, domain) - 50 - (50 - placeOf(0.5, domain))) < 1e-9);
});

test('a ratio axis reaches for what is small as for what is large, and stops at ten times', () => {
	assert.equal(ratioDomain([{ estimate: 0.3, low: 0.26, high: 0.4 }]).high, 4);
	assert.equal(ratioDomain([{ estimate: 28, low: 20, high: 40 }]).high, 10);
	assert.equal(ratioDomain([nothing]).high, 1.25);
	assert.equal(ratioDomain([nothing], [1.49]).high, 1.5);
	assert.equal(ratioDomain([{ estimate: 0, low: -1, high: Number.NaN }]).high, 1.25);
});

test('a difference axis ends at a short number, at 0.2 points at least and at all at most', () => {
	assert.deepEqual(differenceDomain([{ estimate: -0.199, low: -0.204, high: -0.192 }]), { low: -0.3, high: 0.3 });
	assert.deepEqual(differenceDomain([nothing]), { low: -0.002, high: 0.002 });
	assert.equal(differenceDomain([{ estimate: 0.3, low: 0.3, high: 0.3 }]).high, 0.3);
	assert.equal(differenceDomain([{ estimate: 0.97, low: 0.9, high: 1 }]).high, 1);
	assert.deepEqual(shareDomain([{ estimate: 0.12, low: 0.1, high: 0.14 }]), { low: 0, high: 0.2 });
});

test('ticks are written as the reader says them', () => {
	assert.deepEqual(
		ticksOf('ratio', { low: 1 / 3, high: 3 }).map(({ text }) => text),
		['0.33×', '0.6×', '1×', '1.7×', '3×'],
	);
	assert.deepEqual(
		ticksOf('difference', { low: -0.3, high: 0.3 }).map(({ text }) => text),
		['−30', '−15', '0', '+15', '+30'],
	);
	assert.deepEqual(
		ticksOf('difference', { low: -0.3, high: 0.3 }).map(({ x }) => x),
		[6, 28, 50, 72, 94],
	);
	assert.match(intervalTicks({ scale: 'share', domain: { low: 0, high: 0.2 } }).text, /20\u00a0%/);
});

test('an interval has its line, its ends and its estimate, in that order', () => {
	const picture = drawn();
	assert.equal(picture.match(/class="reach"/g)?.length, 3);
	assert.equal(picture.match(/class="estimate"/g)?.length, 1);
	const [low, high] = [1.8, 2.1].map((value) => `${placeOf(value, { low: 1 / 3, high: 3 })}%`);
	assert.ok(picture.includes(`x1="${low}" x2="${high}"`));
	assert.ok(!picture.includes('class="arrow"'));
});

test('what leaves the axis is an arrow, and has no end there', () => {
	const row = { estimate: 8, low: 2, high: 30 };
	const picture = drawn({ row, domain: ratioDomain([row]) });
	assert.equal(picture.match(/class="arrow"/g)?.length, 1);
	assert.equal(picture.match(/class="reach"/g)?.length, 2);
	const outside = drawn({ row: { estimate: 28, low: 20, high: 40 }, domain: { low: 0.1, high: 10 } });
	assert.equal(outside.match(/class="arrow"/g)?.length, 1);
	assert.ok(!outside.includes('class="estimate"'));
	assert.ok(!outside.includes('class="reach"'));
});

test('without an interval the estimate stands alone, and without an estimate it is said', () => {
	assert.ok(drawn({ row: { ...ratio, low: null, high: null } }).includes('class="estimate alone"'));
	const empty = drawn({ row: nothing, shade: { low: 0.95, high: 1.05 } });
	assert.ok(empty.includes('nothing to compare'));
	assert.ok(!empty.includes('class="shade"'));
	assert.doesNotMatch(empty, /NaN|null|Infinity/);
});

test('shading is cut at the ends of the axis', () => {
	const picture = drawn({ shade: { low: 1.49, high: 500 } });
	const [, x, width] = /class="shade" x="([\d.]+)%" width="([\d.]+)%"/.exec(picture) ?? [];
	const [from, to] = [1.49, 3].map((value) => placeOf(value, { low: 1 / 3, high: 3 }));
	assert.deepEqual([Number(x), to], [from, 94]);
	assert.ok(Math.abs(Number(width) - (to - from)) < 0.011, width);
});

test('marks are named, a published figure is a diamond, and their labels stand below each other', () => {
	const picture = drawn({
		marks: [
			{ value: 1.49, label: 'at least 1.49×', kind: 'threshold' },
			{ value: 0.61, label: '<b>published', kind: 'published' },
		],
	});
	assert.ok(picture.includes('at least 1.49×'));
	assert.ok(picture.includes('&lt;b&gt;published'));
	assert.equal(picture.match(/<path class="published"/g)?.length, 1);
	const heights = [...picture.matchAll(/<text class="(?:threshold|published)"[^>]*y="(\d+)"/g)].map(([, y]) => y);
	assert.equal(new Set(heights).size, 2);
});

const DOUBT = { suspect: 3, runs: 8, text: '3 of 8 runs SUSPECT: <b>' };

test('doubt is said in numbers beside a figure, and with its reason in a line of its own', () => {
	assert.equal(doubtShort(DOUBT), '3 of 8 SUSPECT');
	assert.equal(String(doubtLine(DOUBT)?.text), '<p class="doubt">In doubt: 3 of 8 runs SUSPECT: &lt;b&gt;.</p>');
	assert.ok(doubtNote(DOUBT)?.text.includes('>3 of 8 SUSPECT</span>'));
});

test('without doubt nothing is said', () => {
	assert.deepEqual([doubtShort(null), doubtNote(null), doubtLine(null)], [null, null, null]);
});
