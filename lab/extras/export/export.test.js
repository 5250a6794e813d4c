import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../../base/errors.js';
import { RECORD } from '../../base/paths.js';
import { listen } from '../../fixtures/reporter.js';
import { failingResult, programResult } from '../../report/fixtures/results.js';
import { exportRun, formatCsv, formatOtlp, runSeries } from './export.js';

test('a run has a line for each second and series, and none for what was not recorded', () => {
  const result = failingResult();
  const series = runSeries(result);
  const lines = formatCsv(
    series,
    result.timeline.map(({ t_s: second }) => second),
  ).split('\n');
  assert.equal(lines.shift(), 't_s,series,tier,service,value,unit');
  assert.equal(lines.pop(), '');
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  assert.deepEqual(
    lines.map((line) => Number(line.split(',')[4])),
    values,
  );
  const row = result.timeline.find(({ t_s: second }) => second === 5);
  assert.ok(lines.includes(`5,goodput_rps,,,${row?.goodput_rps},{request}/s`));
  assert.ok(lines.some((line) => /^5,cpu_share,app,app-1,[\d.]+,1$/.test(line)));
});

test('a text with a comma or a quote in it is quoted', () => {
  const series = [{ name: 'a,b', about: '', tier: 'x"y', service: '', unit: '1', values: [null, 0.5] }];
  assert.equal(formatCsv(series, [1, 2]), 't_s,series,tier,service,value,unit\n2,"a,b","x""y",,0.5,1\n');
});

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

/** A folder with a result in it. @param {import('node:test').TestContext} context @param {string} [text] */
async function runWith(context, text = JSON.stringify(failingResult())) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-export-'));
  context.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, RECORD.result), text);
  return folder;
}

/** @type {(path: string | undefined, files: Record<string, string>, expected: RegExp) => Promise<void>} */
const refused = (path, files, expected) =>
  assert.rejects(exportRun(path, files, listen().reporter), (error) => error instanceof NotReadyError && expected.test(error.message));

test('a run is written as CSV and as OTLP, and both have as many values', async (context) => {
  const folder = await runWith(context);
  const { reporter, err, result } = listen();
  const [csv, otlp] = ['run.csv', 'otlp.json'].map((name) => join(folder, name));
  assert.equal(await exportRun(folder, { csv, otlp }, reporter), EXIT.done);
  const { values, files } = result().result;
  assert.deepEqual(
    files.map((/** @type {{ format: string }} */ { format }) => format),
    ['csv', 'otlp'],
  );
  assert.equal((await readFile(csv, 'utf8')).trimEnd().split('\n').length - 1, values);
  const { resourceMetrics } = JSON.parse(await readFile(otlp, 'utf8'));
  /** @type {{ gauge: { dataPoints: unknown[] } }[]} */
  const metrics = resourceMetrics[0].scopeMetrics[0].metrics;
  assert.equal(
    metrics.reduce((sum, { gauge }) => sum + gauge.dataPoints.length, 0),
    values,
  );
  assert.ok(values > 200 && err().includes(`${csv}: ${values.toLocaleString('en-US')} values of `), err());
});

test('only what is asked for is written', async (context) => {
  const folder = await runWith(context);
  await exportRun(folder, { csv: join(folder, 'run.csv') }, listen().reporter);
  assert.deepEqual((await readdir(folder)).sort(), [RECORD.result, 'run.csv']);
});

test('a run and a file are wanted', async (context) => {
  await refused(
    undefined,
    { csv: 'x.csv' },
    /^export: expected the folder of a run; found none\.\n {2}To do: say which: doubletake export /,
  );
  await refused(await runWith(context), {}, /^export: expected a file to write, after --csv or --otlp or both; found none\./);
});

test('a folder without a result, one that is cut and one of another version are refused', async (context) => {
  const file = { csv: join(os.tmpdir(), 'doubletake-never.csv') };
  await refused('reports/nowhere', file, /found none in reports\/nowhere\.\n {2}To do: "make list" names the runs/);
  await refused(
    await runWith(context, '{"schema": 2, '),
    file,
    /Expected JSON in .*result\.json; found .*\n {2}To do: make it again .*make report RUN=/,
  );
  await refused(await runWith(context, '{"schema": 9}'), file, /expected at most version 2 of it; found 9, of a later version/);
});

test('a file that cannot be written is named, with what is in its way', async (context) => {
  const folder = await runWith(context);
  await refused(folder, { otlp: join(folder, 'nowhere', 'x.json') }, /^--otlp: expected a file that can be written; found ENOENT.*nowhere/);
});
