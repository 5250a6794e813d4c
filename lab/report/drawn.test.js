import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carry, unfold } from './drawn.js';
import { crudResult, failingResult, healthyResult, poolsResult, programResult } from './fixtures/results.js';
import { chartTable, timelinePanels } from './panels.js';

/** All that is said of each second. @param {import('./panels.js').Drawn} drawn */
const said = (drawn) => timelinePanels(drawn).map((panel) => ({ ...chartTable(panel), caption: panel.caption }));

test('what a page carries draws what the result draws', () => {
  for (const make of [failingResult, healthyResult, crudResult, poolsResult, programResult]) {
    const carried = JSON.parse(JSON.stringify(carry(make())));
    assert.deepEqual(unfold(carried).timeline, make().timeline);
    assert.deepEqual(said(unfold(carried)), said(make()));
  }
});

test('it carries no second twice, and nothing that is not drawn', () => {
  const result = failingResult();
  const carried = carry(result);
  assert.ok(JSON.stringify(carried).length < JSON.stringify(result).length / 2);
  assert.equal(carried.timeline.t_s.length, result.timeline.length);
});

test('a run without seconds has none', () => {
  const carried = carry({ ...programResult(), timeline: [] });
  assert.deepEqual(unfold(carried).timeline, []);
});
