import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metrics } from '../catalog/metrics.ts';
import { scenarios } from '../catalog/scenarios.ts';
import type { Calibration } from '../options/calibration.ts';
import type { Result } from '../record/types.js';
import {
	calibrationText,
	formatCalibration,
	isProgram,
	metricsOf,
	requestText,
	scenarioFigures,
	scenarioOf,
	variableTexts,
} from './calibration.ts';
import { crudResult, poolsResult, programResult } from './fixtures/results.ts';

const reading: (app: number, validity?: 'VALID' | 'SUSPECT') => Calibration = (app, validity = 'VALID') => ({
	run: 'calibration/x',
	measured: '2026-03-14T09:26:53Z',
	validity,
	machine: { cpu_model: 'a processor', cores: 2, kernel: '6.1' },
	images: {},
	git: null,
	demand_ms: { app, 'load-balancer': 0.3, database: 0.5, generator: 0.4 },
	throughput_rps: 1180,
});
const fair = {
	budget: 'fair',
	quotas: { app: 0.27, 'load-balancer': 0.2, database: 0.3 },
	capacity_rps: 312.4,
	think_time_s: 6.402,
	refusal: null,
};
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('a calibration says what a request costs each tier, and what each budget makes of it', () => {
	const none = { ...fair, budget: 'none', quotas: {}, capacity_rps: 952.4, think_time_s: 2.1 };
	assert.deepEqual(
		plain(formatCalibration({ readings: [reading(0.9)], uses: [none, fair], file: 'reports/calibration.json' })).split('\n'),
		[
			'',
			'  CPU that a request costs here, two nodes behind Nginx, without quotas:',
			'  2026-03-14 09:26 UTC: generator 0.4 ms, load balancer 0.3 ms, app 0.9 ms, database 0.5 ms; 1,180 rps',
			'',
			'  BUDGET=none: no quotas; one node serves about 952 rps, so LOAD=patient thinks for 2.1 s',
			'  BUDGET=fair: load balancer 0.2 cores, app 0.27 cores, database 0.3 cores; one node serves about 312 rps, so LOAD=patient thinks for 6.4 s',
			'',
			'  kept in reports/calibration.json',
			'',
		],
	);
});

test('several readings say how far they are apart in what a request costs, and in the tiers’ shares of it', () => {
	// The second at half the speed, and the app with more of the third.
	const slow = { ...reading(0, 'SUSPECT'), demand_ms: { app: 1.6, 'load-balancer': 0.6, database: 1, generator: 0.8 } };
	const text = plain(formatCalibration({ readings: [reading(0.8), slow, reading(1.2)], uses: [], file: 'x' }));
	assert.ok(
		text.includes(`
  the 3 latest differ by 71.4 % in what a request costs: this machine's speed, from which the think time follows;
  and by at most 23.1 % in a tier's share of that (app), from which the quotas follow
`),
		text,
	);
	assert.match(text, /1,180 rps \(SUSPECT\)/);
	assert.doesNotMatch(formatCalibration({ readings: [reading(1)], uses: [], file: 'x' }), /latest/);
});

test('a budget that does not fit here says why instead of its quotas', () => {
	const refused = { ...fair, refusal: 'BUDGET=scale: expected at least 0.1 of a core.' };
	const lines = formatCalibration({ readings: [reading(1)], uses: [refused], file: 'x' }).split('\n');
	assert.ok(lines.includes('  BUDGET=scale: expected at least 0.1 of a core.'));
});

test('a report says of the calibration that it used what a request cost, and when that was measured', () => {
	assert.equal(
		plain(calibrationText(reading(0.9, 'SUSPECT'))),
		'CPU a request: generator 0.4 ms, load balancer 0.3 ms, app 0.9 ms, database 0.5 ms (2026-03-14 09:26 UTC, SUSPECT)',
	);
});

const idsOf = (result: Result) => metricsOf(result).map(({ id }) => id);

test('a scenario that the table does not have breaks nothing', () => {
	for (const scenario of ['constructor', 'sagas']) assert.equal(scenarioOf({ scenario }), scenarios.documents);
});

test('one request, the variables and the own figures are said as their table has them', () => {
	const crud = crudResult();
	assert.equal(requestText(crud), 'Requests of the load: one read, create, update or delete of a document.');
	assert.deepEqual(variableTexts(crud), ['WORKERS=20']);
	const figures = scenarioFigures(crud).map(({ label, text }) => `${label} ${text}`.replaceAll('\u00a0', ' '));
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
	assert.deepEqual(scenarioFigures({ ...poolsResult(), figures }), []);
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
