import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult } from '../../report/fixtures/results.js';
import { formatOtlp } from './otlp.js';
import { runSeries } from './run-series.js';

const result = failingResult();
const seconds = result.timeline.map(({ t_s: second }) => second);
const { resourceMetrics } = JSON.parse(formatOtlp(runSeries(result), seconds, result));
/** @typedef {{ key: string, value: { stringValue: string } }} Attribute */
/** @typedef {{ attributes: Attribute[], timeUnixNano: string, asDouble: number }} Point */
/** @type {{ name: string, description: string, unit: string, gauge: { dataPoints: Point[] } }[]} */
const metrics = resourceMetrics[0].scopeMetrics[0].metrics;

/** @param {string} name */
const pointsOf = (name) => metrics.find((metric) => metric.name === name)?.gauge.dataPoints ?? [];
/** @param {Attribute[]} attributes */
const plain = (attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

test('a run is one resource with one scope, and names architecture, load and budget', () => {
  assert.deepEqual([resourceMetrics.length, resourceMetrics[0].scopeMetrics.length], [1, 1]);
  assert.deepEqual(plain(resourceMetrics[0].resource.attributes), {
    'service.name': 'doubletake',
    'doubletake.architecture': result.architecture,
    'doubletake.load': result.load,
    'doubletake.budget': result.budget,
  });
});

test('a metric stands once, with a name and a unit that OpenTelemetry takes', () => {
  const names = metrics.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, unit, description } of metrics) {
    // https://opentelemetry.io/docs/specs/otel/metrics/api/#instrument-name-syntax
    assert.match(name, /^[a-zA-Z][\w./-]{0,254}$/);
    assert.ok(unit.length <= 63 && description.length > 0, name);
  }
});

test('a point has the time of its second in nanoseconds, as a string, and its value', () => {
  const points = pointsOf('doubletake.goodput_rps');
  const rows = result.timeline.filter(({ goodput_rps: goodput }) => goodput !== null);
  assert.deepEqual(
    points.map(({ timeUnixNano, asDouble }) => [timeUnixNano, asDouble]),
    rows.map(({ t_s: second, goodput_rps: goodput }) => [`${Date.parse(result.started) + second * 1000}000000`, goodput]),
  );
  assert.ok(points.length > 5 && points.every(({ timeUnixNano }) => /^\d{19}$/.test(timeUnixNano)));
});

test('a point names its run, and its tier and its service where it has them', () => {
  const ofAll = new Set(pointsOf('doubletake.vus').map(({ attributes }) => JSON.stringify(plain(attributes))));
  assert.deepEqual([...ofAll], [JSON.stringify({ run: result.run })]);
  const services = new Set(pointsOf('doubletake.cpu_share').map(({ attributes }) => JSON.stringify(plain(attributes))));
  assert.ok(services.has(JSON.stringify({ run: result.run, tier: 'app', service: 'app-1' })));
  assert.equal(services.size, Object.values(result.series.cpu_share).filter((values) => values.some((value) => value !== null)).length);
});
