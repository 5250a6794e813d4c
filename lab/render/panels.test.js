import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, healthyResult } from './fixtures/results.js';
import { isMeasured, peakIndex, timelinePanels } from './panels.js';

/** @type {(id: string, result: import('../define/result.js').Result) => import('./panels.js').Panel} */
const panelOf = (id, result) => /** @type {import('./panels.js').Panel} */ (timelinePanels(result).find((panel) => panel.id === id));

test('every panel stands on the same seconds', () => {
  const result = failingResult();
  for (const panel of timelinePanels(result)) {
    assert.equal(panel.t_s.length, result.timeline.length);
    for (const series of panel.series) assert.equal(series.values.length, result.timeline.length, `${panel.id}: ${series.label}`);
  }
});

test('failures are stacked hatched on the good answers, by the tier that lost them', () => {
  const { series } = panelOf('throughput', failingResult());
  assert.deepEqual(
    series.map(({ label, kind, hatched, colour }) => [label, kind, hatched, colour]),
    [
      ['good answers', 'area', false, '--accent'],
      ['failed: load balancer', 'area', true, '--tier-load-balancer'],
      ['failed: unattributed', 'area', true, '--tier-unattributed'],
      ["bound by the tiers' CPU", 'line', false, '--ink'],
    ],
  );
});

test('a tier without failures has no place in the throughput panel', () => {
  assert.deepEqual(
    panelOf('throughput', healthyResult()).series.map(({ label }) => label),
    ['good answers'],
  );
});

test('the bound is a dashed line beside the measured curve, where there is one', () => {
  const { series, caption } = panelOf('throughput', failingResult());
  const bound = series.at(-1);
  assert.deepEqual([bound?.stroke, bound?.values.length], ['dashed', failingResult().timeline.length]);
  assert.match(caption, /The dashed line is what users and CPU allow/);
  assert.doesNotMatch(panelOf('throughput', healthyResult()).caption, /dashed/);
  const older = failingResult();
  Reflect.deleteProperty(older.series, 'bound_rps');
  assert.equal(panelOf('throughput', older).series.at(-1)?.label, 'failed: unattributed');
});

test('two services of one tier share its colour and differ in their stroke', () => {
  const [one, other] = panelOf('cpu', failingResult()).series.filter(({ label }) => label.startsWith('app-'));
  assert.equal(one.colour, other.colour);
  assert.notEqual(one.stroke, other.stroke);
});

test('a limited resource is drawn as a share and said with its limit', () => {
  const result = failingResult();
  const { series } = panelOf('limits', result);
  const slots = series[0];
  const full = peakIndex(slots);
  assert.equal(slots.values[full], 1);
  assert.equal(slots.text(full).replaceAll('\u00a0', ' '), '1,024 of 1,024 (100 %)');
});

test('a resource without a limit has no line, but its highest value is said', () => {
  const { series } = panelOf('limits', failingResult());
  const queue = series.find(({ label }) => label === 'Waiting for a pool connection');
  assert.ok(queue && !isMeasured(queue));
  assert.match(queue.text(peakIndex(queue)), /^\d+ requests, no limit$/);
});

test('a limit that a run does not come near to is left out', () => {
  const result = failingResult();
  const [slots] = result.series.limits;
  const labelsWith = (/** @type {number | null} */ limit, /** @type {number} */ value) => {
    result.series.limits = [{ ...slots, label: 'open files', limit, values: slots.values.map(() => value) }];
    return panelOf('limits', result).series.map(({ label }) => label);
  };
  assert.deepEqual([labelsWith(1000, 50), labelsWith(1000, 51)], [[], ['open files']]);
  assert.deepEqual([labelsWith(null, 0), labelsWith(null, 1)], [[], ['open files']]);
});

test('nothing measured has no highest second', () => {
  const mongo = panelOf('cpu', healthyResult()).series.find(({ label }) => label === 'mongo');
  assert.ok(mongo);
  assert.equal(peakIndex(mongo), -1);
});
