import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bottleneckFrom, bottleneckIn, setPool } from '../fixtures/diagnose.ts';
import { endService, factsOf, logError, recordOf } from '../fixtures/record.ts';
import { setRamp, setRate, slowDown } from '../fixtures/record-rates.ts';
import { fillMachine, setCpu } from '../fixtures/record-tiers.ts';
import { programRecord } from '../fixtures/scenario-records.ts';
import { storedBottleneck } from '../fixtures/stored-bottleneck.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import { SAID } from '../fixtures/tell.ts';
import { givingWay, joined } from './giving-way.ts';
import { FULL_SHARE, machineBusyIn } from './machine-busy.ts';
import type { Saturation } from './saturations.ts';

const FINDING = { evidence: ['api held 10 of its 10 connections to db.', '58 requests stood in api.', 'a third'] };
const found = (cause: string, cause_title: string, mechanism: string | null = cause) =>
	bottleneckFrom(recordOf({ kinds: { eof: { 5: 102 } } }), {
		waiting: { findings: [{ ...FINDING, mechanism }] } as any,
		ledger: {
			failures: [{ tier: 'app', service: 'api', cause, cause_title, count: 102, share: 0.98 }],
			unattributed: 2,
		} as any,
	});

test('the limit that failed requests were followed to is the bottleneck', () => {
	const { bottleneck, reason } = found('pool-held', 'it held its 10 connections');
	assert.deepEqual(
		{ bottleneck, reason },
		{
			bottleneck: { tier: 'app', service: 'api', evidence: ['api: it held its 10 connections'] },
			reason: '102 failed requests (98.0 %) ended at api',
		},
	);
});

test('what is no limit is no bottleneck, and neither is what is not known', () => {
	const own = 'whether a limit of its own was reached there is not on record';
	for (const [cause, title, mechanism, said] of [
		['broke-off', 'its callee was killed', 'gone', 'this cause is no limit of capacity'],
		['app-error', 'it answered 500 by itself', 'own-error', own],
		['unexplained', 'given up; why is not on record', null, own],
	]) {
		const { bottleneck, reason } = found(String(cause), String(title), mechanism);
		assert.deepEqual([bottleneck, reason], [null, `most failed requests ended at api: ${title}; ${said}`]);
	}
});

test('where nothing was followed the limits that were reached say it', () => {
	for (const waiting of [null, { findings: [] } as any]) {
		const raw = recordOf({ kinds: { eof: { 5: 102 } } });
		setCpu(raw, 'app-1', 1, 3, 8);
		const { bottleneck, reason } = bottleneckFrom(raw, { waiting });
		assert.equal(bottleneck?.tier, 'app');
		assert.match(reason, /^it was at a limit while 100\.0 % of the 102 failures happened/);
	}
});

const NONE = { failing: [], slow: [], silent: 0, failures: 0, finished: 100, calmMs: 10 };
const timeline: (more?: object) => any[] = (more = {}) =>
	Array.from({ length: 8 }, (_, t_s) => ({ t_s, vus: t_s * 10, throughput_rps: t_s * 100, ...more }));

const limit: (tier: string, name: string, seconds: number[], what?: string) => Saturation = (tier, name, seconds, what = 'full') =>
	({ tier, service: name, name, what, rank: 0, reached: [...Array(8).keys()].map((at) => seconds.includes(at)) }) as any;

test('limits, slow answers and failures are reported in the order of time, with the load of their second', () => {
	const steps = givingWay({
		saturations: [limit('load-balancer', 'table', [5, 6, 7]), limit('app', 'loop-1', [3, 4, 5, 6]), limit('app', 'loop-2', [4, 5, 6])],
		timeline: timeline(),
		hurt: { ...NONE, failing: [6, 7], slow: [4, 5, 6, 7] },
		tier: 'app',
		unit: 'users',
	});
	assert.deepEqual(steps, [
		'second 2 (30 users, 300 requests per second): loop-1: full, for 4 s in total',
		'second 3 (40 users, 400 requests per second): latency is at least 3 times that of calm seconds (median 10 ms)',
		'second 4 (50 users, 500 requests per second): table: full, for 3 s in total',
		'second 5 (60 users, 600 requests per second): the first failed request; 2 seconds of the run have failures',
	]);
});

test('a limit of two seconds, one of the warm-up and one that was reached while nothing hurt are not told', () => {
	const saturations = [limit('app', 'brief', [6, 7]), limit('app', 'warm', [0]), limit('cache', 'calm', [1, 2, 3])];
	assert.deepEqual(givingWay({ saturations, timeline: timeline(), hurt: { ...NONE, failing: [6] }, tier: null, unit: 'rps' }), [
		'second 5 (600 requests per second): the first failed request; 1 seconds of the run have failures',
	]);
	assert.deepEqual(givingWay({ saturations, timeline: timeline(), hurt: NONE, tier: null, unit: 'rps' }), []);
});

test('of a run in which nothing failed and nothing took long it is not told how it gave way', () => {
	const saturations = [limit('machine', 'cores', [1, 2, 3, 4])];
	const given = { saturations, timeline: timeline(), tier: 'machine', unit: 'users' };
	assert.deepEqual(givingWay({ ...given, hurt: NONE }), []);
	assert.equal(givingWay({ ...given, hurt: { ...NONE, slow: [5, 6, 7] } }).length, 2);
});

test('a second that nobody could read does not put off the moment in which a limit was reached', () => {
	const table = limit('load-balancer', 'table', [2, 3, 5, 6, 7]);
	const unread = { ...table, reached: table.reached.map((value, at) => (at === 4 ? null : value)) };
	const said = (saturation: any) =>
		givingWay({ saturations: [saturation], timeline: timeline(), hurt: { ...NONE, failing: [2, 3] }, tier: null, unit: 'rps' });
	assert.equal(said(unread)[0], 'second 1 (200 requests per second): table: full, for 5 s in total');
	assert.equal(said(table).at(-1), 'second 4 (500 requests per second): table: full, for 5 s in total');
	const of = (reached: (boolean | null)[]) => said({ ...table, reached }).join();
	assert.doesNotMatch(of([false, true, true, null, null, null, null, null]), /table/, 'two seconds that were read are no three');
	assert.doesNotMatch(of([false, true, true, null, null, null, true, false]), /table/, 'three that were not are too many');
	assert.match(of([false, true, true, null, null, true, false, false]), /second 1 /);
	const ledger = { failures: [{ tier: 'load-balancer', count: 3 }], unattributed: 0 } as any;
	const saturations = [unread, limit('database', 'mongo', [3, 4, 5])];
	assert.match(
		joined({ ledger, tier: 'database', timeline: timeline(), hurt: { ...NONE, failing: [3, 5] }, saturations }),
		/^All of the failures were at the load balancer, at a limit of its own from second 1 on \(table: full\); after that, from second 2 on/,
	);
});

test('users of a second without a reading are those of the one before, and else are left out', () => {
	const hurt = { ...NONE, failing: [4] };
	const gap = timeline().map((row) => (row.t_s === 4 ? { ...row, vus: null } : row));
	const said = (rows: any[]) => givingWay({ saturations: [], timeline: rows, hurt, tier: null, unit: 'users' })[0];
	assert.match(said(gap), /^second 3 \(30 users, 400 requests per second\)/);
	assert.match(said(timeline({ vus: null })), /^second 3 \(400 requests per second\)/);
});

test('what the tier that lost them was at meanwhile is said only where it is on record', () => {
	const ledger = { failures: [{ tier: 'app', count: 3 }], unattributed: 1 } as any;
	const input = { ledger, tier: 'database', timeline: timeline(), hurt: { ...NONE, failing: [5, 6] } };
	assert.equal(
		joined({ ...input, saturations: [limit('database', 'mongo', [4, 5, 6]), limit('app', 'loop', [1, 2, 3])] }),
		'75.0 % of the failures were at the app, of which no limit that is watched was reached then; meanwhile, from second 3 on, the database was at its limit (mongo: full)',
	);
	assert.equal(
		joined({ ...input, saturations: [] }),
		'75.0 % of the failures were at the app, of which no limit that is watched was reached then',
	);
	assert.equal(joined({ ...input, tier: 'app', saturations: [] }), '');
});

test('that answers waited longest in a pool is said not to make the pool the limit', () => {
	const parts = [
		{ id: 'pool', label: 'waiting for a pooled connection', tier: 'pool', waits: true },
		{ id: 'handler', label: 'in the handler', tier: 'app', waits: false },
	];
	const time = (pool: number) =>
		({
			parts,
			stages: [
				{ measured_ms: 20, parts: { pool: 0 } },
				{ measured_ms: 1480, parts: { pool, handler: 1480 - pool } },
			],
		}) as any;
	const queued = (timeLedger: any) => {
		const raw = recordOf();
		raw.manifest.shape.stages = [
			{ duration_s: 5, target: 10 },
			{ duration_s: 5, target: 2000 },
		];
		setCpu(raw, 'app-1', 1);
		const { bottleneck, reason } = bottleneckFrom(raw, { timeLedger });
		assert.equal(bottleneck?.tier, 'app');
		return reason.split('. ').slice(1).join('. ');
	};
	assert.equal(
		queued(time(1300)),
		'Successful requests spent most of their time waiting for a pooled connection (1.3 s of 1.48 s in the stage to 2,000 users). They queued there, but the app was at its limit',
	);
	const own = time(1300);
	assert.equal(queued({ ...own, parts: own.parts.map((part: any) => ({ ...part, tier: 'app' })) }), '', 'it is the limit');
	assert.equal(queued(time(700)), '', 'less than half of it');
	assert.equal(queued(null), '');
});

/** A table that is full from second 4 on, and requests that are lost from second 5 on. */
function lostAtBalancer(change: (raw: Raw) => void) {
	const raw = recordOf({ balanced: true, kinds: { eof: { 6: 20, 7: 20, 8: 20 } } });
	logError(raw, [5, 6, 7, 8], SAID.full);
	for (const row of raw.kernel) if (row.name === 'nginx' && row.t >= FROM + 5) row.sockets = { inuse: 1024 };
	change(raw);
	return raw;
}

test('a run in which nothing was saturated has no bottleneck, and says why', () => {
	const { bottleneck, reason } = bottleneckIn(() => {});
	assert.deepEqual({ bottleneck, reason }, { bottleneck: null, reason: 'no tier reached a limit that is watched' });
});

test('the last stage that a tier binds stands for a run that lost nothing, and the others are told', () => {
	const { bottleneck, reason } = bottleneckIn((raw) => {
		setRamp(raw);
		setCpu(raw, 'app-1', 1, 1, 3);
		setCpu(raw, 'nginx', 1, 4);
	});
	assert.equal(bottleneck?.tier, 'load-balancer');
	assert.deepEqual(bottleneck?.evidence, [
		'nginx: its CPU quota was used up in 3 of 3 s',
		'behind it no limit was reached (app, pool, database)',
		'in other stages it is another: the app in the stage to 10 users',
	]);
	assert.equal(reason, 'it binds in the stage to 100 users');
});

test('where requests were lost, the tier that was at its limit while most of them were stands for the run', () => {
	const { bottleneck, reason } = bottleneckIn((raw) => {
		setRamp(raw);
		setCpu(raw, 'mongo', 1, 4, 7);
		setCpu(raw, 'app-1', 1, 8);
		setRate(raw, 4, 7, { ok: 80, failed: 30 });
		setRate(raw, 8, 10, { ok: 80, failed: 10 });
	});
	assert.deepEqual([bottleneck?.tier, reason], ['database', 'it was at a limit while 80.0 % of the 150 failures happened']);
	assert.deepEqual(bottleneck?.evidence, [
		'mongo: its CPU quota was used up in 4 of 7 s with failures',
		'app-1: its CPU quota was used up in 3 of 7 s with failures',
		'in other stages it is another: the app in the stage to 100 users',
	]);
});

test('a few lost requests do not say which seconds count', () => {
	const { bottleneck, reason } = bottleneckIn((raw) => {
		setRamp(raw);
		setCpu(raw, 'mongo', 1, 4, 7);
		setCpu(raw, 'app-1', 1, 8);
		setRate(raw, 4, 4, { ok: 91, failed: 9 });
	});
	assert.equal(bottleneck?.tier, 'app');
	assert.equal(
		reason,
		'it binds in the stage to 100 users. While 9 requests failed, it was the database',
		'and what did while they were lost is said',
	);
});

test('where most requests were lost and no tier binds, none is named for the run', () => {
	const { bottleneck, reason } = bottleneckIn((raw) => {
		setRamp(raw);
		for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.97, 1, 3);
		setRate(raw, 8, 10, { ok: 30, failed: 30 });
	});
	assert.deepEqual({ bottleneck, reason }, { bottleneck: null, reason: 'no limit on record was reached while 90 requests failed' });
	const { reason: turns } = bottleneckIn((raw) => {
		setRamp(raw);
		setCpu(raw, 'app-1', 1, 1, 2);
		setCpu(raw, 'nginx', 1, 3, 3);
		setRate(raw, 1, 6, { ok: 30, failed: 10 });
	});
	assert.equal(
		turns,
		'no limit on record was reached for most of the time while 60 requests failed: the app in 33.3 % of the failures, the load balancer in 16.7 % of the failures',
	);
});

test('a rate that nothing watched explains is said of the whole run too', () => {
	const { bottleneck, reason } = bottleneckIn((raw) => {
		setRamp(raw);
		for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.9, 1, 7);
		setRate(raw, 8, 10, { ok: 30 });
	});
	assert.deepEqual(
		{ bottleneck, reason },
		{ bottleneck: null, reason: 'no limit that Doubletake watches explains the rate in the stage to 100 users' },
	);
});

test('a limit that was reached for three seconds in a row, in no stage for most of it, is named with that', () => {
	const found = (to: number) => bottleneckIn((raw) => setCpu(raw, 'app-1', 1, 3, to));
	const { bottleneck, reason } = found(5);
	assert.deepEqual(bottleneck, { tier: 'app', evidence: ['app-1: its CPU quota was used up for 3 s'] });
	assert.equal(reason, 'it was at a limit, though in no stage for most of the time');
	assert.equal(found(4).bottleneck, null, 'two seconds are noise');
	assert.equal(bottleneckIn((raw) => setCpu(raw, 'app-1', 1, -4, 0)).bottleneck, null, 'and so is the warm-up');
});

test('a tier that ended or stood still was at its limit from then on', () => {
	const ended = bottleneckIn((raw) => endService(raw, 'mongo', 5)).bottleneck;
	assert.deepEqual(ended, { tier: 'database', evidence: ['mongo: it was not running in 5 of 8 s'] });
	const still = bottleneckIn((raw) => {
		raw.nodes['app-2'] = raw.nodes['app-2'].filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
	}).bottleneck;
	assert.deepEqual([still?.tier, still?.evidence[0]], ['app', 'app-2: it stood still in 5 of 8 s']);
});

test('without quotas the machine that is used up is the bottleneck where no tier is at a limit of its own', () => {
	const { bottleneck, reason } = bottleneckIn((raw) => fillMachine(raw, -10, 20));
	assert.deepEqual(
		[bottleneck, reason],
		[{ tier: 'machine', evidence: ["99.0 % of the machine's cores were in use"] }, 'hardly a core was free in the stage at 3 users'],
	);
});

test('cores of which other programs had most are no limit of the system, and it is said whose they were', () => {
	const of = (isByOthers: boolean) =>
		bottleneckIn((raw) => {
			setRamp(raw);
			fillMachine(raw, 6, 10, isByOthers);
			slowDown(raw, 6, 10, 17);
		});
	const { bottleneck, reason } = of(true);
	assert.equal(bottleneck, null);
	assert.match(reason, /^other programs filled the machine's cores: they used 75\.6 % of them for 5 s$/);
	assert.equal(of(false).bottleneck?.tier, 'machine');
	const steps = (isByOthers: boolean) => of(isByOthers).givingWay.join('\n');
	assert.match(steps(false), /the machine's cores/);
	assert.doesNotMatch(steps(true), /the machine's cores/, 'nor the first limit that it reached');
});

test('the machine that is full in the seconds in which answers take long is named, though it is not full over the load', () => {
	const raw = recordOf({ balanced: true });
	setRamp(raw);
	fillMachine(raw, 6, 10);
	slowDown(raw, 6, 10, 17);
	const { bottleneck, reason, givingWay, byStage } = bottleneckFrom(raw);
	assert.ok(machineBusyIn(factsOf(raw), 0, Number.POSITIVE_INFINITY) < FULL_SHARE);
	assert.deepEqual(bottleneck, {
		tier: 'machine',
		evidence: ["the machine's cores: at least 90 % of them in use in 5 of 5 s with slow answers"],
	});
	assert.equal(reason, 'it was at a limit in 5 of the 5 s in which latency was at least 3 times that of calm seconds (median 19 ms)');
	assert.deepEqual(givingWay, [
		"second 5 (3 users, 100 requests per second): the machine's cores: at least 90 % of them in use, for 5 s in total",
		'second 5 (3 users, 100 requests per second): latency is at least 3 times that of calm seconds (median 19 ms)',
	]);
	assert.doesNotMatch(byStage[1].what, /no longer than at their quickest/);
	fillMachine(raw, 1, 5);
	setCpu(raw, 'app-1', 1, 6, 10);
	assert.equal(bottleneckFrom(raw).bottleneck?.tier, 'app', 'a tier at a limit of its own explains more');
});

test('answers that take long while no limit is reached are said to, and who could not be watched', () => {
	const raw = recordOf({ balanced: true });
	setRamp(raw);
	slowDown(raw, 6, 8, 17);
	raw.adapted = [{ service: 'edge', tier: 'load-balancer', product: 'opaque', level: 1, files: { log: '', samples: [], file: () => '' } }];
	const { bottleneck, reason } = bottleneckFrom(raw);
	assert.deepEqual(
		[bottleneck, reason],
		[
			null,
			'no limit on record was reached in the 3 s in which latency was at least 3 times that of calm seconds (median 19 ms); what can run full inside edge is not watched, or not all of it',
		],
	);
});

test('a stored run that was in trouble for 13 of its 98 s is judged over these, and not over the calm around them', async () => {
	const { result, bottleneck, reason, givingWay, byStage } = await storedBottleneck('metastable', '2026-11-23T071327Z-d940');
	assert.match(result.bottleneck_reason, /answers take no longer than at their quickest$/, 'as it was judged then');
	assert.equal(bottleneck?.tier, 'database');
	assert.equal(bottleneck?.evidence[0], 'mongo: its CPU quota was used up in 6 of 8 s with failures');
	assert.equal(
		reason,
		'it was at a limit while 79.5 % of the 73 failures happened. 75.3 % of the failures were at the app, of which no limit that is watched was reached then; meanwhile, from second 21 on, the database was at its limit (mongo: its CPU quota was used up)',
	);
	assert.deepEqual(
		givingWay.map((line) => line.replace(/ \(.*?\):/, ':')),
		[
			'second 20: latency is at least 3 times that of calm seconds (median 12.1 ms)',
			// The cut began within second 21.
			'second 21: mongo: its CPU quota was used up, for 10 s in total',
			'second 25: the first failed request; 8 seconds of the run have failures',
		],
	);
	assert.equal(byStage[1].what, 'the load, but for 13 of 98 s in which requests failed or answers took long');
});

test('where requests failed at another tier than the one that was at its limit, both stand in one sentence', () => {
	const { bottleneck, reason, givingWay } = bottleneckFrom(lostAtBalancer((raw) => setCpu(raw, 'app-1', 1, 2)));
	assert.equal(bottleneck?.tier, 'app');
	assert.match(
		reason,
		/^it was at a limit while 100\.0 % of the \d+ failures happened\. All of the failures were at the load balancer, at a limit of its own from second 4 on \(balancer sockets, including those not yet accepted: at its limit of 1,024\); before that, from second 1 on, the app was at its limit \(app-1: its CPU quota was used up\)$/,
	);
	assert.deepEqual(
		givingWay.map((line) => /^second \d+/.exec(line)?.[0]),
		['second 1', 'second 4', 'second 5'],
	);
	const alone = bottleneckFrom(lostAtBalancer(() => {}));
	assert.deepEqual(
		[alone.bottleneck?.tier, alone.reason.includes('of the failures were at')],
		['load-balancer', false],
		'where these are one, nothing is to be joined',
	);
});

test('a program has no stages: what binds for most of its time is its bottleneck', () => {
	const raw = programRecord();
	for (const row of raw.containers) row.cpu_s = 0.5 * (row.t - raw.program.began_s + 5);
	const { bottleneck, byStage } = bottleneckFrom(raw);
	assert.deepEqual([bottleneck, byStage], [{ tier: 'database', evidence: ['tokyo: its CPU quota was used up in 10 of 10 s'] }, []]);
	assert.equal(bottleneckFrom(programRecord()).bottleneck, null);
});

test('there is a row for each stage that the load reached', () => {
	const raw = recordOf();
	raw.snapshots = raw.snapshots.filter(({ t }) => t <= FROM + 2);
	assert.deepEqual(
		bottleneckFrom(raw).byStage.map(({ target, from_s, to_s }) => [target, from_s, to_s]),
		[[3, 0, 2]],
	);
});

const OF_ARRIVALS = [
	{ duration_s: 0, target: 100 },
	{ duration_s: 10, target: 100, held: true },
];
/** A hundred arrivals a second, of which so many a second are answered. */
const ofArrivals: (ok: number, change?: (raw: Raw) => void) => ReturnType<typeof bottleneckIn> = (ok, change = () => undefined) =>
	bottleneckIn((raw) => {
		raw.manifest.shape = { title: '', model: 'open', unit: 'rps', warmup_s: 1, stages: OF_ARRIVALS };
		setRate(raw, 1, 10, { ok });
		setPool(raw, 'app-1', 1, 10, { in_use: 50, waiting: 9 });
		change(raw);
	});

test('what is at its limit while all arrivals are answered as soon as ever is no bottleneck', () => {
	const { bottleneck, reason, byStage } = ofArrivals(100);
	assert.equal(bottleneck, null);
	assert.match(reason, /^all arrivals were answered as soon as ever, though pool of app-1/);
	assert.equal(byStage[0].tier, null);
	assert.ok(byStage[0].evidence.some((text) => text.startsWith('pool of app-1: ')));
});

test('but it is where fewer are answered than arrive, or answers take long', () => {
	assert.equal(ofArrivals(90).bottleneck?.tier, 'pool');
	assert.equal(ofArrivals(100, (raw) => slowDown(raw, 5, 10, 10)).bottleneck?.tier, 'pool');
});
