import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarios } from '../catalog/scenarios.js';
import { scenarioFiguresOf } from './figures.js';
import { factsOf, recordOf } from './fixtures/record.js';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.js';

/** A record that a scenario's figures can be read from, whatever they are. @type {(scenario: string) => import('./fixtures/story.js').Raw} */
function recordUnder(scenario) {
  const raw = recordOf();
  raw.manifest.scenario = scenario;
  return raw;
}

/** @type {(id: string) => import('../catalog/scenarios.js').Figure} */
const figure = (id) => ({ id, label: id, unit: 'ms', better: null, success_only: true });

for (const [scenario, { figures }] of Object.entries(scenarios))
  test(`${scenario} has the figures of its table entry, be they measured or not`, () => {
    const own = scenarioFiguresOf(factsOf(recordUnder(scenario))).figures;
    assert.deepEqual(
      Object.keys(own),
      figures.map(({ id }) => id),
    );
    for (const value of Object.values(own)) assert.ok(value === null || Number.isFinite(value));
  });

test('a figure that the table does not name is left out, and one that nobody read is not known', (t) => {
  const { figures } = scenarios.crud;
  t.after(() => {
    scenarios.crud.figures = figures;
  });
  scenarios.crud.figures = [figure('latency_ms_p95_create'), figure('unread')];
  assert.deepEqual(scenarioFiguresOf(factsOf(crudRecord())).figures, { latency_ms_p95_create: 40, unread: null });
});

test('figures have four digits after the point', () => {
  assert.deepEqual(scenarioFiguresOf(factsOf(poolsRecord())).figures, {
    latency_ms_p2_5_ok: 12.3457,
    latency_ms_p97_5_ok: 45,
    latency_ms_mean_ok: 20,
  });
});

test("a scenario's tables and checks are passed on", () => {
  const { figures, breakdowns, checks } = scenarioFiguresOf(factsOf(programRecord()));
  assert.deepEqual(figures, {});
  assert.deepEqual(
    breakdowns.map(({ title, rows }) => [title, rows.map(({ name }) => name)]),
    [['By file', ['store-1.tch', 'store-2.tch']]],
  );
  assert.deepEqual(checks, [{ statement: 'every insert is in its file', left: 4000, right: 4000, holds: true, exact: true }]);
});
