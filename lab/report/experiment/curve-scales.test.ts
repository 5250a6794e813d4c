import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurveResult } from '../../record/types.js';
import { scaleFixture } from '../fixtures/experiments.ts';
import { ticksTo } from './curve-drawing.ts';
import { FRAMES } from './curve-frames.ts';
import { curveSection } from './curve-scales.ts';

const textOf = (overrides?: Partial<CurveResult>) => (curveSection(scaleFixture(overrides))?.text ?? '').replaceAll('\u00a0', ' ');

const curveOf = (overrides?: Partial<CurveResult>) => scaleFixture(overrides).curve as CurveResult;

test('every run is a ring, every median a dot, in both forms of the drawing', () => {
	const text = textOf();
	assert.equal(text.match(/<circle class="run"/g)?.length, 2 * 4 * 8);
	assert.equal(text.match(/<circle class="median"/g)?.length, 2 * 4);
});

test('fit, band, linear growth, knee and peak are drawn and said', () => {
	const text = textOf();
	for (const mark of [
		'<polygon class="band"',
		'<polyline class="fit"',
		'<line class="linear"',
		'<line class="knee"',
		'<path class="peak"',
	]) {
		assert.equal(text.split(mark).length - 1, 2, mark);
	}
	assert.ok(text.includes('<b>Knee at 3 nodes.</b>'));
	assert.ok(text.includes('at 6.58 nodes</b> (95 % interval 5.6 to 8.1 nodes)'));
});

test('the three parameters stand with their intervals', () => {
	const text = textOf();
	for (const expected of ['560 rps', '549 to 572 rps', '0.061 to 0.118', '0.014 to 0.029', '2,000 bootstrap samples'])
		assert.ok(text.includes(expected), expected);
	assert.ok(!text.includes('The interval reaches 0'));
});

test('an interval that reaches 0 shows no cost', () => {
	const { usl } = curveOf();
	assert.ok(usl);
	const text = textOf({ usl: { ...usl, kappa: { estimate: 0.002, low: 0, high: 0.01 } } });
	assert.ok(text.includes('The interval reaches 0: no cost of keeping in step is shown.'));
});

test('why there is no fit, or no peak, is said in words', () => {
	const refused = textOf({ usl: null, usl_refused: 'Three points cannot be contradicted.', knee: null });
	assert.ok(refused.includes('Three points cannot be contradicted.'));
	assert.ok(refused.includes('No knee within the data'));
	assert.ok(textOf({ knee: null, knee_refused: 'A knee needs 8 runs.' }).includes('<li>A knee needs 8 runs.</li>'));
	assert.ok(!refused.includes('class="fit"'));
	assert.ok(!refused.includes('key fit'));
	const { usl } = curveOf();
	assert.ok(usl);
	const noPeak = textOf({ usl: { ...usl, peak: null }, usl_refused: 'The peak is out of reach of the data.' });
	assert.ok(noPeak.includes('The peak is out of reach of the data.'));
	assert.ok(!noPeak.includes('predicted peak'));
});

test('the table has median, range, efficiency and failure rate of each point', () => {
	assert.match(textOf(), />4<\/th><td class="text">4a-tuned<\/td><td>1,\d+ rps<.*?>1,\d+ to 1,\d+ rps<.*?>65\.7 %<.*?>0\.04 %</s);
});

/** What is drawn in a form of it: where each of these marks stands. */
function drawnIn(form: 'wide' | 'narrow', overrides?: Partial<CurveResult>) {
	const picture = new RegExp(`<svg class="curve ${form}".*?</svg>`, 's').exec(textOf(overrides))?.[0] ?? '';
	const numbers = (pattern: RegExp) => [...picture.matchAll(pattern)].map(([, ...found]) => found.map(Number));
	return {
		runs: numbers(/<circle class="run" cx="([\d.]+)" cy="([\d.]+)"/g),
		medians: numbers(/<circle class="median" cx="([\d.]+)" cy="([\d.]+)"/g),
		peak: numbers(/<path class="peak" d="M([\d.]+) ([\d.]+)/g),
		linear: numbers(/<line class="linear" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="(-?[\d.]+)"/g)[0],
	};
}

test('every run and the peak are inside of the plot', () => {
	for (const form of ['wide', 'narrow'] as const) {
		const { width, height, left, right, top, bottom } = FRAMES[form];
		const { runs, peak } = drawnIn(form);
		assert.deepEqual([runs.length, peak.length], [4 * 8, 1]);
		for (const [x, y] of runs) assert.ok(x > left && x < width - right && y >= top && y <= height - bottom, `${form}: ${x}, ${y}`);
		assert.ok(peak[0][0] > left && peak[0][0] < width - right);
	}
});

test('growth in proportion starts at the point with the least x, whatever the order', () => {
	const { left, height, bottom } = FRAMES.wide;
	const { medians, linear } = drawnIn('wide');
	const [x1, y1, x2, y2] = linear;
	assert.deepEqual([x1, y1], [left, height - bottom]);
	// It goes through the median of the first.
	const [[x, y]] = medians;
	assert.ok(Math.abs(y1 + ((y2 - y1) * (x - x1)) / (x2 - x1) - y) < 0.2);
	assert.deepEqual(drawnIn('wide', { points: curveOf().points.toReversed() }).linear, linear);
});

test('where nothing grows in proportion, no line says that it should', () => {
	const points = curveOf().points.map((point) => ({ ...point, efficiency: null }));
	const text = textOf({ points, unit: 'ms', usl: null, usl_refused: 'A latency has no such law.' });
	assert.ok(!text.includes('class="linear"'));
	assert.ok(!text.includes('dashed line'));
});

test('a sweep of many workers has its ticks where it was measured, and its figures in requests a second', () => {
	const points = [5, 8, 10, 12, 15, 20, 40].map((x) => {
		const [first] = curveOf().points;
		return { ...first, x, arm: `workers-${x}`, efficiency: 5 / x };
	});
	const text = textOf({ points, x_label: 'workers a database', usl: null, usl_refused: 'It goes down from the first.', knee: null });
	const wide = text.match(/<svg class="curve wide".*?<\/svg>/s)?.[0] ?? '';
	const ticks = [...wide.matchAll(/<text class="tick"[^>]*text-anchor="middle">([^<]+)</g)].map(([, tick]) => tick);
	assert.deepEqual(ticks, ['5', '8', '10', '12', '15', '20', '40']);
	assert.ok(text.includes('600 rps</text>') && text.includes('>40</th><td class="text">workers-40<'));
});

test('a curve of which nothing was measured is not drawn', () => {
	const text = textOf({ points: [], usl: null });
	assert.ok(!text.includes('<svg'));
	assert.ok(text.includes('Nothing was measured that could be drawn.'));
});

test('a single point at 0 is no division by it', () => {
	const point = { ...curveOf().points[0], x: 0, values: [0, 0], value: { median: 0, low: 0, high: 0 } };
	assert.doesNotMatch(textOf({ points: [point], usl: null, knee: null }), /NaN|Infinity/);
});

test('ticks are round numbers from 0', () => {
	assert.deepEqual(ticksTo(1730), [0, 500, 1000, 1500]);
	assert.deepEqual(ticksTo(0.31), [0, 0.1, 0.2, 0.3]);
	assert.deepEqual(ticksTo(10), [0, 2, 4, 6, 8, 10]);
});

test('values of a setting have bars for their intervals, and neither law nor knee', () => {
	const points = curveOf().points.map((point) => ({ ...point, efficiency: null, interval: { median: 500, low: 490, high: 510 } }));
	const text = textOf({ points, usl: null, knee: null, is_setting: true, x_label: 'POOL', bound: 300 });
	assert.match(text, /By POOL[\s\S]*95 % interval of the runs/);
	assert.equal(text.match(/<line class="fit"/g)?.length, 2 * 4);
	assert.equal(text.match(/<line class="linear"/g)?.length, 2);
	assert.doesNotMatch(text, /No fit|Knee/);
});
