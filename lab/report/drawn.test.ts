import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartTable } from './chart-table.ts';
import { carry, unfold } from './drawn.ts';
import { crudResult, failingResult, healthyResult, poolsResult, programResult } from './fixtures/results.ts';
import type { Drawn } from './panels.ts';
import { timelinePanels } from './panels.ts';

/** All that is said of each second. */
const said = (drawn: Drawn) => timelinePanels(drawn).map((panel) => ({ ...chartTable(panel), caption: panel.caption }));

test('what a page carries draws what the result draws', () => {
	for (const make of [failingResult, healthyResult, crudResult, poolsResult, programResult]) {
		const carried = JSON.parse(JSON.stringify(carry(make())));
		assert.deepEqual(said(unfold(carried)), said(make()));
	}
});

test('it carries no second twice, and nothing that is not drawn', () => {
	const result = failingResult();
	const carried = carry(result);
	assert.ok(JSON.stringify(carried).length < JSON.stringify(result).length / 2);
	assert.equal(unfold(carried).timeline.length, result.timeline.length);
});

test('a run without seconds has none', () => {
	const carried = carry({ ...programResult(), timeline: [] });
	assert.deepEqual(unfold(carried).timeline, []);
});

test('what stays the same is carried once, and comes back as often as it was, in lists that hold others too', () => {
	const result = healthyResult();
	const still = { ...result, series: { ...result.series, bound_rps: [...Array(500).fill(null), 1, 1, 2, ...Array(500).fill(7.5)] } };
	const carried = JSON.parse(JSON.stringify(carry(still)));
	assert.ok(JSON.stringify(carried).length < JSON.stringify(carry(result)).length + 500);
	assert.deepEqual(unfold(carried).series, { ...still.series, limits: unfold(carry(result)).series.limits });
});
