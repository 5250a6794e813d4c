import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comparison, MetricComparison } from '../../record/types.js';
import { comparisonFixture, emptyFixture } from '../fixtures/comparisons.ts';
import { carryComparison, comparePanels, dotStrips, unfoldComparison } from './arms.ts';

/** Room at either end of a strip, per cent of its width. */
const INSET = 9;

/**
 * The strip of a metric whose runs had these values, the least first and the most last: its ticks, by their values and as they are written, and
 * where its dots stand.
 */
function stripOf(values: number[], unit: MetricComparison['unit'] = 'count') {
	const run = (value: number, index: number) => ({
		...{ block: index + 1, counts: true, href: null, metrics: { m: value }, validity: { verdict: 'VALID' as const } },
	});
	const none = { median: null };
	const arms = { base: { id: 'a', timeline: [], runs: values.map(run) }, other: { id: 'b', timeline: [], runs: [] } };
	const text = String(dotStrips({ ...arms, metrics: [{ id: 'm', label: 'M', unit, base: none, other: none }] }));
	const [low, high] = [values[0], values[values.length - 1]];
	const ticks = [...text.matchAll(/<line class="grid" x1="([\d.]+)%"[^>]*><text[^>]*>([^<]*)</g)];
	return {
		ticks: ticks.map(([, x]) => Number((low + ((Number(x) - INSET) / (100 - 2 * INSET)) * (high - low)).toPrecision(4))),
		texts: ticks.map(([, , written]) => written.replaceAll('\u00a0', ' ')),
		places: ticks.map(([, x]) => x),
		dots: [...text.matchAll(/<svg x="([\d.]+%)"/g)].map(([, x]) => x),
	};
}

test('ticks are round, few, and never outside of what was measured', () => {
	assert.deepEqual(stripOf([734, 1050]).ticks, [800, 900, 1000]);
	const near = (found: number[], wanted: number[]) => {
		assert.equal(found.length, wanted.length, String(found));
		for (const [index, value] of wanted.entries()) assert.ok(Math.abs(found[index] - value) < 1e-4, String(found));
	};
	near(stripOf([0, 0.2]).ticks, [0, 0.05, 0.1, 0.15, 0.2]);
	near(stripOf([0.1, 0.3]).ticks, [0.1, 0.15, 0.2, 0.25, 0.3]);
	for (const ends of [
		[1.31, 1.72],
		[3, 2980],
		[-0.2, 0.19],
	]) {
		const { places } = stripOf(ends);
		assert.ok(places.length >= 2 && places.length <= 5, String(places));
		assert.ok(places.every((place) => Number(place) >= INSET && Number(place) <= 100 - INSET));
	}
});

test('no two ticks read the same, and each is where it says', () => {
	for (const [low, high] of [
		[101.9, 102.6],
		[98.36, 98.53],
		[0.9812, 0.9861],
		[2501, 2539],
		[102.1, 102.4],
		[-0.2, 0.19],
	]) {
		const { ticks, texts } = stripOf([low, high], 'rps');
		assert.equal(new Set(texts).size, ticks.length, texts.join(' '));
		if (ticks.length > 1)
			for (const [index, tick] of ticks.entries()) {
				const said = Number(texts[index].replace(/,| rps/g, '').replace('−', '-'));
				assert.ok(Math.abs(said - tick) <= (high - low) / 1000, `${texts[index]} at ${tick}`);
			}
	}
	assert.deepEqual(stripOf([98.36, 98.53], 'rps').texts, ['98.4 rps', '98.5 rps']);
	assert.deepEqual(stripOf([101.9, 102.6], 'rps').texts, ['102 rps']);
});

test('a single value stands in the middle, with itself as its tick', () => {
	const { texts, places, dots } = stripOf([0]);
	assert.deepEqual([texts, places, dots], [['0'], ['50'], ['50%']]);
});

test('values keep their order and a margin', () => {
	assert.deepEqual(stripOf([10, 15, 20]).dots, ['9%', '50%', '91%']);
});

test('both arms stand on the same seconds, and what one of them did not reach is missing', () => {
	const { base, other } = comparisonFixture();
	const panels = comparePanels({
		base: { ...base, timeline: base.timeline.slice(1) },
		other: { ...other, timeline: other.timeline.slice(0, -1) },
	});
	for (const { t_s: seconds, series } of panels) {
		assert.deepEqual(
			seconds,
			base.timeline.map(({ t_s: t }) => t),
		);
		for (const { values, range } of series) assert.deepEqual([values.length, range?.low.length, range?.high.length], [82, 82, 82]);
		assert.equal(series[0].values[0], null);
		assert.equal(series[0].text(0), '–');
		assert.equal(series[1].values[81], null);
	}
});

test('a second is said with its median and both ends, and the ends only where they differ', () => {
	const { base, other } = comparisonFixture();
	const [row] = base.timeline;
	const range = { median: 932, low: 918, high: 944 };
	const even = { median: 5, low: 5, high: 5 };
	const panels = comparePanels({ base: { ...base, timeline: [{ ...row, goodput_rps: range, vus: even }] }, other });
	const said = (id: string) =>
		panels
			.find((panel) => panel.id === id)
			?.series[0].text(0)
			.replaceAll('\u00a0', ' ');
	assert.equal(said('goodput_rps'), '932 rps (918 to 944 rps)');
	assert.equal(said('vus'), '5');
});

test('the two arms differ in stroke as well as in colour', () => {
	for (const { series } of comparePanels(comparisonFixture())) {
		assert.equal(new Set(series.map(({ stroke }) => stroke)).size, 2);
		assert.equal(new Set(series.map(({ colour }) => colour)).size, 2);
	}
});

/** As a page hands it on. */
const carried = (comparison: Comparison) => JSON.stringify(carryComparison(comparison));

test('what a page carries draws what the comparison draws', () => {
	for (const comparison of [comparisonFixture(), emptyFixture()]) {
		const drawn = unfoldComparison(JSON.parse(carried(comparison)));
		for (const side of ['base', 'other'] as const) assert.deepEqual(drawn[side].timeline, comparison[side].timeline);
		assert.equal(JSON.stringify(comparePanels(drawn)), JSON.stringify(comparePanels(comparison)));
		assert.equal(String(dotStrips(drawn)), String(dotStrips(comparison)));
	}
});

test('it carries no name of a figure for each second', () => {
	const comparison = comparisonFixture();
	assert.ok(comparison.base.timeline.length > 2);
	assert.equal(carried(comparison).split('"low"').length - 1, 8);
});
