import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../record/types.js';
import { chartTable } from './chart-table.ts';
import { failingResult, healthyResult } from './fixtures/results.ts';
import type { Panel } from './panels.ts';
import { isMeasured, peakIndex, timelinePanels } from './panels.ts';
import { chartFigure } from './sections/time-ledger.ts';

const panelOf: (id: string, result: Result) => Panel = (id, result) => timelinePanels(result).find((panel) => panel.id === id) as Panel;

test('every panel stands on the same seconds', () => {
	const result = failingResult();
	for (const panel of timelinePanels(result)) {
		assert.equal(panel.t_s.length, result.timeline.length);
		for (const series of panel.series) assert.equal(series.values.length, result.timeline.length, `${panel.id}: ${series.label}`);
	}
});

/** @returns finished requests of the highest second */
const highestOf = ({ timeline }: Result): number => Math.max(...timeline.map(({ throughput_rps: rps }) => rps ?? 0));

/** Some of the failures could not be placed, and there is a bound, whatever the stored run is like. */
function withTwoTiers() {
	const result = failingResult();
	const { 'load-balancer': lost } = result.series.failures_by_tier;
	result.series.failures_by_tier = { 'load-balancer': lost, app: lost.map((value) => value && 0), unattributed: lost };
	result.series.bound_rps = result.timeline.map(() => highestOf(result));
	return result;
}

test('failures are stacked hatched on the good answers, by the tier that lost them', () => {
	const { series } = panelOf('throughput', withTwoTiers());
	assert.deepEqual(
		series.map(({ label, kind, hatched, colour }) => [label, kind, hatched, colour]),
		[
			['successful', 'area', false, '--accent'],
			['failed: load balancer', 'area', true, '--tier-load-balancer'],
			['failed: unattributed', 'area', true, '--tier-unattributed'],
			['upper bound by CPU', 'line', false, '--ink'],
		],
	);
});

test('a tier without failures has no place in the throughput panel', () => {
	assert.deepEqual(
		panelOf('throughput', healthyResult()).series.map(({ label }) => label),
		['successful'],
	);
});

test('the bound is a dashed line beside the measured curve, where there is one', () => {
	const { series, caption } = panelOf('throughput', withTwoTiers());
	const bound = series.at(-1);
	assert.deepEqual([bound?.stroke, bound?.values.length], ['dashed', failingResult().timeline.length]);
	assert.match(caption, /The dashed line is the highest rate/);
	assert.doesNotMatch(panelOf('throughput', healthyResult()).caption, /dashed/);
	const far = withTwoTiers();
	far.series.bound_rps = far.timeline.map(() => 10 * highestOf(far));
	const flat = panelOf('throughput', far);
	assert.equal(flat.series.at(-1)?.label, 'failed: unattributed', 'it would press all others flat');
	const unbound = withTwoTiers();
	unbound.series.bound_rps = unbound.timeline.map(() => null);
	assert.equal(panelOf('throughput', unbound).series.at(-1)?.label, 'failed: unattributed');
});

test('two services of one tier share its colour and differ in their stroke', () => {
	const [one, other] = panelOf('cpu', failingResult()).series.filter(({ label }) => label.startsWith('app-'));
	assert.equal(one.colour, other.colour);
	assert.notEqual(one.stroke, other.stroke);
});

test('a limited resource is drawn as a share and said with its limit', () => {
	const result = failingResult();
	const { series, t_s } = panelOf('limits', result);
	const slots = series.find(({ label }) => label.startsWith('balancer sockets'));
	assert.ok(slots);
	const full = peakIndex(slots, t_s);
	const [{ limit, values }] = result.series.limits;
	assert.equal(slots.values[full], Math.max(...values.map(Number)) / Number(limit));
	assert.match(slots.text(full).replaceAll('\u00a0', ' '), /^1,\d\d\d of 1,024 \([\d.]+ %[^)]*\)$/);
});

test('a resource whose limit is not on record has no line, but its highest value is said', () => {
	const { series, t_s } = panelOf('limits', failingResult());
	const queue = series.find(({ label }) => label.startsWith('accept queue of app-1'));
	assert.ok(queue && !isMeasured(queue));
	assert.match(queue.text(peakIndex(queue, t_s)).replaceAll('\u00a0', ' '), /^\d+ connections, limit not on record$/);
});

test('why there is no limit, or more is used than the limit, is said beside it, and nothing of what is below', () => {
	const result = failingResult();
	const [slots] = result.series.limits;
	const textWith = (limit: number | null, value: number, note = 'why it is so') => {
		result.series.limits = [{ ...slots, label: 'ports', unit: 'ports', limit, note, values: slots.values.map(() => value) }, slots];
		return panelOf('limits', result).series[0].text(0).replaceAll('\u00a0', ' ');
	};
	assert.equal(textWith(null, 28_217, 'each destination has a limit of its own'), '28,217 ports, each destination has a limit of its own');
	assert.deepEqual([textWith(100, 50), textWith(100, 143)], ['50 of 100 (50 %)', '143 of 100 (143 %: why it is so)']);
});

test('of an arrival rate there is no panel of users, nor one of limits where none is known; the first that is there names the stages', () => {
	const result = failingResult();
	const [slots] = result.series.limits;
	result.series.limits = [{ ...slots, limit: null }];
	result.stages = result.stages.map((stage) => ({ ...stage, unit: 'rps' }));
	const panels = timelinePanels(result);
	assert.deepEqual(
		panels.map(({ id, marksStages }) => [id, marksStages]),
		[
			['throughput', true],
			['latency', false],
			['latency-grid', false],
			['cpu', false],
		],
	);
});

test('what has no line stands in a legend without the look of one', () => {
	const result = failingResult();
	const [slots] = result.series.limits;
	const limits = [null, 10].map((limit) => ({ ...slots, limit, values: slots.values.map(() => 9) }));
	result.series.limits = limits;
	assert.equal(chartFigure(panelOf('limits', result)).text.match(/class="swatch/g)?.length, 1);
});

test('a grid of latencies says of each second how many requests took how long, and how many of them failed', () => {
	const result = failingResult();
	const { t_s } = panelOf('latency', result);
	const [first, second] = [1, 2].map((second) => t_s.indexOf(second));
	const columns = Array.from({ length: Math.max(...t_s) }, (_, at) => (at === 1 ? 1 : 0));
	const grid = { edges_ms: [500, 1000, 2000], good: [columns, columns.map(() => 1200)], failed: [columns.map(() => 0), columns] };
	const drawn = panelOf('latency-grid', { ...result, latency_grid: { ...grid, step_s: 1 } });
	const said = (index: number) => drawn.series.map(({ label, text }) => `${label}: ${text(index)}`.replaceAll('\u00a0', ' '));
	assert.deepEqual(said(first), ['500 ms to 1 s: 0', '1 to 2 s: 1,200']);
	assert.deepEqual(said(second), ['500 ms to 1 s: 1', '1 to 2 s: 1,201 (1 failed)']);
	assert.doesNotMatch(chartFigure(drawn).text, /swatch/);
	const halved = { ...grid, good: grid.good.map((row) => row.slice(0, Math.ceil(row.length / 2))), failed: [] };
	const { rows } = chartTable(panelOf('latency-grid', { ...result, latency_grid: { ...halved, step_s: 2 } }));
	assert.deepEqual(rows.slice(0, 2), [
		['2', '0', '1,200'],
		['4', '1', '1,200'],
	]);
});

test('a second in which no request ended has no latency, and says so: a dash would say that nobody measured', () => {
	const result = failingResult();
	const at = result.timeline.findIndex(({ t_s }) => t_s === 5);
	Object.assign(result.timeline[at], { throughput_rps: 0, goodput_rps: 0, latency_ms_p50_ok: null, latency_ms_p95: null });
	const said = panelOf('latency', result).series.map(({ text }) => text(at));
	assert.deepEqual([said[0], said[3]], ['0\u00a0requests', '0\u00a0requests']);
});

test('a limit that a run does not come near to is left out', () => {
	const result = failingResult();
	const [slots] = result.series.limits;
	const labelsWith = (limit: number | null, value: number) => {
		result.series.limits = [{ ...slots, label: 'open files', limit, values: slots.values.map(() => value) }, slots];
		return panelOf('limits', result)
			.series.map(({ label }) => label)
			.filter((label) => label !== slots.label);
	};
	assert.deepEqual([labelsWith(1000, 50), labelsWith(1000, 51)], [[], ['open files']]);
	assert.deepEqual([labelsWith(null, 0), labelsWith(null, 1)], [[], ['open files']]);
});

test('nothing measured has no highest second', () => {
	const { series, t_s } = panelOf('cpu', healthyResult());
	const mongo = series.find(({ label }) => label === 'mongo');
	assert.ok(mongo);
	assert.equal(peakIndex(mongo, t_s), -1);
});

test('the highest second is one of the load, whatever the warm-up used', () => {
	const { series, t_s } = panelOf('cpu', failingResult());
	const amounts = t_s.map((second) => (second > 0 ? second / 100 : 9));
	assert.equal(peakIndex({ ...series[0], amounts }, t_s), t_s.length - 1);
});

test('a chart has a row for each second, with a cell for each of its lines', () => {
	for (const panel of timelinePanels(failingResult())) {
		const { heads, rows } = chartTable(panel);
		assert.deepEqual(heads, ['second', ...panel.series.map(({ label }) => label)]);
		assert.equal(rows.length, panel.t_s.length);
		for (const [index, row] of rows.entries()) {
			assert.equal(row.length, heads.length);
			assert.deepEqual(
				row.slice(1),
				panel.series.map(({ text }) => text(index)),
			);
		}
	}
});

test('a second in which nothing was measured is a dash', () => {
	const panel = timelinePanels(healthyResult()).find(({ id }) => id === 'cpu');
	assert.ok(panel);
	const { heads, rows } = chartTable(panel);
	assert.ok(rows.every((row) => row[heads.indexOf('mongo')] === '–'));
});

test('CPU is told as a share of a quota, and in cores where there is none', () => {
	const result = failingResult();
	const [service] = Object.keys(result.series.cpu_share);
	const reported = (quota: number | null) => {
		const { resources, series } = result;
		const own = { ...resources, [service]: { ...resources[service], cpu_quota_cores: quota } };
		const shares = { ...series, cpu_share: { [service]: [0.493] } };
		return panelOf('cpu', { ...result, resources: own, series: shares }).series[0].text(0);
	};
	assert.deepEqual([reported(null), reported(2)], [`${Math.round(49.3 * result.machine.cores) / 100}\u00a0cores`, '49.3\u00a0%']);
});
