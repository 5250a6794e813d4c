import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { architectures } from '../catalog/architectures.ts';
import type { Figure } from '../catalog/scenarios.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { assertFits } from '../record/fixtures/fits.ts';
import type { Result } from '../record/types.js';
import { tryNextOf } from './advice.ts';
import { endService, recordOf } from './fixtures/record.ts';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.ts';
import { stoodStill } from './fixtures/stood.ts';
import { copyOf, readStoredRun, withStoredRun } from './fixtures/stored-run.ts';
import type { Answer, Raw } from './fixtures/story.ts';
import { analyseRun, resultOf } from './result.ts';
import { each, MadeStack, said, ZERO } from './waiting/fixtures/made-stack.ts';

const stored = await readStoredRun();
const copyOfStored = () => copyOf(stored);

const total = (values: (number | null)[]) => values.reduce((sum: number, value) => sum + (value ?? 0), 0);

test('the rows of the stored run and what could not be placed sum to its failures exactly', () => {
	const { ledger, metrics, failures_by: seen } = resultOf(copyOfStored());
	assert.ok(metrics.failures > 0 && ledger.failures.length > 0);
	assert.equal(total(ledger.failures.map(({ count }) => count)) + ledger.unattributed, metrics.failures);
	assert.equal(total(Object.values(seen.status)) + total(Object.values(seen.kind)), metrics.failures);
	assert.equal(ledger.unattributed > 0, ledger.unattributed_reason !== '');
	for (const { cause, count, share, basis } of ledger.failures) {
		assert.deepEqual([total(Object.values(basis.where)), total(Object.values(basis.why))], [count, count], cause);
		assert.equal(share, count / metrics.failures);
	}
});

test('on every edge of the stored run what was sent was received, or is known as unseen or as nameless', () => {
	const { ledger, failures_by: seen } = resultOf(copyOfStored());
	assert.deepEqual(
		ledger.edges.map(({ from, to }) => `${from} ${to}`),
		['k6 nginx', 'nginx app-1', 'nginx app-2', 'app-1 mongo', 'app-2 mongo'],
	);
	const open = total(['timeout', 'unanswered', 'cut_at_end'].map((kind) => seen.kind[kind] ?? 0));
	for (const { from, to, sent, received, unseen } of ledger.edges) {
		if (sent === null || received === null || unseen === null) continue;
		const allowed = ledger.unattributed + open + 0.001 * sent;
		assert.ok(Math.abs(sent - received - unseen) <= allowed, `${from} ${to}: ${sent} against ${received} and ${unseen}`);
	}
});

test('each tier of the stored run ended what it received, and the failures of k6 are its errors and what it had no answer to', () => {
	const { ledger, metrics } = resultOf(copyOfStored());
	const [generator, ...others] = ledger.hops;
	assert.deepEqual([generator.received, total([generator.answered_error, generator.aborted])], [metrics.requests, metrics.failures]);
	for (const { service, received, answered_ok, answered_error, aborted } of others.filter(({ tier }) => tier === 'app'))
		assert.equal(received, total([answered_ok, answered_error, aborted]), service);
	assert.equal(ledger.writes.lost, 0);
});

test('the headline of the stored run has its failure rate, its worst cause, and how that is known; the doubt stands beside it', () => {
	const { headline, ledger, metrics, validity, try_next: next } = resultOf(copyOfStored());
	assert.ok(headline.startsWith(`${(Number(metrics.failure_rate) * 100).toFixed(1)} % of `), headline);
	const [worst] = ledger.failures;
	assert.ok(headline.includes(worst.cause_title) && /(?:The place is .*\. The cause is|Place and cause are) /.test(headline), headline);
	assert.ok(!headline.includes(validity.reasons[0]), headline);
	assert.equal(validity.verdict === 'VALID', validity.reasons.length === 0);
	// What an INVALID run lost is no reason to change the system: first comes the same run again.
	assert.equal(validity.verdict, 'INVALID');
	assert.deepEqual([next[0].command, next[0].again], [`${stored.manifest.command} USERS=1000`, true]);
	assert.match(next[0].why, /^again with half the users, to remove the doubts; first look for what restarted/);
});

/** Under the load that the publication had. */
function copyAsPublished() {
	const raw = copyOfStored();
	raw.manifest.load = 'ramp';
	return raw;
}

test("the stored run's figures are k6's own, and those of the published load stand beside the published ones", () => {
	assert.equal(resultOf(copyOfStored()).published, null);
	const { metrics, stages, published: source } = resultOf(copyAsPublished());
	const values = (name: string) => stored.summary.metrics[name].values;
	assert.deepEqual([metrics.requests, metrics.failures], [values('lab_finished').count, values('lab_failed').count]);
	assert.equal(metrics.latency_ms.ok.p95, Math.round(values('lab_latency_ok')['p(95)'] * 100) / 100);
	assert.deepEqual(
		stages.map(({ target }) => target),
		[100, 500, 1000, 2000],
	);
	assert.deepEqual([source?.requests, source?.failures, source?.goodput_rps], [350_261, 93_069, 2671.71]);
});

test("the users' time of the stored run is accounted for, whole and stage by stage", () => {
	const { user_time: userTime, stages, validity } = resultOf(copyOfStored());
	assert.ok(userTime);
	assert.ok(Math.abs(total(userTime.parts.map(({ seconds }) => seconds)) - userTime.total_s) < 1);
	assert.equal(userTime.stages.length, stages.length);
	assert.equal(validity.stages.length, stages.length);
});

test('each stage of the stored run has what a request cost, the bound, and what binds', () => {
	const { stages, series, bottleneck_by_stage: byStage } = resultOf(copyOfStored());
	assert.deepEqual(
		byStage.map(({ target, from_s, to_s }) => [target, from_s, to_s]),
		stages.map(({ target, from_s, to_s }) => [target, from_s, to_s]),
	);
	for (const { tier, service, what } of byStage) assert.ok(what !== '' && (tier === null) === (service === null));
	assert.ok(Number(stages[0].cpu_ms_per_request['app-1']) > 0 && Number(stages[0].bound_rps) > 0);
	assert.equal(series.bound_rps.length, series.cpu_share.nginx.length);
});

test('the failures of the stored run are drawn in the seconds in which they fell, tier by tier', () => {
	const { series, ledger, timeline } = resultOf(copyOfStored());
	for (const [tier, values] of Object.entries(series.failures_by_tier).filter(([name]) => name !== 'unattributed')) {
		const rows = ledger.failures.filter((failure) => failure.tier === tier);
		assert.equal(total(values), total(rows.map(({ count }) => count)), tier);
	}
	const drawn = total(Object.values(series.failures_by_tier).map((values) => total(values)));
	assert.equal(drawn, stored.failures.length);
	assert.ok(
		timeline.every(({ warmup }, index) => !warmup || Object.values(series.failures_by_tier).every((values) => values[index] === null)),
	);
});

test('the series of a result are as long as its timeline', () => {
	const { timeline, series, time_ledger: time } = resultOf(copyOfStored());
	const values = [
		...Object.values(series.failures_by_tier),
		...Object.values(series.cpu_share),
		...series.limits.map((limit) => limit.values),
	];
	for (const list of values) assert.equal(list.length, timeline.length);
	for (const list of Object.values(time?.series.parts ?? {})) assert.equal(list.length, time?.series.t_s.length);
	assert.ok(time && time.check.sum_ms > 0 && time.check.measured_ms > 0);
	assert.ok(Math.abs(time.check.gap_fraction - (1 - time.check.sum_ms / time.check.measured_ms)) < 0.001);
});

test('analysing the same record twice gives the same bytes, and leaves the record as it was', () => {
	const raw = copyOfStored();
	assert.equal(JSON.stringify(resultOf(raw)), JSON.stringify(resultOf(raw)));
	assert.deepEqual(raw, stored);
});

test('the stored run, a healthy one, one with every kind of failure and an interrupted one fit the schema', () => {
	const failures = {
		kinds: { no_ports: { 2: 5 }, server_closed_idle: { 2: 5 }, other: { 3: 1 } },
		answers: [{ error: 'MongoNetworkError', count: 4 }],
	};
	const interrupted = recordOf({ balanced: true });
	Object.assign(interrupted, {
		summary: null,
		finalStates: [],
		database: [],
		kernel: [],
		nodes: { 'app-1': [], 'app-2': [] },
		accessLines: [],
	});
	interrupted.manifest.interrupted = true;
	const records = [copyOfStored(), recordOf(), recordOf({ balanced: true }), recordOf({ balanced: true, ...failures }), interrupted];
	for (const raw of records) assertFits('result', resultOf(raw));
});

test('the schema refuses a result that lacks a key or has one more', () => {
	const result = resultOf(copyOfStored()) as any;
	assert.throws(() => assertFits('result', { ...result, ledger: undefined }));
	assert.throws(() => assertFits('result', { ...result, more: 1 }));
});

test('analysing a folder writes what it returns beside the record', async () => {
	await withStoredRun(async (folder) => {
		const result = await analyseRun(folder);
		const written = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'));
		assert.deepEqual(written, JSON.parse(JSON.stringify(result)));
		assertFits('result', written);
	});
});

test('a run whose load never began cannot be analysed, and is said to be run again', () => {
	const raw = recordOf();
	delete raw.manifest.load_began_s;
	assert.throws(() => resultOf(raw), NotReadyError);
});

test('an interrupted run has its rate over the time that it lasted', () => {
	const raw = recordOf();
	raw.manifest.interrupted = true;
	raw.summary = null;
	raw.snapshots = raw.snapshots.slice(0, -6);
	const { metrics, duration_s: duration, interrupted, validity } = resultOf(raw);
	assert.deepEqual([metrics.requests, metrics.throughput_rps, duration, interrupted, validity.verdict], [400, 100, 4, true, 'INVALID']);
});

test('what the run was warned of, and what could not be read, is said in a note', () => {
	const raw = recordOf();
	raw.manifest.warnings = ['the machine was busy'];
	raw.kernel = [];
	assert.deepEqual(resultOf(raw).notes, ['the machine was busy', "the kernel's counters could not be read on this machine"]);
});

test('what was refused is counted, whatever made the tier refuse it', () => {
	const refused = (answers: Answer[]) => resultOf(recordOf({ balanced: true, answers })).metrics.refused;
	const shed = { status: 503, error: 'Overloaded', count: 2 };
	const opener = { error: 'MongoOperationTimeoutError', second: 4 };
	assert.equal(refused([opener]), 0);
	assert.equal(refused([shed, opener, { status: 503, error: 'BreakerOpenError', second: 5, count: 3 }]), 5);
});

test('of what ended by itself each place says in the same words that its file would have had it started again', () => {
	const kept = 'did not come back: its Compose file has it started again, and a run leaves an end as it is';
	const placesIn = (restarts: Record<string, string>) => {
		const raw = recordOf({ kinds: { eof: { 6: 20 } } });
		endService(raw, 'app-1', 5);
		const services = raw.manifest.services.map((one: { name: string }) => ({ ...one, service: one.name }));
		Object.assign(raw.manifest, { restarts, services });
		const { notes, ledger } = resultOf(raw);
		const said = ledger.failures.flatMap(({ evidence }) => evidence.flatMap((item) => (item.kind === 'count' ? item.text : [])));
		return [notes, ledger.near_misses.map(({ text }) => text), said].map((texts) => texts.filter((text) => text.includes(kept)).length);
	};
	assert.deepEqual(placesIn({ 'app-1': 'always' }), [1, 1, 1]);
	assert.deepEqual(placesIn({ 'app-1': 'failure' }), [1, 1, 1]);
	assert.deepEqual(placesIn({}), [0, 0, 0]);
});

test('a rate limiter that turned requests away is reported as one, which a load from one address meets', () => {
	const raw = recordOf();
	assert.ok(raw.summary);
	raw.summary.metrics.lab_failed_status_429 = { values: { count: 1200 } };
	assert.match(
		resultOf(raw).notes.join(),
		/^1,200 requests were answered 429 \(too many requests\)\. To a limit by address all users of the load are one client/,
	);
});

function validResultOf(raw: Raw) {
	const result = resultOf(raw);
	assertFits('result', result);
	return result;
}

/** The run and each of its stages. */
function assertIsValid({ validity }: Result) {
	assert.deepEqual([validity.verdict, validity.reasons], ['VALID', []]);
	assert.deepEqual([...new Set(validity.stages.map(({ verdict }) => verdict))], ['VALID']);
}

const checked = ({ ledger }: Result) => ledger.checks.map(({ statement, left, right, holds }) => [statement, left, right, holds]);

test('a result says when the system stopped, before all else, with the fault that was there', () => {
	const record = stoodStill(recordOf({ kinds: { unanswered: { 10: 100 } } }), 4, 10);
	const put = { text: 'pause mongo@4s', service: 'mongo', kind: 'pause', failed: null, at_s: 4 };
	record.manifest.faults = [{ ...put, began_s: record.manifest.load_began_s + 4, ended_s: record.manifest.load_began_s + 10 }];
	const result = resultOf(record);
	assertFits('result', result);
	const text =
		'From second 4 on no request succeeded: requests did not succeed again in the 6 seconds until the load ended. The fault "pause mongo@4s" began at second 4.';
	assert.deepEqual(result.onset, { kind: 'stopped', from_s: 4, to_s: null, text });
	assert.match(result.headline, /^9\.1 % of 1,100 requests failed, all from second 9 on, at 3 users; the last success came in second 3\. /);
	assert.match(
		result.headline,
		/ Requests did not succeed again in the 6 seconds until the load ended\. The fault "pause mongo@4s" began at second 4\. /,
	);
	assert.equal(resultOf(recordOf()).onset, null);
});

test('an open load that meets a system that stands still is not INVALID for the arrivals that all of its waiting users could not begin', () => {
	const judge = (usersMost: number) => {
		const record = stoodStill(recordOf({ kinds: { unanswered: { 10: 100 } } }), 4, 10);
		record.manifest.shape = {
			...record.manifest.shape,
			model: 'open',
			unit: 'rps',
			usersMost,
			stages: [{ duration_s: 10, target: 100, held: true }],
		};
		for (const { t, metrics } of record.snapshots) if (t > record.manifest.load_began_s + 5) metrics.vus = { value: 100 };
		record.summary.metrics.dropped_iterations = { values: { count: 400 } };
		const { headline, validity } = resultOf(record);
		return { headline, reasons: validity.reasons.join('\n') };
	};
	const few = judge(100);
	assert.doesNotMatch(few.reasons, /no free user/);
	assert.match(few.headline, / 400 requests could not be started, because all users were waiting for an answer\./);
	// Of 200 users only half waited.
	assert.match(judge(200).reasons, /the generator had no free user for/);
});

test('a program that inserted all that it was told to has a whole result, without users, latencies or time ledger', () => {
	const result = validResultOf(programRecord());
	const unknown = { p50: null, p95: null, p99: null, max: null };
	assert.deepEqual(result.metrics, {
		requests: 4000,
		throughput_rps: 400,
		goodput_rps: 400,
		failures: 0,
		refused: 0,
		unanswered: 0,
		dropped_arrivals: 0,
		failure_rate: 0,
		failures_per_user_minute: null,
		failed_user_time_share: null,
		latency_ms: { all: unknown, ok: unknown },
		duration_ms: null,
	});
	assert.deepEqual(result.validity, { verdict: 'VALID', reasons: [], doubts: [], stages: [] });
	assert.equal(result.user_time, null);
	assert.equal(
		result.headline,
		'All 4,000 inserts were made: 400 per second. Nearest to its limit: CPU of tokyo, at most 30.0 % used, far from full. No tier was at a limit.',
	);
	assert.deepEqual(checked(result), [['every insert is in its file', 4000, 4000, true]]);
	assert.deepEqual(result.ledger.writes, { acknowledged: 4000, persisted: 4000, unacknowledged: 0, lost: 0, duplicated: null });
	const { scenario, variables, figures, duration_s: duration, stages, time_ledger: time, versions } = result;
	assert.deepEqual([scenario, variables, figures, duration], ['inserts', { THREADS: '2', FILES: '2' }, {}, 10]);
	assert.deepEqual([stages, time, versions], [[], null, { 'tokyo cabinet': '1.4.48', compose: '2.40.3' }]);
	assert.equal(result.breakdowns[0].rows.length, 2);
});

test('a store that used up its CPU is what held a program back', () => {
	const raw = programRecord();
	for (const row of raw.containers) row.cpu_s = 0.5 * (row.t - raw.program.began_s + 5);
	const { bottleneck, headline, timeline, series } = validResultOf(raw);
	assert.equal(bottleneck?.tier, 'database');
	assert.match(headline, /Bottleneck: the database \(tokyo: its CPU quota was used up in 10 of 10 s\)/);
	assert.equal(series.cpu_share.tokyo.length, timeline.length);
});

test('a program that lost inserts, or that ended badly, has a result that cannot be believed', () => {
	const lost = validResultOf(programRecord([{}, { stored: 1900 }]));
	assert.deepEqual([lost.validity.verdict, lost.ledger.writes.lost], ['INVALID', 100]);
	assert.deepEqual(checked(lost), [['every insert is in its file', 3900, 4000, false]]);
	assert.equal(validResultOf(programRecord([{}, { stored: 1999 }])).validity.verdict, 'INVALID', 'be it one insert');
	const failed = validResultOf(programRecord([{}, { exit_code: 1, stored: null, seconds: null }]));
	assert.deepEqual([failed.metrics.failures, failed.ledger.unattributed, failed.validity.verdict], [2000, 2000, 'INVALID']);
});

test('operations that write, read and delete have a whole result, whose writes are those of the creates', () => {
	const result = validResultOf(crudRecord());
	assertIsValid(result);
	assert.match(
		result.headline,
		/^All 1,500 operations succeeded at up to 3 users: 150 per second, p95 latency 40 ms\. Nearest to its limit: /,
	);
	assert.deepEqual(checked(result), [
		['k6: successful plus failed requests equal the finished requests', 1500, 1500, true],
		['k6: each failed request has a status or an error code', 0, 0, true],
		['requests that k6 sent = requests that app-1 received + requests without a record there', 1500, 1500, true],
		['successful answers of app-1 = those that k6 received + those that k6 had given up on', 1500, 1500, true],
		['MongoDB inserted one document for each good answer to a create', 450, 450, true],
		['MongoDB deleted one document for each good answer to a delete', 150, 150, true],
		['MongoDB stored what it inserted, less what it deleted', 300, 300, true],
	]);
	assert.deepEqual(result.ledger.writes, { acknowledged: 450, persisted: 450, unacknowledged: 0, lost: 0, duplicated: null });
	assert.deepEqual(result.figures, {
		latency_ms_p95_read: 40,
		latency_ms_p95_create: 40,
		latency_ms_p95_update: 40,
		latency_ms_p95_delete: 40,
		database_spread: 0.8,
		journal_mb_per_s: 2,
	});
	assert.deepEqual(
		result.breakdowns.map(({ rows }) => rows.map(({ name, values }) => [name, values[0]])),
		[
			[
				['read', 600],
				['create', 450],
				['update', 300],
				['delete', 150],
			],
			[
				['db1', 300],
				['db2', 500],
				['db3', 700],
			],
		],
	);
	assert.equal(result.time_ledger?.check.measured_ms, 20);
});

test('a node without a database has a whole result that speaks of none', () => {
	const result = validResultOf(poolsRecord());
	assertIsValid(result);
	assert.deepEqual(
		result.ledger.hops.map(({ service }) => service),
		['k6', 'app-1'],
	);
	assert.ok(Object.values(result.ledger.writes).every((count) => count === null));
	assert.deepEqual(
		result.series.limits.filter(({ tier }) => tier !== 'machine').map(({ id }) => id),
		['loop-app-1'],
	);
	assert.doesNotMatch(JSON.stringify(result), /mongo/i);
});

test('the calibration that quotas and think time follow from is carried on, and none where the run took none', () => {
	const raw = copyOfStored();
	raw.manifest.calibration = null;
	assert.equal(resultOf(raw).calibration, null);
	raw.manifest.calibration = { run: 'calibration/x', demand_ms: { app: 0.9 } };
	assert.deepEqual(resultOf(raw).calibration, raw.manifest.calibration);
});

test('a user’s own system is never taken for the shipped architecture of its name', () => {
	const raw = copyAsPublished();
	const shipped = resultOf(raw);
	assert.ok(shipped.published, 'there is something to be taken for');
	raw.manifest.system = { title: 'the shop', is_followed: true };
	const own = resultOf(raw);
	assert.deepEqual([own.architecture, own.architecture_title], ['2a', 'the shop']);
	assert.equal(own.published, null);
	assert.ok(!own.try_next.some(({ command }) => command.includes('2a-slots')));
	assert.ok(tryNextOf({ id: '2a', remedies: architectures['2a'].remedies }, raw.manifest, own.ledger).length > 0);
});

test('what a run says of its system is taken from its record, and of an earlier one that does not from the catalogue of today', () => {
	const raw = copyOfStored();
	const before = resultOf(raw);
	const { remedies, published } = architectures['2a'];
	raw.manifest.system = { title: 'two nodes, as they were', remedies, published, is_followed: false };
	const now = resultOf(raw);
	assert.deepEqual(now, { ...before, architecture_title: 'two nodes, as they were' });
	raw.manifest.system = { title: null, is_followed: false };
	raw.manifest.architecture = 'gone';
	assert.equal(resultOf(raw).architecture_title, 'gone');
});

test('a run on a Swarm says that what passes between its services was not recorded', () => {
	const raw = copyOfStored();
	assert.ok(!resultOf(raw).notes.some((note) => /Swarm/.test(note)));
	raw.manifest.hosts = [];
	assert.ok(resultOf(raw).notes.some((note) => /services of a Swarm .* from one side/.test(note)));
});

test('of a user’s own system whose networks were recorded, failed requests are followed; of a shipped one they are not', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const status = at >= 5 && index % 5 === 0 ? 500 : 200;
		stack.call('k6 lb', at, at + 0.02, { status });
		stack.call('lb api', at + 0.001, at + 0.019, { status });
	});
	const raw = copyOfStored();
	const later = raw.manifest.load_began_s - ZERO;
	raw.wire = {
		...stack.wire,
		connections: stack.wire.connections.map((one) => ({
			...one,
			opened_at: one.opened_at + later,
			ended_at: one.ended_at && one.ended_at + later,
		})),
		calls: stack.wire.calls.map((one) => ({
			...one,
			began_at: one.began_at + later,
			ended_at: one.ended_at && one.ended_at + later,
			sent_at: null,
			first_at: null,
		})),
	};
	assert.equal(resultOf(raw).waiting, null);
	raw.manifest.system = { title: 'shop', is_followed: true };
	const result = resultOf(raw);
	assertFits('result', result);
	assert.deepEqual(result.waiting?.findings.map(said), ['api: own-error']);
});

/** A record that a scenario's figures can be read from, whatever they are. */
function recordUnder(scenario: string): Raw {
	const raw = recordOf();
	raw.manifest.scenario = scenario;
	return raw;
}

const figure: (id: string) => Figure = (id) => ({ id, label: id, unit: 'ms', better: null, success_only: true });

for (const [scenario, { figures }] of Object.entries(scenarios))
	test(`${scenario} has the figures of its table entry, be they measured or not`, () => {
		const own = resultOf(recordUnder(scenario)).figures;
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
	assert.deepEqual(resultOf(crudRecord()).figures, { latency_ms_p95_create: 40, unread: null });
});

test('figures have four digits after the point', () => {
	assert.deepEqual(resultOf(poolsRecord()).figures, {
		latency_ms_p2_5_ok: 12.3457,
		latency_ms_p97_5_ok: 45,
		latency_ms_mean_ok: 20,
	});
});

test("a scenario's tables and checks are passed on", () => {
	const { figures, breakdowns, ledger } = resultOf(programRecord());
	assert.deepEqual(figures, {});
	assert.deepEqual(
		breakdowns.map(({ title, rows }) => [title, rows.map(({ name }) => name)]),
		[['By file', ['store-1.tch', 'store-2.tch']]],
	);
	assert.deepEqual(
		ledger.checks.filter(({ statement }) => statement.includes('file')),
		[{ statement: 'every insert is in its file', left: 4000, right: 4000, holds: true, exact: true }],
	);
});
