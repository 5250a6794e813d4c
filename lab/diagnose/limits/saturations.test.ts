import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bottleneckIn, setPool } from '../fixtures/diagnose.ts';
import { endService, factsOf, recordOf } from '../fixtures/record.ts';
import { setRamp, setRate } from '../fixtures/record-rates.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import { limitsOf } from './limits.ts';
import { cpuShares, resourcesOf } from './resources.ts';
import { bindingBySecond, saturationsOf } from './saturations.ts';

const SECONDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** @param change of a healthy run of two nodes */
function boundIn(change: (raw: Raw) => void) {
	const raw = recordOf({ balanced: true });
	change(raw);
	const facts = factsOf(raw);
	const cpu = cpuShares(facts, SECONDS);
	const limits = limitsOf(facts, SECONDS);
	const saturations = saturationsOf({ resources: resourcesOf(raw, facts.window), cpu, limits, seconds: SECONDS, facts });
	return bindingBySecond(saturations, SECONDS).map((saturation) => saturation?.name ?? saturation);
}

test('in a second in which no limit was reached nothing binds', () => {
	assert.deepEqual(
		boundIn(() => {}),
		SECONDS.map(() => null),
	);
});

test('of the limits reached in one second the deepest binds: it lets requests pile up before it', () => {
	const bound = boundIn((raw) => {
		setCpu(raw, 'k6', 1, 1);
		setCpu(raw, 'nginx', 1, 3, 8);
		setCpu(raw, 'app-1', 1, 5, 6);
		setCpu(raw, 'mongo', 1, 6, 6);
	});
	assert.deepEqual(bound, ['k6', 'k6', 'nginx', 'nginx', 'app-1', 'mongo', 'nginx', 'nginx', 'k6', 'k6']);
});

test('a pool with requests that wait is only the queue of a busy node or database', () => {
	const bound = boundIn((raw) => {
		setPool(raw, 'app-1', 2, 8, { in_use: 50, waiting: 9 });
		setCpu(raw, 'app-2', 1, 4, 4);
		setCpu(raw, 'mongo', 1, 6, 6);
	});
	assert.deepEqual(bound.slice(0, 7), [null, 'pool of app-1', 'pool of app-1', 'app-2', 'pool of app-1', 'mongo', 'pool of app-1']);
});

test("MongoDB's connections are such a queue too, though they are a limit of the database", () => {
	const bound = boundIn((raw) => {
		for (const row of raw.database) row.connections = { open: 1000, free: 0 };
		setPool(raw, 'app-1', 2, 4, { waiting: 9 });
		setCpu(raw, 'app-1', 1, 3, 3);
	});
	assert.deepEqual(bound.slice(0, 5), [null, 'MongoDB connections', 'app-1', 'MongoDB connections', null]);
});

test('a tier that stood still, or had ended, explains whatever was used up meanwhile', () => {
	const still = boundIn((raw) => {
		raw.nodes['app-2'] = raw.nodes['app-2'].filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
		setCpu(raw, 'mongo', 1, 1);
	});
	assert.deepEqual(still, [...Array(3).fill('mongo'), ...Array(5).fill('app-2'), 'mongo', 'mongo']);
	const ended = boundIn((raw) => endService(raw, 'app-1', 7));
	assert.deepEqual(ended.slice(5), [null, null, 'app-1', 'app-1', 'app-1']);
});

test('a node that had ended while another was asked explains less than a database without CPU; two that had, more', () => {
	const starved = (...ended: string[]) =>
		boundIn((raw) => {
			for (const name of ended) endService(raw, name, 7);
			setCpu(raw, 'mongo', 1, 8, 8);
		}).slice(7);
	assert.deepEqual(starved('app-1'), ['mongo', 'app-1', 'app-1']);
	assert.ok(['app-1', 'app-2'].includes(starved('app-1', 'app-2')[0] as string));
});

test('quotas count as used up from 95 % on, as they are enforced in slices', () => {
	const boundAt = (share: number) => boundIn((raw) => setCpu(raw, 'app-1', share, 3, 3))[2];
	assert.deepEqual([boundAt(0.94), boundAt(0.951)], [null, 'app-1']);
});

test('a service that only observes binds nobody', () => {
	const bound = boundIn((raw) => {
		raw.manifest.services.find(({ name }: { name: string }) => name === 'k6').tier = 'observer';
		setCpu(raw, 'k6', 1);
	});
	assert.ok(bound.every((name) => name === null));
});

test('of a second in which nothing was read nothing is said', () => {
	const bound = boundIn((raw) => {
		raw.containers = [];
		raw.host = [];
		raw.kernel = [];
		raw.database = [];
		for (const [name, rows] of Object.entries(raw.nodes)) raw.nodes[name] = rows.filter(({ t }) => t !== FROM + 2);
	});
	assert.deepEqual(bound.slice(0, 3), [null, undefined, null]);
});

/** @param change of a healthy ramp: to 10 users until second 3, to 50 until 7, to 100 until 10 */
const stagesIn = (change: (raw: Raw) => void) =>
	bottleneckIn((raw) => {
		setRamp(raw);
		change(raw);
	}).byStage;

test('a balancer that uses up its CPU while nodes idle and no request fails binds in those stages, not the app of second 2', () => {
	const stages = stagesIn((raw) => {
		for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.97, 1, 3);
		// Each connection that Nginx opens to a node costs it more and more: it finishes less and less.
		setCpu(raw, 'nginx', 1, 4);
		setRate(raw, 4, 7, { ok: 40 });
		setRate(raw, 8, 10, { ok: 20 });
	});
	assert.deepEqual(
		stages.map(({ tier, service, what }) => [tier, service, what]),
		[
			['app', 'app-1', 'its CPU quota was used up'],
			['load-balancer', 'nginx', 'its CPU quota was used up'],
			['load-balancer', 'nginx', 'its CPU quota was used up'],
		],
	);
	assert.deepEqual(stages[1].evidence, [
		'nginx: its CPU quota was used up in 4 of 4 s',
		'behind it no limit was reached (app, pool, database)',
		'a request cost nginx 8.3 times as much CPU as in the stage to 10 users',
		'a request cost mongo 2.5 times as much CPU as in the stage to 10 users',
		'a request cost k6 2.5 times as much CPU as in the stage to 10 users',
	]);
	assert.deepEqual([stages[2].measured_rps, stages[2].bound_rps], [20, 103.1]);
});

test('of a tier whose limit is not on record it is not said that no limit was reached', () => {
	const evidenceWith = (conf: string) =>
		bottleneckIn((raw) => {
			raw.balancerConf = conf;
			// Its own CPU is not on record either.
			raw.containers = raw.containers.filter(({ name }) => name !== 'nginx');
			setCpu(raw, 'k6', 1);
		}).byStage.flatMap(({ evidence }) => evidence);
	const behind = (conf: string) => evidenceWith(conf).find((text) => text.startsWith('behind it'));
	assert.match(behind('worker_processes 1;\nworker_connections 1024;\n') ?? '', /\(load-balancer, app, /);
	assert.match(behind('') ?? '', /^behind it no limit was reached \(app, /);
});

test('a rate far below every bound, with no limit reached, is explained by nothing that is watched, and said so', () => {
	const lastAt = (ok: number) =>
		stagesIn((raw) => {
			setRate(raw, 8, 10, { ok });
			for (const name of ['app-1', 'app-2']) {
				setCpu(raw, name, 0.8, 1, 3);
				setCpu(raw, name, 0.9, 4);
			}
		})[2];
	const { tier, service, what, evidence } = lastAt(60);
	assert.deepEqual([tier, service, what], [null, null, 'none found: no limit that Doubletake watches explains the low throughput']);
	assert.deepEqual(evidence, ['measured 60 rps, 48.0 % of the 125 rps that the CPU of the app allows']);
	assert.equal(lastAt(87).what, 'none found: no limit that Doubletake watches explains the low throughput');
	assert.equal(lastAt(88).what, 'no service was at a limit for most of the stage');
});

test('a rate that is as high as users ask for needs no limit to explain it', () => {
	const [, , last] = stagesIn((raw) => {
		raw.manifest.think_time_s = 0.9;
	});
	assert.deepEqual([last.tier, last.what], [null, 'the load: answers take no longer than at their quickest']);
	assert.match(last.evidence[0], /^measured 100 rps, 110\.\d % of the 90\.7 rps that the load asks for$/);
});

test('a tier binds where limits were reached in more than half of the seconds', () => {
	const tierOf = (from: number, to: number) => stagesIn((raw) => setCpu(raw, 'app-1', 1, from, to))[1].tier;
	assert.deepEqual([tierOf(4, 5), tierOf(4, 6), tierOf(1, 3)], [null, 'app', null]);
});

test('where two tiers take turns, the one that bound for longer is named, and the other is in the evidence', () => {
	const change = (raw: Raw) => {
		raw.manifest.shape.stages = [{ duration_s: 10, target: 50 }];
		setCpu(raw, 'app-1', 1, 1, 4);
		setCpu(raw, 'nginx', 1, 4, 10);
	};
	const [stage] = bottleneckIn(change).byStage;
	assert.equal(stage.tier, 'load-balancer');
	assert.deepEqual(stage.evidence, [
		'nginx: its CPU quota was used up in 7 of 10 s',
		'app-1: its CPU quota was used up in 4 of 10 s',
		'behind it no limit was reached (pool, database)',
	]);
});

test('seconds at a limit do not count as unexplained', () => {
	// For six of ten seconds nothing was at its limit, and in these the rate was as high as ever.
	const [stage] = bottleneckIn((raw) => {
		raw.manifest.shape.stages = [{ duration_s: 10, target: 50 }];
		setCpu(raw, 'app-1', 0.9);
		setCpu(raw, 'nginx', 1, 7);
		setRate(raw, 7, 10, { ok: 5 });
	}).byStage;
	assert.equal(stage.tier, null);
	assert.equal(stage.what, 'no service was at a limit for most of the stage');
});

test('without quotas it is the machine that is used up, and no tier is named', () => {
	const [, stage] = stagesIn((raw) => {
		let more = 0;
		for (const row of raw.host) {
			if (row.t > FROM + 3 && row.t <= FROM + 7) more += 3.5;
			row.cpu_busy_s += more;
		}
	});
	assert.deepEqual([stage.tier, stage.what.replace(/[\d.]+ %/, '…')], [null, "… of the machine's cores were in use"]);
});

test("a full table of tracked connections is the machine's and no tier's", () => {
	const [, stage] = stagesIn((raw) => {
		for (const row of raw.host) row.conntrack = { count: row.t > FROM + 3 ? 1000 : 10, max: 1000 };
	});
	assert.deepEqual([stage.tier, stage.what], [null, 'tracked connections of the machine: at its limit of 1,000']);
});

test('a pool that is used up with requests that wait binds when neither node nor database is busy', () => {
	const [, stage] = stagesIn((raw) => setPool(raw, 'app-2', 4, 9, { in_use: 50, waiting: 20 }));
	assert.deepEqual([stage.tier, stage.service], ['pool', 'app-2']);
	assert.deepEqual(stage.evidence, ['pool of app-2: at its limit of 50 in 4 of 4 s', 'behind it no limit was reached (database)']);
});

test('local ports that run out towards one node bind the balancer', () => {
	const [, stage] = stagesIn((raw) => {
		for (const row of raw.kernel)
			if (row.name === 'nginx' && (row.t === FROM + 3 || row.t === FROM + 8))
				row.ports = { range: [32_768, 60_999], by_destination: { '10.0.0.1:3000': 14_200 } };
	});
	assert.deepEqual(
		[stage.tier, stage.service, stage.evidence[0]],
		['load-balancer', 'nginx', 'local ports of nginx to one destination: at its limit of 14,116 in 4 of 4 s'],
	);
});
