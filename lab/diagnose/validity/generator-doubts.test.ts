import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Validity } from '../../record/types.js';
import { inputOf, judged, NOTHING, runJudged, validityIn } from '../fixtures/judged.ts';
import { recordOf, setIteration } from '../fixtures/record.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM, WARMUP_S } from '../fixtures/story.ts';
import type { ValidityInput } from './validity.ts';

test('a generator that costs a twentieth of its users’ time is well, beyond it suspect, beyond a tenth invalid', () => {
	const costing = (ms: number) => runJudged((raw) => setIteration(raw, ms));
	assert.deepEqual(costing(31.5), NOTHING);
	assert.deepEqual(costing(32), {
		verdict: 'SUSPECT',
		reasons: ['the load generator was overloaded: its own overhead took 6.3 % of the time of all users; the limit is 5 %'],
	});
	assert.deepEqual(costing(34), {
		verdict: 'INVALID',
		reasons: [
			'the load generator was overloaded: its own overhead took 12 % of the time of all users; the limit is 10 %',
			'100 % of the requests belong to stages of the load that are INVALID when each is judged alone; the limit is 50 %',
		],
	});
});

test('parts that exceed the users’ time are a doubt as well', () => {
	const { reasons } = runJudged((raw) => {
		raw.manifest.think_time_s = 0.013;
	});
	assert.deepEqual(reasons, ["the parts of the users' time exceed it by 10 %; the limit is 5 %"]);
});

test('of a script whose users send several requests at once they say no more than that the overhead is not known', () => {
	const { reasons } = runJudged((raw) => {
		raw.manifest.think_time_s = 0.013;
		raw.manifest.scenario = 'script';
	});
	assert.ok(
		reasons.includes("how many requests of a user went on at a time was not recorded, so the generator's own overhead is not known"),
		`${reasons}`,
	);
	assert.ok(!reasons.some((reason) => reason.includes('exceed')), `${reasons}`);
});

const throttle: (throttled: number, from?: number) => (raw: Raw) => void =
	(throttled, from = 0) =>
	(raw) => {
		for (const row of raw.containers.filter(({ name }) => name === 'k6'))
			row.throttled_periods = Math.max(0, row.t - FROM - from) * 100 * throttled;
	};

test('a generator that was stopped in a tenth of its periods is well, beyond it suspect, beyond half invalid', () => {
	assert.deepEqual(runJudged(throttle(0.1)), NOTHING);
	assert.deepEqual(runJudged(throttle(0.42)), {
		verdict: 'SUSPECT',
		reasons: ["the generator was stopped in 42 % of its quota's periods, and its clocks with it; the limit is 10 %"],
	});
	assert.equal(runJudged(throttle(0.51)).verdict, 'INVALID');
});

test('a generator that was stopped in one stage spoils that stage, and makes the run suspect', () => {
	const { verdict, stages } = judged((raw) => {
		raw.manifest.shape.stages = [
			{ duration_s: 6, target: 3, held: true },
			{ duration_s: 4, target: 3, held: true },
		];
		throttle(0.6, 6)(raw);
	});
	assert.equal(verdict, 'SUSPECT');
	assert.deepEqual(
		stages.map((stage) => stage.verdict),
		['VALID', 'INVALID'],
	);
});

test('a generator without a quota cannot be stopped by one', () => {
	const found = runJudged((raw) => {
		for (const service of raw.manifest.services) service.cpu_quota_cores = null;
		for (const row of raw.containers) Object.assign(row, { periods: 0, throttled_periods: 0 });
	});
	assert.deepEqual(found, NOTHING);
});

test('a generator at its quota for a tenth of the load is still well, beyond it suspect, beyond half of it invalid', () => {
	const saturate = (from: number, to: number) => judged((raw) => setCpu(raw, 'k6', 1, from, to));
	assert.deepEqual(saturate(3, 3).reasons, [
		"in seconds 2 to 10 (held at 3 users), the generator's CPU was at its quota for 13 % of the seconds; the limit is 10 %",
	]);
	assert.equal(saturate(3, 3).stages[0].verdict, 'VALID');
	const suspect = saturate(3, 4);
	assert.deepEqual(
		[suspect.verdict, suspect.reasons[0]],
		['SUSPECT', "the generator's CPU was at its quota for 20 % of the seconds; the limit is 10 %"],
	);
	const [half, more] = [saturate(1, 5), saturate(1, 6)];
	assert.deepEqual([half.verdict, half.stages[0].verdict, more.verdict], ['SUSPECT', 'INVALID', 'INVALID']);
});

test('a generator that was busy in the warm-up alone is well', () => {
	assert.deepEqual(
		runJudged((raw) => setCpu(raw, 'k6', 1, -4, 0)),
		NOTHING,
	);
});

test('the generator is found by its tier, whatever it is called', () => {
	const { verdict } = runJudged((raw) => {
		setCpu(raw, 'k6', 1, 1, 10);
		for (const row of raw.containers) if (row.name === 'k6') row.name = 'client';
		raw.manifest.services = raw.manifest.services.map((service: any) => (service.name === 'k6' ? { ...service, name: 'client' } : service));
	});
	assert.equal(verdict, 'INVALID');
});

test('a generator whose CPU was not recorded is a doubt, not a pass', () => {
	const { verdict, reasons } = runJudged((raw) => {
		raw.containers = raw.containers.filter(({ name }) => name !== 'k6');
	});
	assert.equal(verdict, 'SUSPECT');
	assert.ok(reasons.includes("the generator's CPU was not recorded, so whether it kept up is not known"), reasons.join('\n'));
	assert.ok(reasons.includes("the generator's quota was not recorded, so how often it was stopped is not known"), reasons.join('\n'));
});

test('a k6 that did not tell its times is a doubt', () => {
	const { verdict, reasons } = runJudged((raw) => {
		delete raw.summary.metrics['iteration_duration{scenario:load}'];
	});
	assert.deepEqual(
		[verdict, reasons],
		['SUSPECT', ["some of the users' time was not recorded, so the generator's own overhead is not known"]],
	);
});

test('a thousandth of the arrivals may find no free user, beyond a hundredth the run is invalid', () => {
	const drop = (lost: number) =>
		runJudged((raw) => {
			raw.summary.metrics.dropped_iterations = { values: { count: lost } };
		});
	assert.deepEqual(drop(1), NOTHING);
	assert.deepEqual(drop(2), {
		verdict: 'SUSPECT',
		reasons: ['the generator had no free user for 0.2 % of the arrivals (2 of 1,002); the limit is 0.1 %'],
	});
	assert.deepEqual([drop(10).verdict, drop(11).verdict], ['SUSPECT', 'INVALID']);
});

/**
 * A script whose 500 iterations send two requests each, and do more beside them.
 * @param arriving of its scenarios `browse` and `stay`
 */
const script = (
	arriving: string[],
	{
		iterationMs = 100,
		stayMs,
		dropped = {},
		thought = 0,
	}: { iterationMs?: number; stayMs?: number; dropped?: Record<string, number>; thought?: number } = {},
) =>
	runJudged((raw) => {
		const { manifest, summary } = raw;
		const names = stayMs === undefined ? ['browse'] : ['browse', 'stay'];
		Object.assign(manifest.shape, { model: arriving.length === names.length ? 'open' : 'closed', unit: 'users', arriving });
		const trend = (count: number, avg: number) => ({ values: { count, avg } });
		for (const name of names) {
			summary.metrics[`iteration_duration{scenario:${name}}`] = trend(500, name === 'stay' ? (stayMs ?? 0) : iterationMs);
			summary.metrics[`http_req_duration{scenario:${name}}`] = trend(1000 / names.length, 20);
			summary.metrics[`http_req_blocked{scenario:${name}}`] = trend(1000 / names.length, 0);
			summary.metrics[`dropped_iterations{scenario:${name}}`] = { values: { count: dropped[name] ?? 0 } };
			summary.metrics[`lab_think_s{scenario:${name}}`] = { values: { count: name === 'stay' ? thought : 0 } };
		}
		const all = Object.values(dropped).reduce((sum, count) => sum + count, 0);
		if (all > 0) summary.metrics.dropped_iterations = { values: { count: all } };
	});

test('a script whose iterations arrive is not judged by what they do beside their requests, but by those that found no user', () => {
	assert.deepEqual(script(['browse']), NOTHING);
	assert.deepEqual(script(['browse'], { dropped: { browse: 10 } }).reasons, [
		'the generator had no free user for 2 % of the arrivals (10 of 510); the limit is 1 %',
	]);
	assert.equal(script(['browse'], { dropped: { browse: 10 } }).verdict, 'INVALID');
});

test('iterations that a script had no time for are no arrivals', () => {
	assert.doesNotMatch(script([], { iterationMs: 40, dropped: { browse: 90 } }).reasons.join(), /no free user/);
});

test('of a script with both kinds the users who come back are judged by their own time, and arrivals by their own number', () => {
	assert.deepEqual(script(['browse'], { stayMs: 20 }), NOTHING);
	assert.deepEqual(script(['browse'], { stayMs: 120, thought: 50 }), NOTHING);
	assert.deepEqual(script(['browse'], { stayMs: 40 }).reasons, [
		'the load generator was overloaded: its own overhead took 50 % of the time of users who come back; the limit is 10 %',
	]);
	assert.deepEqual(script(['browse'], { stayMs: 20, dropped: { browse: 10, stay: 400 } }).reasons, [
		'the generator had no free user for 2 % of the arrivals (10 of 510); the limit is 1 %',
	]);
});

test('arrivals are dropped in the stage that they fall in', () => {
	const { stages, verdict } = judged((raw) => {
		raw.snapshots[WARMUP_S].metrics.dropped_iterations = { count: 50 };
	});
	assert.deepEqual([verdict, stages[0].verdict, stages[1].verdict], ['SUSPECT', 'INVALID', 'VALID']);
});

test('where users wrote the record nobody knows in which stage arrivals were dropped, unless too few were to matter in any', () => {
	const drop = (lost: number) =>
		judged((raw) => {
			raw.written = { written: 1000, counted: 1000 };
			raw.summary.metrics.dropped_iterations = { values: { count: lost } };
		});
	assert.equal(drop(0).verdict, 'VALID');
	const { stages, verdict } = drop(1);
	assert.equal(verdict, 'SUSPECT');
	for (const { reasons } of stages) assert.match(reasons[0], /^the lack of free users at the generator was not recorded/);
});

/** A record that users wrote, changed, and what is known of it beside. */
function judgedWith(change: (raw: Raw) => void, about: Partial<ValidityInput>): Validity {
	const raw = recordOf();
	raw.written = { written: 1000, counted: 1000 };
	change(raw);
	return validityIn({ ...inputOf(raw), ...about });
}

test('arrivals that all users could not begin because they waited for a system that stood still are no lack of users', () => {
	const drop = (droppedAtStandstill: number) =>
		judgedWith(
			(raw) => {
				raw.summary.metrics.dropped_iterations = { values: { count: 500 } };
			},
			{ droppedAtStandstill },
		);
	assert.deepEqual(drop(500).verdict, 'VALID');
	assert.equal(drop(0).verdict, 'INVALID');
	const some = drop(480);
	assert.equal(some.verdict, 'INVALID');
	assert.match(some.reasons[0], /^the generator had no free user for 2 % of the arrivals \(20 of 1,020\)/);
});

test('arrivals after those that were dropped at a standstill are not called late: k6 numbers those alone that it begins', () => {
	const late = (droppedAtStandstill: number) =>
		judgedWith(
			(raw) => {
				raw.manifest.shape.model = 'open';
				raw.summary.metrics.lab_latency_ok.values.avg = 24;
				raw.summary.metrics.dropped_iterations = { values: { count: 500 } };
			},
			{ droppedAtStandstill },
		).reasons.join();
	assert.doesNotMatch(late(500), /late in the mean/);
	assert.match(late(0), /arrivals began 4\.0 ms late in the mean/);
});

test('a stage in which nothing ended because the system stood still lacks no record of its users', () => {
	const silence = (raw: Raw) => {
		for (const { t, metrics } of raw.snapshots)
			if (t > FROM && t <= FROM + 2) for (const name of Object.keys(metrics)) if (name !== 'vus') delete metrics[name];
	};
	const standstill = { kind: 'came-back' as const, intervals: [{ from_s: 0, to_s: 2 }], end_s: 10 };
	const reported = /some of the users' time was not recorded/;
	assert.doesNotMatch(judgedWith(silence, { standstill }).stages[0].reasons.join(), reported);
	assert.match(judgedWith(silence, { standstill: null }).stages[0].reasons.join(), reported);
});

test('a generator at its own quota stays INVALID, whatever stood still', () => {
	const standstill = { kind: 'stopped' as const, intervals: [{ from_s: 2, to_s: 10 }], end_s: 10 };
	assert.equal(judgedWith((raw) => setCpu(raw, 'k6', 1, 1, 6), { standstill }).verdict, 'INVALID');
});

test('a generator that ran out of descriptors or ports is suspect, be it for one request, and invalid from a hundredth on', () => {
	const exhaust = (failed: number) => runJudged(undefined, { kinds: { no_ports: { 1: failed } } });
	assert.deepEqual(exhaust(1), {
		verdict: 'SUSPECT',
		reasons: ['the generator ran out of file descriptors or ports for 1 of 1,001 requests; the limit is 0 %'],
	});
	assert.deepEqual([exhaust(10).verdict, exhaust(11).verdict], ['SUSPECT', 'INVALID']);
});

test('in an open load it is late arrivals that count, not what the generator takes of its users between them', () => {
	const open = (waitedMs: number) => (raw: Raw) => {
		raw.manifest.shape.model = 'open';
		raw.summary.metrics.lab_latency_ok.values.avg = waitedMs;
		setIteration(raw, 60);
	};
	assert.deepEqual(runJudged(open(20)), NOTHING);
	assert.deepEqual(runJudged(open(20.9)), NOTHING);
	const { verdict, reasons } = runJudged(open(24));
	assert.equal(verdict, 'INVALID');
	assert.match(reasons[0], /^arrivals began 4\.0 ms late in the mean, 17 % of what users waited/);
});
