import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { RECORD } from '../../base/paths.ts';
import { listen } from '../../fixtures/reporter.ts';
import type { Result } from '../../record/types.js';
import { failingResult, programResult } from '../../report/fixtures/results.ts';
import { exportRun } from './export.ts';

/** What is written of a result. */
async function exported(result: Result, format: 'csv' | 'otlp') {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-export-'));
	try {
		await writeFile(join(folder, RECORD.result), JSON.stringify(result));
		await exportRun(folder, { [format]: join(folder, format) }, listen().reporter);
		return await readFile(join(folder, format), 'utf8');
	} finally {
		await rm(folder, { recursive: true });
	}
}

const result = failingResult();

test('a text with a comma or a quote in it is quoted', async () => {
	const odd = failingResult();
	odd.series.failures_by_tier = { 'x"y,z': odd.timeline.map((_, index) => (index === 1 ? 0.5 : (null as any))) };
	const line = `${odd.timeline[1].t_s},failures_by_tier,"x""y,z",,0.5,{request}/s`;
	assert.ok((await exported(odd, 'csv')).split('\n').includes(line), line);
});

const { resourceMetrics } = JSON.parse(await exported(result, 'otlp'));
type Attribute = { key: string; value: { stringValue: string } };

type Point = { attributes: Attribute[]; timeUnixNano: string; asDouble: number };

const metrics: { name: string; description: string; unit: string; gauge: { dataPoints: Point[] } }[] =
	resourceMetrics[0].scopeMetrics[0].metrics;
const plain = (attributes: Attribute[]): Record<string, string> =>
	Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
/** As they follow each other: one of each name, tier and service. */
const series = metrics.flatMap(({ name, description, unit, gauge }) => {
	const keyOf = ({ attributes }: Point) => JSON.stringify(plain(attributes));
	return [...new Set(gauge.dataPoints.map(keyOf))].map((key) => ({
		...{ name: name.replace('doubletake.', ''), about: description, unit, tier: '', service: '', ...JSON.parse(key) },
		points: gauge.dataPoints.filter((point) => keyOf(point) === key),
	}));
});

const pointsOf = (name: string) => metrics.find((metric) => metric.name === name)?.gauge.dataPoints ?? [];

test('a run has a line for each second and series, and none for what was not recorded', async () => {
	const lines = (await exported(result, 'csv')).split('\n');
	assert.equal(lines.shift(), 't_s,series,tier,service,value,unit');
	assert.equal(lines.pop(), '');
	const values = series.flatMap(({ name, tier, service, points, unit }) =>
		points.map(({ asDouble }: Point) => [name, tier, service, asDouble, unit].join()),
	);
	assert.deepEqual(lines.map((line) => line.replace(/^[^,]+,/, '')).sort(), values.sort());
	const row = result.timeline.find(({ t_s: second }) => second === 5);
	assert.ok(lines.includes(`5,goodput_rps,,,${row?.goodput_rps},{request}/s`));
	assert.ok(lines.some((line) => /^5,cpu_share,app,app-1,[\d.]+,1$/.test(line)));
});

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

/**
 * What a series is to have, by the moment.
 * @param values on the seconds of the timeline
 */
const pointsWith = (values: (number | null)[]) =>
	values.flatMap((value, index) =>
		value === null ? [] : [[`${Date.parse(result.started) + result.timeline[index].t_s * 1000}000000`, value]],
	);
const ofSeries = ({ points }: { points: Point[] }) => points.map(({ timeUnixNano, asDouble }) => [timeUnixNano, asDouble]);

const named = (name: string) => series.filter((one) => one.name === name);

test('every figure of the timeline is a series', () => {
	const [row] = result.timeline;
	for (const name of Object.keys(row).filter((key) => key !== 't_s' && key !== 'warmup')) {
		const [one] = named(name);
		const values = result.timeline.map((second) => second[name as 'vus']);
		assert.deepEqual([ofSeries(one), one.tier, one.service], [pointsWith(values), '', ''], name);
	}
});

test('failures have their tier, and CPU its service and that one’s tier', () => {
	const { failures_by_tier: failures, cpu_share: shares } = result.series;
	assert.deepEqual(
		named('failures_by_tier').map((one) => [one.tier, ofSeries(one)]),
		Object.entries(failures).map(([tier, values]) => [tier, pointsWith(values)]),
	);
	assert.deepEqual(
		named('cpu_share').map((one) => [one.service, one.tier, ofSeries(one)]),
		Object.entries(shares).map(([service, values]) => [service, result.resources[service].tier, pointsWith(values)]),
	);
});

test('what is used of a limit is of the service that its id names, or of the only one of its tier', () => {
	const serviceOf = (name: string) => named(name).map(({ service }) => service);
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
	assert.notDeepEqual(ofSeries(pool), ofSeries(other));
	assert.deepEqual(
		named('used.memory-pressure-machine').map(({ service, about }) => [service, about]),
		[['', 'memory pressure of machine']],
	);
});

test('a unit is one of UCUM, in which a thing stands in braces', () => {
	for (const { name, unit } of series) assert.match(unit, /^(1|ms|MBy|\{\w+\}(\/s)?)$/, name);
});

test('what was never recorded is left out', async () => {
	const { resourceMetrics: few } = JSON.parse(await exported(programResult(), 'otlp'));
	for (const { name, gauge } of [...metrics, ...few[0].scopeMetrics[0].metrics]) assert.ok(gauge.dataPoints.length > 0, name);
	const text = await exported(programResult(), 'csv');
	assert.ok(text.includes(',cpu_share,') && !text.includes('latency_ms_p95'), text.slice(0, 500));
});

/** A folder with a result in it. */
async function runWith(context: TestContext, text: string = JSON.stringify(failingResult())) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-export-'));
	context.after(() => rm(folder, { recursive: true }));
	await writeFile(join(folder, RECORD.result), text);
	return folder;
}

const refused: (path: string | undefined, files: Record<string, string>, expected: RegExp) => Promise<void> = (path, files, expected) =>
	assert.rejects(exportRun(path, files, listen().reporter), (error) => error instanceof NotReadyError && expected.test(error.message));

test('a run is written as CSV and as OTLP, and both have as many values', async (context) => {
	const folder = await runWith(context);
	const { reporter, err, result } = listen();
	const [csv, otlp] = ['run.csv', 'otlp.json'].map((name) => join(folder, name));
	assert.equal(await exportRun(folder, { csv, otlp }, reporter), EXIT.done);
	const { values, files } = result().result;
	assert.deepEqual(
		files.map(({ format }: { format: string }) => format),
		['csv', 'otlp'],
	);
	assert.equal((await readFile(csv, 'utf8')).trimEnd().split('\n').length - 1, values);
	const { resourceMetrics } = JSON.parse(await readFile(otlp, 'utf8'));
	const metrics: { gauge: { dataPoints: unknown[] } }[] = resourceMetrics[0].scopeMetrics[0].metrics;
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
	const path = join(folder, 'nowhere', 'x.json');
	await assert.rejects(exportRun(folder, { otlp: path }, listen().reporter), { code: 'ENOENT', path });
});
