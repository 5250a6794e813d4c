import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metrics } from '../catalog/metrics.js';
import { scenarios } from '../catalog/scenarios.js';
import { crudResult, failingResult, olderResult, poolsResult, programResult } from './fixtures/results.js';
import { isProgram, metricsOf, ownFigures, requestText, scenarioOf, variableTexts } from './scenario.js';

/** @param {import('../record/result.js').Result} result */
const idsOf = (result) => metricsOf(result).map(({ id }) => id);

test('a result without a scenario is of documents, and has nothing of its own', () => {
  const older = olderResult();
  assert.equal(scenarioOf(older), scenarios.documents);
  assert.deepEqual([ownFigures(older), variableTexts(older)], [[], []]);
  assert.deepEqual(idsOf(older), idsOf(failingResult()));
});

test('a scenario that the table does not have breaks nothing', () => {
  for (const scenario of ['constructor', 'sagas']) assert.equal(scenarioOf({ scenario }), scenarios.documents);
});

test('one request, the variables and the own figures are said as their table has them', () => {
  const crud = crudResult();
  assert.equal(requestText(crud), 'One request is: one read, create, update or delete of a document.');
  assert.deepEqual(variableTexts(crud), ['WORKERS=20']);
  const figures = ownFigures(crud).map(({ label, text }) => `${label} ${text}`.replaceAll('\u00a0', ' '));
  assert.deepEqual(figures, [
    'p95 of reads 40 ms',
    'p95 of creates 40 ms',
    'p95 of updates 40 ms',
    'p95 of deletes –',
    'spread over the databases 80 %',
    'journal written 2 MB/s',
  ]);
});

test('where nothing was measured of any own figure there is none', () => {
  const figures = Object.fromEntries(scenarios.pools.figures.map(({ id }) => [id, null]));
  assert.deepEqual(ownFigures({ ...poolsResult(), figures }), []);
});

test('a run has the metrics of every run and its own, and not those of other scenarios', () => {
  const own = scenarios.crud.figures.map(({ id }) => id);
  const ids = idsOf(crudResult());
  assert.deepEqual(ids.slice(-own.length), own);
  assert.ok(ids.includes('latency_ms_p50_ok') && !ids.includes('batch_size_mean') && ids.length < metrics.length);
});

test('a program has no metric that it did not measure', () => {
  assert.ok(isProgram(programResult()) && !isProgram(crudResult()));
  assert.deepEqual(idsOf(programResult()), ['goodput_rps', 'failure_rate', 'throughput_rps', 'cpu_ms_per_good']);
});
