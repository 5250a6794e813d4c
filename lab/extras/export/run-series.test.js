import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, programResult } from '../../report/fixtures/results.js';
import { runSeries } from './run-series.js';

const result = failingResult();
const series = runSeries(result);

/** @param {string} name */
const named = (name) => series.filter((one) => one.name === name);

test('every figure of the timeline is a series, as long as the timeline', () => {
  const [row] = result.timeline;
  for (const name of Object.keys(row).filter((key) => key !== 't_s' && key !== 'warmup')) {
    const [one] = named(name);
    const values = result.timeline.map((second) => second[/** @type {'vus'} */ (name)]);
    assert.deepEqual([one.values, one.tier, one.service], [values, '', ''], name);
  }
  for (const { name, values } of series) assert.equal(values.length, result.timeline.length, name);
});

test('failures have their tier, and CPU its service and that one’s tier', () => {
  const { failures_by_tier: failures, cpu_share: shares } = result.series;
  assert.deepEqual(
    named('failures_by_tier').map(({ tier, values }) => [tier, values]),
    Object.entries(failures),
  );
  assert.deepEqual(
    named('cpu_share').map(({ service, tier, values }) => [service, tier, values]),
    Object.entries(shares).map(([service, values]) => [service, result.resources[service].tier, values]),
  );
});

test('what is used of a limit is of the service that its id names, or of the only one of its tier', () => {
  const serviceOf = (/** @type {string} */ name) => named(name).map(({ service }) => service);
  assert.deepEqual(
    [serviceOf('used.pool'), serviceOf('used.loop')],
    [
      ['app-1', 'app-2'],
      ['app-1', 'app-2'],
    ],
  );
  const balancers = Object.keys(result.resources).filter((service) => result.resources[service].tier === 'load-balancer');
  assert.deepEqual(serviceOf('used.balancer-connections'), balancers);
  const [pool, other] = named('used.pool');
  assert.deepEqual([pool.tier, pool.unit, pool.about], ['pool', '{connections}', 'pool']);
  assert.notDeepEqual(pool.values, other.values);
  assert.deepEqual(
    named('used.memory-pressure-machine').map(({ service, about }) => [service, about]),
    [['', 'memory pressure of machine']],
  );
});

test('a unit is one of UCUM, in which a thing stands in braces', () => {
  for (const { name, unit } of series) assert.match(unit, /^(1|ms|MBy|\{\w+\}(\/s)?)$/, name);
});

test('what was never recorded is left out', () => {
  for (const { name, values } of [...series, ...runSeries(programResult())])
    assert.ok(
      values.some((value) => value !== null),
      name,
    );
  assert.ok(!runSeries(programResult()).some(({ name }) => name === 'latency_ms_p95'));
});
