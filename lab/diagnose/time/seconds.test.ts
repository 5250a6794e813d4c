import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '../../../k6/lib/shapes.js';
import type { Snapshot } from '../../record/k6-requests.ts';
import type { TimelineRow } from '../../record/types.js';
import { inputOf } from '../fixtures/judged.ts';
import { factsOf, recordOf, setIteration } from '../fixtures/record.ts';
import { programRecord } from '../fixtures/scenario-records.ts';
import type { Raw, Story } from '../fixtures/story.ts';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.ts';
import { askedSeconds, placedOn, secondOf, secondsOf } from './seconds.ts';
import { timelineOf } from './timeline.ts';

const window = { from: 1000, to: 1010, warmupFrom: 990 };
const at = (...times: number[]) => times.map((t) => ({ t: 1000 + t }));

test('a moment ends the second that it is nearest to the end of', () => {
	assert.deepEqual([secondOf(1000.9, window), secondOf(1003.2, window)], [1, 3]);
});

test('a clock that ticks at half seconds gives each second one reading', () => {
	assert.deepEqual(secondsOf(at(0.52, 1.49, 2.5, 3.51, 4.48), window), [0, 1, 2, 3, 4]);
});

test('a clock that ticks near whole seconds is not moved to others', () => {
	assert.deepEqual(secondsOf(at(0.98, 2.03, 3, 4.01), window), [1, 2, 3, 4]);
});

test('a second without a reading stays empty', () => {
	assert.deepEqual(secondsOf(at(0.5, 1.51, 3.49, 4.5), window), [0, 1, 3, 4]);
});

test('of no rows there are no seconds', () => {
	assert.deepEqual(secondsOf([], window), []);
});

const METRIC = {
	all: 'lab_latency_all',
	good: 'http_req_duration{scenario:load,expected_response:true}',
	blocked: 'http_req_blocked{scenario:load}',
	iterations: 'iteration_duration{scenario:load}',
};
const loadSnapshots = (raw: Raw) => raw.snapshots.slice(WARMUP_S);

function userTime(change?: (raw: Raw) => void, story?: Story) {
	const raw = recordOf(story);
	change?.(raw);
	return inputOf(raw).userTime;
}

function userTimeSecondsOf(found: ReturnType<typeof userTime>) {
	assert.ok(found);
	return Object.fromEntries(found.parts.map(({ id, seconds }) => [id, seconds]));
}

/** Users who need longer for a connection: 5 ms, and the iteration is as much longer. */
function connectFor5Ms(raw: Raw) {
	raw.summary.metrics[METRIC.blocked].values.avg = 5;
	raw.summary.metrics.lab_latency_ok.values.avg = 25;
	setIteration(raw, 35);
	raw.summary.metrics.lab_latency_all.values.avg = 25;
	for (const { metrics } of loadSnapshots(raw))
		Object.assign(metrics, { http_req_blocked: { avg: 5 }, lab_latency_ok: { avg: 25 }, lab_latency_all: { avg: 25 } });
}

test('of users who wait 20 ms and think for 10 all the time is accounted for, and nothing is the generator’s', () => {
	const found = userTime();
	assert.equal(found?.total_s, 30);
	assert.deepEqual(userTimeSecondsOf(found), { answered: 20, failed: 0, connecting: 0, thinking: 10, generator: 0 });
	assert.equal(found?.parts[0].share, 0.6667);
});

test('the parts sum to users x seconds, whatever the users did', () => {
	const found = userTime(connectFor5Ms, { kinds: { eof: { 3: 40, 5: 17 } } });
	const sum = Object.values(userTimeSecondsOf(found)).reduce((total, seconds) => total + seconds, 0);
	assert.ok(Math.abs(sum - Number(found?.total_s)) < 0.02, `${sum} against ${found?.total_s}`);
});

test('what failed requests took is told apart from what good answers took', () => {
	const failing = { kinds: { eof: { 3: 100, 7: 100 } } };
	assert.deepEqual(userTimeSecondsOf(userTime(undefined, failing)), { answered: 20, failed: 4, connecting: 0, thinking: 12, generator: 0 });
});

test('connecting is its own part, and no part of the waiting', () => {
	const found = userTime(connectFor5Ms);
	assert.deepEqual(userTimeSecondsOf(found), { answered: 20, failed: 0, connecting: 5, thinking: 10, generator: 0 });
	assert.deepEqual(found?.stages[1].parts, { answered: 0.5714, failed: 0, connecting: 0.1429, thinking: 0.2857, generator: 0 });
});

test('what a failed request took is all of failing, connecting included, as the user waited it', () => {
	const found = userTime(
		(raw) => {
			// Good answers came on connections that were there; each failed request dialled for 60 ms and was given up.
			raw.summary.metrics[METRIC.blocked].values.avg = 30;
			raw.summary.metrics.lab_latency_all.values.avg = 40;
			for (const { metrics } of loadSnapshots(raw)) Object.assign(metrics, { http_req_blocked: { avg: 30 }, lab_latency_all: { avg: 40 } });
			setIteration(raw, 50);
		},
		{ kinds: { eof: Object.fromEntries(Array.from({ length: SECONDS }, (_, index) => [index + 1, 100])) } },
	);
	assert.deepEqual(userTimeSecondsOf(found), { answered: 20, failed: 60, connecting: 0, thinking: 20, generator: 0 });
	assert.deepEqual(found?.stages[1].parts, { answered: 0.2, failed: 0.6, connecting: 0, thinking: 0.2, generator: 0 });
});

test('where users do not think the same each time, what they thought is what k6 counted', () => {
	const found = userTime((raw) => {
		raw.summary.metrics.lab_think_s = { values: { count: 8 } };
		for (const { metrics } of loadSnapshots(raw)) metrics.lab_think_s = { count: 0.8 };
	});
	assert.deepEqual(
		[userTimeSecondsOf(found).thinking, userTimeSecondsOf(found).generator, found?.stages[1].parts.thinking],
		[8, 2, 0.2667],
	);
});

test('users who are more and more, and think for long, are no overhead of the generator', () => {
	const found = userTime((raw) => {
		raw.summary.metrics.lab_think_s = { values: { count: 40 } };
		// 100 requests end in a second, and 40 iterations: the others still think.
		for (const { metrics } of loadSnapshots(raw))
			Object.assign(metrics, { iterations: { count: 40 }, iteration_duration: { avg: 2050 }, lab_think_s: { count: 80 } });
	});
	assert.deepEqual(found?.stages[0].parts, { answered: 0.0244, failed: 0, connecting: 0, thinking: 0.9756, generator: 0 });
});

test('iterations that take longer than waiting and thinking are the overhead of the generator', () => {
	const found = userTime((raw) => setIteration(raw, 40));
	assert.deepEqual([found?.total_s, userTimeSecondsOf(found).generator, found?.stages[0].parts.generator], [40, 10, 0.25]);
});

test('users that were there and did nothing are overhead too, though no iteration tells of it', () => {
	const found = userTime((raw) => {
		raw.manifest.shape.stages[0].held = true;
		for (const { metrics } of loadSnapshots(raw)) metrics.vus = { value: 4 };
	});
	// 3 users before the first reading, 4 from then on.
	assert.deepEqual([found?.total_s, userTimeSecondsOf(found).generator], [39.5, 9.5]);
});

test('users are counted along a straight line between readings, and a second without a reading is none without users', () => {
	const users = (change: (raw: Raw) => void) => {
		const found = userTime((raw) => {
			raw.manifest.shape.stages[0].held = true;
			for (const { t, metrics } of loadSnapshots(raw)) metrics.vus = { value: 3 + (t - FROM) };
			change(raw);
		});
		return found?.total_s;
	};
	assert.equal(
		users(() => {}),
		80,
	);
	assert.equal(
		users((raw) => {
			loadSnapshots(raw)[4].metrics.vus = { value: 0 };
		}),
		80,
	);
	assert.equal(
		users((raw) => {
			raw.snapshots = raw.snapshots.filter(({ t }) => t !== FROM + 5 && t !== FROM + 6);
		}),
		80,
	);
});

test('a think time that the load sets goes before that of the scenario', () => {
	const found = userTime((raw) => {
		raw.manifest.think_time_s = 0.1;
		setIteration(raw, 120);
	});
	assert.deepEqual(userTimeSecondsOf(found), { answered: 20, failed: 0, connecting: 0, thinking: 100, generator: 0 });
});

test('in an open load users wait for work, so the total is the time of the iterations', () => {
	const found = userTime((raw) => {
		raw.manifest.shape.model = 'open';
		for (const { metrics } of loadSnapshots(raw)) metrics.vus = { value: 200 };
	});
	assert.deepEqual([found?.total_s, userTimeSecondsOf(found).generator], [30, 0]);
});

test('without one of its figures the time is not known', () => {
	for (const metric of Object.values(METRIC)) {
		const found = userTime((raw) => {
			delete raw.summary.metrics[metric];
		});
		assert.equal(found, null, metric);
	}
	const killed = userTime((raw) => {
		raw.summary = null;
	});
	assert.equal(killed, null);
});

test('a stage of whose seconds one lacks a figure has no shares', () => {
	const found = userTime((raw) => {
		delete loadSnapshots(raw)[5].metrics.iteration_duration;
	});
	assert.deepEqual(found?.stages[1].parts, { answered: null, failed: null, connecting: null, thinking: null, generator: null });
	assert.equal(found?.stages[0].parts.answered, 0.6667);
});

test('a program has no users', () => {
	assert.equal(inputOf(programRecord()).userTime, null);
});

test('iterations that k6 cut off at the end of the load are counted by what their users wrote', () => {
	const cut = (isWritten: boolean) =>
		userTime((raw) => {
			raw.manifest.shape.model = 'open';
			if (isWritten) raw.written = { written: 1000, counted: 1000 };
			raw.summary.metrics[METRIC.iterations].values.count = 500;
		});
	assert.deepEqual([cut(true)?.total_s, cut(false)?.total_s], [30, 15]);
});

function timelineIn(raw: Raw) {
	return timelineOf(factsOf(raw));
}

/** The row of a second. */
const timelineAt: (rows: TimelineRow[], second: number) => TimelineRow = (rows, second) => rows.find(({ t_s }) => t_s === second) as any;

/** The snapshot of a second of the load. */
const snapshotOf: (raw: Raw, second: number) => Snapshot = (raw, second) => raw.snapshots[WARMUP_S + second - 1];

test('every second has one row, from the start of the warm-up to the last answer', () => {
	const rows = timelineIn(recordOf());
	assert.deepEqual(
		rows.map(({ t_s }) => t_s),
		Array.from({ length: WARMUP_S + SECONDS + 1 }, (_, index) => index - WARMUP_S),
	);
});

test('of a load at a rate a second at whose end no user waited has none by what users wrote, and is not known by k6’s own record', () => {
	const usersIn = (isWritten: boolean, unit = 'rps') => {
		const raw = recordOf();
		raw.manifest.shape.unit = unit;
		if (isWritten) raw.written = { written: 1000, counted: 1000 };
		for (const { metrics } of raw.snapshots) Object.assign(metrics, { vus: { value: 0 } });
		return timelineAt(timelineIn(raw), 3).vus;
	};
	assert.deepEqual([usersIn(true), usersIn(false), usersIn(true, 'users')], [0, null, null]);
});

test('of a long warm-up the last seconds have rows', () => {
	const raw = recordOf();
	const window = { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - 90 };
	const [first] = timelineOf({ raw, snapshots: placedOn(raw.snapshots, window), window });
	assert.deepEqual([first.t_s, first.warmup], [-10, true]);
});

test("the warm-up's rows hold k6's own figures and no failures", () => {
	const rows = timelineIn(recordOf({ kinds: { eof: { 1: 5 } } }));
	assert.ok(rows.every(({ t_s, warmup }) => warmup === t_s <= 0));
	const { vus, throughput_rps, goodput_rps, failures_per_s, latency_ms_p95, latency_ms_p95_ok } = timelineAt(rows, -2);
	assert.deepEqual(
		{ vus, throughput_rps, goodput_rps, failures_per_s, latency_ms_p95, latency_ms_p95_ok },
		{ vus: 20, throughput_rps: 200, goodput_rps: null, failures_per_s: null, latency_ms_p95: 40, latency_ms_p95_ok: null },
	);
});

test("the load's rows hold what was answered well and what failed in that second", () => {
	const row = timelineAt(timelineIn(recordOf({ kinds: { eof: { 4: 25 } } })), 4);
	assert.deepEqual(row, {
		t_s: 4,
		warmup: false,
		vus: 3,
		throughput_rps: 125,
		goodput_rps: 100,
		failures_per_s: 25,
		latency_ms_p50: 19,
		latency_ms_p95: 40,
		latency_ms_p99: 50,
		latency_ms_p50_ok: 19,
		latency_ms_p95_ok: 40,
		latency_ms_p99_ok: 50,
	});
});

test('a late snapshot is shared out over the seconds that it covers, and those before it stay empty', () => {
	const raw = recordOf();
	const late = snapshotOf(raw, 6);
	late.metrics.lab_finished = { count: 300 };
	raw.snapshots = raw.snapshots.filter(({ t }) => t !== FROM + 4 && t !== FROM + 5);
	const rows = timelineIn(raw);
	assert.equal(timelineAt(rows, 6).throughput_rps, 100);
	for (const second of [4, 5])
		assert.deepEqual(
			[timelineAt(rows, second).throughput_rps, timelineAt(rows, second).vus, timelineAt(rows, second).warmup],
			[null, null, false],
		);
});

test('two snapshots in quick succession make no rate of thousands', () => {
	const raw = recordOf();
	raw.snapshots.splice(WARMUP_S + 4, 0, { ...snapshotOf(raw, 4), t: FROM + 4.99 });
	assert.equal(timelineAt(timelineIn(raw), 5).throughput_rps, 200);
});

test('a second with 0 users in which requests were finished is a reading that was not taken', () => {
	const raw = recordOf();
	snapshotOf(raw, 3).metrics.vus = { value: 0 };
	delete snapshotOf(raw, 4).metrics.vus;
	const rows = timelineIn(raw);
	assert.deepEqual([timelineAt(rows, 3).vus, timelineAt(rows, 4).vus], [null, null]);
});

test('a second with 0 users in which nothing was finished had no users', () => {
	const raw = recordOf();
	snapshotOf(raw, 1).metrics = { vus: { value: 0 } };
	const row = timelineAt(timelineIn(raw), 1);
	assert.deepEqual([row.vus, row.throughput_rps, row.latency_ms_p50], [0, 0, null]);
});

test('snapshots from before the warm-up and after the last answer have no row', () => {
	const raw = recordOf();
	raw.snapshots.unshift({ t: FROM - WARMUP_S - 4, metrics: {} });
	raw.snapshots.push({ t: FROM + SECONDS + 3, metrics: { vus: { value: 3 } } });
	const rows = timelineIn(raw);
	assert.deepEqual([rows[0].t_s, rows[rows.length - 1].t_s], [-WARMUP_S, SECONDS]);
});

test('a moment belongs to the second whose end it is nearest to', () => {
	const window = { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - WARMUP_S };
	assert.deepEqual(
		[FROM + 0.9, FROM + 1.4, FROM - 2.2].map((t) => secondOf(t, window)),
		[1, 1, -2],
	);
});

test('every second of a program has a row, for what its store used in it; of its work nothing is known', () => {
	const rows = timelineIn(programRecord());
	assert.deepEqual(
		rows.map(({ t_s }) => t_s),
		Array.from({ length: SECONDS + 1 }, (_, second) => second),
	);
	for (const { t_s, warmup, ...figures } of rows.slice(1)) {
		assert.equal(warmup, false);
		assert.ok(
			Object.values(figures).every((value) => value === null),
			String(t_s),
		);
	}
});

function askedOf(change: (raw: Raw) => void) {
	const raw = recordOf();
	raw.written = { written: 1000, counted: 1000 };
	for (const { metrics } of raw.snapshots.slice(WARMUP_S)) metrics.lab_begun = { count: 100 };
	change(raw);
	return askedSeconds(factsOf(raw));
}

test('a second has what came of its requests, and who waits and is there at its end', () => {
	const asked = askedOf(({ snapshots }) => {
		snapshots[WARMUP_S].metrics.lab_begun = { count: 103 };
	});
	assert.deepEqual(asked?.slice(0, 2), [
		{ t_s: 1, good: 100, failed: 0, begun: 103, waiting: 3, users: 3, demand: 3 },
		{ t_s: 2, good: 100, failed: 0, begun: 100, waiting: 3, users: 3, demand: 3 },
	]);
	assert.equal(asked?.length, 10);
});

test('of an open load the demand is what was meant to arrive, whoever is there', () => {
	const asked = askedOf(({ manifest }) => {
		manifest.shape = shapes.calm({});
	});
	assert.deepEqual(
		asked?.map(({ demand }) => Math.round(demand)),
		[30, ...Array(9).fill(60)],
	);
});

test('a user whose request ended just before the end of the second was there', () => {
	const asked = askedOf(({ snapshots }) => {
		snapshots[WARMUP_S + 3].metrics.vus = { value: 0 };
	});
	assert.equal(asked?.[3].demand, 1);
});

test('who is told that all is sold was answered; by another status nobody was', () => {
	const asked = (status: number) =>
		askedOf(({ manifest, snapshots }) => {
			manifest.scenario = 'tickets';
			Object.assign(snapshots[WARMUP_S].metrics, {
				lab_ok: { count: 60 },
				lab_failed: { count: 40 },
				[`lab_failed_status_${status}`]: { count: 40 },
			});
		})?.[0];
	assert.deepEqual([asked(409)?.good, asked(409)?.failed], [100, 0]);
	assert.deepEqual([asked(503)?.good, asked(503)?.failed], [60, 40]);
});

test('a record that tells no single request tells nothing here', () => {
	const unwritten = askedOf((raw) => {
		raw.written = null;
	});
	assert.equal(unwritten, null);
});
