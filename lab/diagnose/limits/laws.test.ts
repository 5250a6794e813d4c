import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from '../../../k6/lib/shapes.js';
import type { TimelineRow } from '../../record/types.js';
import { factsOf, recordOf } from '../fixtures/record.ts';
import { setRamp, setRate } from '../fixtures/record-rates.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import { programRecord } from '../fixtures/scenario-records.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import { timelineOf } from '../time/timeline.ts';
import { lawsOf } from './laws.ts';

/**
 * The tightest bound of the CPU, of a run of one node that uses 0.9 of its half core for 100 requests a second, and 0.3 of its quota elsewhere.
 */
function cpuBound(change?: (raw: Raw) => void) {
	const raw = recordOf();
	// Users who ask for more than any CPU bears.
	raw.manifest.shape.stages = [{ duration_s: 10, target: 10_000, held: true }];
	setCpu(raw, 'app-1', 0.9);
	change?.(raw);
	const facts = factsOf(raw);
	const [{ boundBy, boundRps }] = lawsOf(facts, timelineOf(facts)).stages;
	return [boundBy, boundRps];
}

const setQuotas = (raw: Raw, quota: number | null) => {
	for (const service of raw.manifest.services) service.cpu_quota_cores = quota;
};

test('a tier finishes at most its capacity over its demand, and two nodes twice what one does', () => {
	// 4.5 ms of half a core.
	assert.deepEqual(cpuBound(), ['app', 111.1]);
	// With two nodes each request costs either of them half on average.
	const two = cpuBound((raw) => {
		const second = raw.containers.filter(({ name }) => name === 'app-1').map((row) => ({ ...row, name: 'app-2' }));
		const [node] = raw.manifest.services.filter(({ name }: { name: string }) => name === 'app-1');
		raw.manifest.services.push({ ...node, name: 'app-2' });
		for (const row of raw.containers) if (row.name === 'app-1') row.cpu_s /= 2;
		raw.containers.push(...second.map((row) => ({ ...row, cpu_s: row.cpu_s / 2 })));
	});
	assert.deepEqual(two, ['app', 222.2]);
});

test('without quotas all tiers share the machine', () => {
	// 4.5 ms of the node, 1.5 of the database, and 3 of the generator: 9 of 4 cores.
	assert.deepEqual(
		cpuBound((raw) => setQuotas(raw, null)),
		['machine', 444.4],
	);
});

test('quotas that exceed the machine together do not make it larger', () => {
	const [by, rps] = cpuBound((raw) => setQuotas(raw, 3));
	assert.deepEqual([by, rps], ['machine', 444.4]);
});

test('a service whose demand is not known bounds nothing', () => {
	const [by] = cpuBound((raw) => {
		raw.containers = [];
	});
	assert.equal(by, 'load');
});

const row: (t_s: number, p50?: number | null) => TimelineRow = (t_s, p50 = null) => ({ t_s, vus: 1, latency_ms_p50_ok: p50 }) as any;

/** What the load asks for in each second, where no CPU bounds it. */
function askedRates(unit: 'users' | 'rps', stages: Stage[], timeline: TimelineRow[], thinkTimeS: number = 0): (number | null)[] {
	const raw = recordOf();
	raw.containers = [];
	raw.manifest.shape = { title: '', model: unit === 'rps' ? 'open' : 'closed', unit, warmup_s: 1, stages };
	raw.manifest.think_time_s = thinkTimeS;
	return lawsOf(factsOf(raw), timeline).boundRps;
}

test('users ask for as many requests as their number over the quickest round of answer and thinking', () => {
	const seconds = [row(0, 1), row(1, 90), row(2, 50), row(3), row(4, 1000)];
	assert.deepEqual(askedRates('users', [{ duration_s: 3, target: 30, held: true }], seconds, 0.05), [null, 300, 300, 300, null]);
});

test('users that are still being added are those planned for the end of the second', () => {
	const stages = [
		{ duration_s: 2, target: 21 },
		{ duration_s: 2, target: 41 },
	];
	assert.deepEqual(askedRates('users', stages, [row(1, 100), row(2), row(3), row(4)]), [110, 210, 310, 410]);
});

test('without a good answer nothing is known of how fast users could be', () => {
	assert.deepEqual(askedRates('users', [{ duration_s: 1, target: 5 }], [row(1)], 0.01), [null]);
});

test('an open load asks for what arrives, whatever the answers take', () => {
	const stages = [
		{ duration_s: 2, target: 100 },
		{ duration_s: 2, target: 100, held: true },
	];
	const seconds = [row(0), row(1, 900), row(2), row(3), row(4), row(5)];
	assert.deepEqual(askedRates('rps', stages, seconds), [null, 25, 75, 100, 100, null]);
});

/** What a request cost each service in a part of the load. */
function costIn(raw: Raw, from_s: number, to_s: number): Record<string, number | null> {
	const ends = [from_s, to_s].filter((second) => second > 0);
	raw.manifest.shape.stages = ends.map((end, index) => ({ duration_s: end - (ends[index - 1] ?? 0), target: 3 }));
	const facts = factsOf(raw);
	const { stages } = lawsOf(facts, timelineOf(facts));
	return stages[ends.length - 1].cpuMsPerRequest;
}

test('what a request costs is the CPU of a service over the finished requests of the same time', () => {
	const raw = recordOf({ balanced: true });
	setCpu(raw, 'nginx', 0.8, 3, 6);
	// nginx uses 0.8 of its quarter core in the seconds 3 to 6, for 100 requests a second; the others 0.3 of their quota.
	assert.deepEqual(costIn(raw, 2, 6), { nginx: 2, 'app-1': 1.5, 'app-2': 1.5, mongo: 1.5, k6: 3 });
	assert.equal(costIn(raw, 0, 2).nginx, 0.75);
});

test('failed requests are finished requests, and what they cost is in the sum', () => {
	const raw = recordOf({ balanced: true });
	setRate(raw, 3, 6, { ok: 100, failed: 100 });
	assert.equal(costIn(raw, 2, 6)['app-1'], 0.75);
});

test('a reading that reaches beyond the stage counts for the part of it that lies inside', () => {
	const raw = recordOf();
	raw.containers = raw.containers.filter(({ t }) => Math.round(t) % 2 === 0);
	setCpu(raw, 'mongo', 0.6, 4, 4);
	// Used in the seconds 3 and 4, of which the stage has one: (0.15 + 0.15 + 0.15) / 2.
	assert.equal(costIn(raw, 3, 4).mongo, 2.25);
});

test('without enough finished requests, or without a reading of the service, nothing is said of what a request costs', () => {
	const raw = recordOf();
	setRate(raw, 1, 2, { ok: 24 });
	assert.equal(costIn(raw, 0, 2).mongo, null);
	setRate(raw, 1, 2, { ok: 25 });
	assert.notEqual(costIn(raw, 0, 2).mongo, null);
	raw.containers = raw.containers.filter(({ name }) => name !== 'mongo');
	assert.equal(costIn(raw, 0, 2).mongo, null);
});

test('an observer works for no request', () => {
	const raw = recordOf({ balanced: true });
	raw.manifest.services.find(({ name }: { name: string }) => name === 'app-2').tier = 'observer';
	assert.deepEqual(Object.keys(costIn(raw, 0, 2)), ['nginx', 'app-1', 'mongo', 'k6']);
});

/**
 * The calmest of stages of two seconds each.
 * @param stages busiest: share of its quota that the node uses; finished: a second
 */
function calmestOf(stages: { busiest?: number; failed?: number; finished?: number }[], change?: (raw: Raw) => void) {
	const raw = recordOf();
	raw.manifest.shape.stages = stages.map(() => ({ duration_s: 2, target: 3 }));
	for (const [index, { busiest = 0.3, failed = 0, finished = 500 }] of stages.entries()) {
		const [from, to] = [2 * index + 1, 2 * index + 2];
		setCpu(raw, 'app-1', busiest, from, to);
		setRate(raw, from, to, { ok: finished - failed, failed });
	}
	change?.(raw);
	const facts = factsOf(raw);
	return lawsOf(facts, timelineOf(facts)).calmest;
}

test('the busiest share is of the quota, or of the machine where there is none', () => {
	// First the generator uses 0.75 of its one core, and then the node 0.9 of its half.
	const stages = [{}, { busiest: 0.9 }];
	const generator = (raw: Raw) => setCpu(raw, 'k6', 0.75, 1, 2);
	assert.equal(calmestOf(stages, generator), 0);
	assert.equal(
		calmestOf(stages, (raw) => {
			generator(raw);
			setQuotas(raw, null);
		}),
		1,
	);
});

test('the calmest stage is the least busy of those that hardly lost a request', () => {
	assert.equal(calmestOf([{ busiest: 0.9 }, { busiest: 0.5 }, { busiest: 0.7 }]), 1);
	assert.equal(calmestOf([{ busiest: 0.9 }, { busiest: 0.5, failed: 6 }, { busiest: 0.7, failed: 5 }]), 2);
	assert.equal(
		calmestOf([
			{ busiest: 0.9, failed: 250 },
			{ busiest: 0.5, failed: 250 },
		]),
		1,
		'all lost requests',
	);
	const unread = (raw: Raw) => {
		raw.containers = raw.containers.filter(({ t }) => t <= FROM + 2 || t >= FROM + 5);
	};
	assert.equal(calmestOf([{ busiest: 0.4, finished: 24 }, { busiest: 0.35 }, { busiest: 0.6, finished: 25 }]), 1);
	assert.equal(calmestOf([{ busiest: 0.4, finished: 24 }, { finished: 0 }, { busiest: 0.6, finished: 25 }], unread), 2);
	assert.equal(calmestOf([{ busiest: 0.4, finished: 24 }]), -1);
});

/** @param change of a healthy ramp with two nodes */
function lawsIn(change?: (raw: Raw) => void) {
	const raw = recordOf({ balanced: true });
	setRamp(raw);
	change?.(raw);
	const facts = factsOf(raw);
	const timeline = timelineOf(facts);
	const laws = lawsOf(facts, timeline);
	return { ...laws, boundAt: (t_s: number) => laws.boundRps[timeline.findIndex((row) => row.t_s === t_s)] };
}

test('the bound is drawn over all the run from what a request cost in its calmest stage', () => {
	// In the first stage 100 requests a second cost the nodes 6 ms each, of which their core bears 167 a second.
	const change = (raw: Raw) => {
		for (const name of ['app-1', 'app-2']) {
			setCpu(raw, name, 0.6, 1, 3);
			setCpu(raw, name, 1, 4);
		}
	};
	const { calmest, boundAt, stages } = lawsIn(change);
	assert.equal(calmest, 0);
	assert.deepEqual([boundAt(-1), boundAt(0), boundAt(3), boundAt(10)], [null, null, 166.7, 166.7]);
	assert.deepEqual(
		stages.map(({ boundRps, boundBy }) => [boundRps, boundBy]),
		[
			// Four users, in the first second, ask for 138.
			[157.1, 'app'],
			[166.7, 'app'],
			[166.7, 'app'],
		],
	);
});

test('few users bound the rate before the CPU does', () => {
	const { boundAt, stages } = lawsIn((raw) => {
		// The quickest median is 19 ms; with 481 ms of thinking a user asks for two requests a second.
		raw.manifest.think_time_s = 0.481;
		for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.9);
	});
	assert.deepEqual([boundAt(1), boundAt(3), boundAt(7), boundAt(10)], [8, 20, 100, 111.1]);
	assert.deepEqual(
		stages.map(({ boundBy }) => boundBy),
		['load', 'load', 'app'],
	);
});

test('what users of a script ask for is not known, and only what the CPU allows bounds them', () => {
	const { boundAt, stages } = lawsIn((raw) => {
		raw.manifest.scenario = 'script';
		raw.manifest.think_time_s = 0.481;
		for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.9);
	});
	assert.deepEqual([boundAt(1), boundAt(3), boundAt(7)], [111.1, 111.1, 111.1]);
	assert.ok(stages.every(({ boundBy }) => boundBy !== 'load'));
});

test('a service whose requests cost more than twice as much as in the calmest stage is named, dearest first', () => {
	const { stages } = lawsIn((raw) => {
		setCpu(raw, 'nginx', 0.66, 4, 7);
		setCpu(raw, 'mongo', 0.59, 4, 7);
		setRate(raw, 8, 10, { ok: 45 });
		setCpu(raw, 'nginx', 0.9, 8);
	});
	assert.deepEqual(
		stages.map(({ dearer }) => dearer.map(({ service, times }) => [service, Number(times.toFixed(1))])),
		[
			[],
			[['nginx', 2.2]],
			[
				['nginx', 6.7],
				['app-1', 2.2],
				['app-2', 2.2],
				['mongo', 2.2],
				['k6', 2.2],
			],
		],
	);
});

test('each stage has what a request cost every service in it', () => {
	const { stages } = lawsIn((raw) => setCpu(raw, 'mongo', 0.6, 4, 7));
	assert.deepEqual(
		stages.map(({ cpuMsPerRequest: cost }) => [cost.mongo, cost['app-1']]),
		[
			[1.5, 1.5],
			[3, 1.5],
			[1.5, 1.5],
		],
	);
});

test('without a container that was read only the users bound the rate', () => {
	const { calmest, stages, boundAt } = lawsIn((raw) => {
		raw.containers = [];
	});
	assert.deepEqual([calmest, stages[2].boundBy, stages[2].cpuMsPerRequest.nginx], [-1, 'load', null]);
	assert.equal(boundAt(10), 3448.3);
});

test('a program has no stages and no bound', () => {
	const facts = factsOf(programRecord());
	const laws = lawsOf(facts, timelineOf(facts));
	assert.deepEqual([laws.stages, laws.calmest], [[], -1]);
	assert.ok(laws.boundRps.every((value) => value === null));
});
