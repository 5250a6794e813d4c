import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure, Result } from '../record/types.js';
import { endService, factsOf, logError, recordOf } from './fixtures/record.ts';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.ts';
import type { Raw, Story } from './fixtures/story.ts';
import { SAID } from './fixtures/tell.ts';
import { headlineOf, nearestLimit } from './headline.ts';
import type { Facts } from './ledger/facts.ts';
import { goneWrites } from './ledger/gone-writes.ts';
import { buildLedger } from './ledger/ledger.ts';
import { NO_LIMIT } from './limits/bottleneck.ts';

function headline(story: Story, change?: (raw: Raw) => void, bottleneck: Result['bottleneck'] = null) {
	const raw = recordOf(story);
	change?.(raw);
	return headlineFrom(raw, bottleneck);
}

function headlineFrom(raw: Raw, bottleneck: Result['bottleneck'] = null): string {
	const facts = factsOf(raw);
	return headlineOf({ facts, ledger: buildLedger(facts), metrics: metricsOf(facts), bottleneck });
}

const metricsOf: (facts: Facts) => any = ({ generator: { finished, failed, unanswered, droppedArrivals } }) => ({
	requests: finished,
	failures: failed,
	unanswered,
	dropped_arrivals: droppedArrivals,
	failure_rate: failed / finished,
	throughput_rps: finished / 10,
});

const CLEAR = 'MongoDB refused no connections and no pool checkout timed out.';
const PROVED = 'Place and cause are certain: a record of each failed request shows it.';

test('a healthy run is praised with its rate', () => {
	assert.equal(headline({}), 'All 1,000 requests succeeded: 100 per second. No tier was at a limit.');
});

test('a rate has the digits that the page’s figures have', () => {
	const facts = factsOf(recordOf({}));
	const metrics = { ...metricsOf(facts), requests: 92_849, throughput_rps: 1142.3 };
	assert.match(
		headlineOf({ facts, ledger: buildLedger(facts), metrics, bottleneck: null }),
		/^All 92,849 requests succeeded: 1,140 per second\./,
	);
});

test('the first sentence says in which seconds requests failed, and how many users or arrivals there were when it began', () => {
	const raw = recordOf({ kinds: { no_ports: { 2: 1000 } } });
	const first = (failed: number[], shape = raw.manifest.shape) => {
		const facts = factsOf({ ...raw, manifest: { ...raw.manifest, shape } });
		const timeline = failed.map((own, at) => ({ t_s: at + 1, failures_per_s: own, vus: (at + 1) * 10 }) as any);
		return headlineOf({ facts, ledger: buildLedger(facts), metrics: metricsOf(facts), bottleneck: null, timeline }).split('. ')[0];
	};
	const some = '50.0 % of 2,000 requests failed';
	const ends = raw.manifest.shape.stages.reduce((all: number, { duration_s: own }: any) => all + own, 0);
	const seconds = (failed: Record<number, number>) => Array.from({ length: ends + 9 }, (_, at) => failed[at + 1] ?? 0);
	assert.equal(first(seconds({ 2: 1, 3: 500, [ends]: 499 })), `${some}, mostly from second 2 on, at 30 users`);
	assert.equal(first(seconds({ 3: 1000 })), `${some}, all in second 2, at 30 users`);
	assert.equal(first(seconds({ 1: 500, 2: 500 })), `${some}, all from second 0 to 1, at 10 users`);
	assert.equal(first(seconds({ [ends + 9]: 1000 })), some);
	const open = { ...raw.manifest.shape, model: 'open', unit: 'rps', stages: [{ duration_s: ends, target: 60, held: true }] };
	assert.equal(first(seconds({ 3: 1000 }), open), `${some}, all in second 2, at 60 requests per second`);
});

test('a healthy run says what came nearest to its limit, whoever loads it left out', () => {
	const limit = { id: 'a', label: 'event loop of app-1', tier: 'app' as const, limit: 50, unit: '', values: [49, 20, 30] };
	const resources = { k6: { tier: 'generator' }, web: { tier: 'app' } } as any;
	const about = { resources, seconds: [0, 1, 2] };
	assert.deepEqual(nearestLimit([limit], { k6: [0, 1, 1], web: [1, 0.1, null] }, about), { name: 'event loop of app-1', share: 0.6 });
	assert.deepEqual(nearestLimit([limit], { web: [0, 0.7, null] }, about), { name: 'CPU of web', share: 0.7 });
	assert.equal(nearestLimit([], {}, about), undefined);
});

test('a healthy run that was held back says by what', () => {
	assert.equal(
		headline({}, undefined, { tier: 'app', evidence: ['app-1: its CPU quota was used up', 'behind it the others were calm'] }),
		'All 1,000 requests succeeded: 100 per second. Bottleneck: the app (app-1: its CPU quota was used up).',
	);
});

test('one tier that lost them all is named, and one that is often suspected is ruled out', () => {
	assert.equal(
		headline({ kinds: { no_ports: { 2: 1000 } } }),
		`50.0 % of 2,000 requests failed. All 1,000 failed at the load generator: the load generator ran out of file descriptors or ports. ${PROVED} ${CLEAR}`,
	);
});

/**
 * 50 failures among 1,000 requests to a system of one's own, which asked for these.
 * @param kinds count, failed
 */
function ofKinds(...kinds: [string, number, number][]) {
	const facts = factsOf(recordOf({ kinds: { eof: { 5: 50 } } }));
	const urls = kinds.map(([template, count, failed]) => ({
		...{ verb: template === '' ? '' : 'GET', template, count, failed },
		...{ time_ms: { p50: 1, p95: 2 }, edges: [] },
	}));
	const own = { ...facts, system: { ...facts.system, isFollowed: true } };
	const metrics = { ...metricsOf(facts), requests: 1000, failures: 50, failure_rate: 0.05 };
	return headlineOf({ facts: own, ledger: buildLedger(facts), metrics, bottleneck: null, urls }).split('. ')[0];
}

test('failures of one kind of request are named, where not most of the good ones are of it too', () => {
	const plain = '5.0 % of 1,000 requests failed';
	assert.equal(ofKinds(['/a', 700, 0], ['/b', 300, 50]), `${plain}: all of them GET /b`);
	assert.equal(ofKinds(['/a', 700, 2], ['/b', 300, 48]), `${plain}: 96.0 % of them GET /b`);
	for (const kinds of [
		[['/a', 1000, 50]],
		[
			['/a', 475, 0],
			['/b', 525, 50],
		],
		[
			['/a', 700, 3],
			['/b', 300, 47],
		],
		[
			['/a', 700, 0],
			['', 300, 50],
		],
		[],
	])
		assert.equal(ofKinds(...(kinds as [string, number, number][])), plain);
});

test('what a queue took was accepted, and what became of it is said beside', () => {
	const facts = factsOf(recordOf({}));
	const queue = {
		accepted: 1000,
		completed: 900,
		completed_in_load: 600,
		unlogged: 0,
		failed: 10,
		left: 40,
		lost: 50,
		drained_after_s: null,
	};
	const more = { ...queue, lag_ms: { p50: 100, p95: 2345, p99: 3000, max: 3000 }, backlog: [], oldest_s: [] } as any;
	const input = { facts, ledger: buildLedger(facts), metrics: metricsOf(facts), bottleneck: null };
	assert.equal(
		headlineOf({ ...input, queue: more }),
		'All 1,000 requests were accepted: 100 per second. No tier was at a limit. Of 1,000 accepted writes 60.0 % were done in the load and 30.0 % in the time after it, 95 % of them within 2.3 s; 50 were lost, 10 failed when they were to be done, and are gone, 40 were still in the queue.',
	);
	assert.match(
		headlineOf({ ...input, queue: { ...more, completed: 960, unlogged: 10, failed: 0, left: 0, lost: 0, drained_after_s: 5 } }),
		/35\.0 % in the 5 s after it, .*; 10 more are stored, and nobody logged when, none was lost\.$/,
	);
});

test('writes that are gone come first, and nobody says beside them that none was lost', () => {
	const facts = factsOf(recordOf({}));
	const queue = { accepted: 1000, completed: 998, completed_in_load: 600, unlogged: 0, failed: 2, left: 0, lost: 0, drained_after_s: 5 };
	const more = { ...queue, lag_ms: { p50: 100, p95: 2345, p99: 3000, max: 3000 }, backlog: [], oldest_s: [] } as any;
	const ledger = buildLedger(facts);
	const input = { facts, ledger, metrics: metricsOf(facts), bottleneck: null };
	const text = headlineOf({ ...input, queue: more, gone: goneWrites(facts, ledger.writes, more) });
	assert.match(text, /^At least 2 accepted writes are gone: they failed when they were to be done\. All 1,000 requests were accepted/);
	assert.match(text, /within 2\.3 s; 2 failed when they were to be done, and are gone\.$/);
	assert.doesNotMatch(text, /none was lost/);
	// Known by ids alone.
	const byId = headlineOf({ ...input, queue: { ...more, failed: 0 }, gone: { count: 2, at_least: false, text: '2 are gone.', to_do: [] } });
	assert.doesNotMatch(byId, /none was lost|;/);
});

test('acknowledged writes that are gone come before the failures and the doubts', () => {
	const facts = factsOf(recordOf({ kinds: { no_ports: { 2: 30 } } }));
	const ledger = buildLedger(facts);
	const gone = goneWrites(facts, { acknowledged: 2757, persisted: 2748, unacknowledged: 0, lost: 9, duplicated: 0 }, null);
	assert.match(
		headlineOf({
			facts,
			ledger,
			metrics: metricsOf(facts),
			bottleneck: null,
			gone,
		}),
		/^9 acknowledged writes are gone: users were told that they were done, and the database does not hold them\. 2\.9 % of /,
	);
});

test('a single request is reported as one, and where its share rounds to none, as how many of how many', () => {
	assert.equal(
		headline({ kinds: { no_ports: { 2: 1 } } }),
		`0.10 % of 1,001 requests failed. It failed at the load generator: the load generator ran out of file descriptors or ports. ${PROVED} ${CLEAR}`,
	);
	assert.match(headline({ okPerS: 3000, kinds: { no_ports: { 2: 1 } } }), /^1 of 30,001 requests failed\. It failed /);
});

test('of two tiers the worse one comes first, with its share', () => {
	assert.equal(
		headline({ kinds: { no_ports: { 2: 30 } }, answers: [{ error: 'TypeError', count: 10 }] }),
		`3.8 % of 1,040 requests failed. 30 (75.0 %) failed at the load generator: the load generator ran out of file descriptors or ports. 10 (25.0 %) failed at the app: the app answered an error of its own. ${PROVED} ${CLEAR}`,
	);
});

test("a tier's causes are told each with its share, the most frequent first", () => {
	const answers = [
		{ error: 'MongoServerError', count: 10 },
		{ error: 'MongoNetworkTimeoutError', count: 40 },
	];
	assert.equal(
		headline({ answers }),
		`4.8 % of 1,050 requests failed. All 50 failed at the database: it did not answer in time (40, 80.0 %); it answered an error (10, 20.0 %). ${PROVED}`,
	);
});

test('of more than three causes of a tier those are named that hold a twentieth, and how many others there were', () => {
	const three = { refused: { 3: 40 }, unreachable: { 3: 30 } };
	assert.match(
		headline({ kinds: { ...three, invalid_answer: { 3: 22 }, eof: { 3: 4 }, server_closed_idle: { 3: 4 } } }),
		/All 100 failed at the app: it refused connections \(40, 40\.0 %\); no connection to it could be made \(30, 30\.0 %\); it sent an answer that its caller could not take \(22, 22\.0 %\); 2 other causes \(8, 8\.0 %\)\. Place/,
	);
	const named = headline({ kinds: { ...three, invalid_answer: { 3: 20 }, eof: { 3: 6 }, server_closed_idle: { 3: 4 } } });
	assert.match(named, / take \(20, 20\.0 %\); it closed the connection [^;]* \(6, 6\.0 %\); [^;]* \(4, 4\.0 %\)\. Place/);
});

test('what led to some failures of a cause is not told of all', () => {
	const facts = factsOf(recordOf({ answers: [{ error: 'TypeError', count: 50 }] }));
	const ledger = buildLedger(facts);
	const [row] = ledger.failures;
	const said = (...chains: (string | null)[]) => {
		const failures = chains.map((chain) => ({ ...row, chain, count: 50 / chains.length }));
		return headlineOf({ facts, ledger: { ...ledger, failures }, metrics: metricsOf(facts), bottleneck: null });
	};
	assert.match(said('first this, then that.', 'first this, then that.'), /All 50 failed at the app: first this, then that\. Place/);
	assert.match(said('first this, then that.', null), /All 50 failed at the app: the app answered an error of its own\. Place/);
});

test('what befell several services alike is told once of all, and what did not of each', () => {
	const facts = factsOf(recordOf({ answers: [{ error: 'TypeError', count: 50 }] }));
	const ledger = buildLedger(facts);
	const said = (...rows: Partial<Failure & { ofIt: string }>[]) => {
		const failures = rows.map(({ ofIt, ...row }) => ({ ...ledger.failures[0], cause_title: `it ${ofIt}`, ...row }));
		const predicateOf = (row: Failure) => rows[failures.indexOf(row)].ofIt ?? null;
		const followed = { ...facts, system: { ...facts.system, isFollowed: true } };
		return headlineOf({ facts: followed, ledger: { ...ledger, failures }, metrics: metricsOf(facts), bottleneck: null, predicateOf });
	};
	const [web1, web2] = [
		{ service: 'web-1', count: 30, ofIt: 'answered 500 by itself' },
		{ service: 'web-2', count: 20, ofIt: 'answered 500 by itself' },
	];
	assert.match(said(web1, web2), / 30 \(60\.0 %\) failed at web-1 and 20 \(40\.0 %\) at web-2: each answered 500 by itself\. Place/);
	const many = [1, 2, 3, 4].map((at) => ({ ...web2, service: `web-${at}`, count: at === 1 ? 20 : 10 }));
	assert.match(
		said(...many),
		/ 20 \(40\.0 %\) failed at web-1, 10 \(20\.0 %\) at web-2 and 20 \(40\.0 %\) at 2 other services: each answered/,
	);
	const web3 = { ...web2, service: 'web-3', count: 10 };
	assert.match(
		said({ ...web1, count: 20 }, web2, web3),
		/failed at web-1, 20 \(40\.0 %\) at web-2 and 10 \(20\.0 %\) at web-3: each answered/,
	);
	assert.match(
		said(web1, { ...web2, ofIt: 'was down' }),
		/ 30 \(60\.0 %\) failed at web-1: it answered 500 by itself\. 20 \(40\.0 %\) failed at web-2: it was down\. Place/,
	);
});

test('that the system stopped is said first, and what all of its users could not begin is no lack of them', () => {
	const facts = factsOf(recordOf({ kinds: { refused: { 2: 5 } } }));
	const given = { facts, ledger: buildLedger(facts), bottleneck: null };
	const metrics = { ...metricsOf(facts), dropped_arrivals: 1200 };
	const onset = { kind: 'stopped' as const, from_s: 2, to_s: null, text: 'From second 2 on no request succeeded.' };
	const said = (wasted: number) => headlineOf({ ...given, metrics, onset, droppedAtStandstill: wasted });
	assert.match(said(1200), /^0\.50 % of 1,005 requests failed; none succeeded from second 2 on\. /);
	assert.match(said(1200), / 1,200 requests could not be started, because all users were waiting for an answer\.$/);
	assert.match(said(900), / 1,200 requests could not be started, 900 of them because all users were waiting for an answer\.$/);
	assert.match(said(0), / 1,200 requests could not be started\.$/);
	const gone = { count: 2, at_least: false, text: '2 writes are gone.', to_do: [] };
	assert.match(headlineOf({ ...given, metrics, onset, gone }), /^2 writes are gone\. 0\.50 % of /);
});

test('failures of one cause at two services are reported as one', () => {
	const answers = [
		{ node: 'app-1', error: 'TypeError', count: 30 },
		{ node: 'app-2', error: 'TypeError', count: 20 },
	];
	assert.match(headline({ balanced: true, answers }), /All 50 failed at the app: the app answered an error of its own\. Place/);
});

test('what an app refused, and was right to, is not called lost', () => {
	const sellOut = (raw: Raw) => {
		raw.manifest.scenario = 'tickets';
	};
	assert.equal(
		headline({ answers: [{ status: 409, count: 250 }] }, sellOut),
		`20.0 % of 1,250 requests failed. All 250 were refused by the app: nothing was left to sell. ${PROVED} ${CLEAR}`,
	);
});

test('what a tier refused for the trouble of another is lost there, and called refused', () => {
	const answers = [
		{ error: 'MongoOperationTimeoutError', second: 4 },
		{ status: 503, error: 'BreakerOpenError', second: 5, count: 49 },
	];
	const openedByFirst = (raw: Raw) => {
		for (const [attempt] of raw.attempts.values()) if (attempt.error === 'BreakerOpenError') attempt.opener = 'a0-0';
	};
	assert.match(headline({ answers }, openedByFirst), /All 50 failed at the database: .* 49 of them were refused on the way there\./);
});

test('what could not be placed is said, with the reason, and nothing is cleared of it', () => {
	assert.equal(
		headline({ kinds: { other: { 2: 5 }, no_ports: { 2: 15 } } }),
		'2.0 % of 1,020 requests failed. 15 (75.0 %) failed at the load generator: the load generator ran out of file descriptors or ports. 5 (25.0 %) could not be placed: no record explains what k6 saw (other). Place and cause are certain for 75.0 % of the failed requests and unknown for 25.0 %.',
	);
	assert.equal(
		headline({ kinds: { other: { 2: 5 } } }),
		'0.50 % of 1,005 requests failed. 5 could not be placed: no record explains what k6 saw (other).',
	);
});

test('how sure it is of places and causes is said for each, from the surest on', () => {
	const text = headline({ balanced: true, kinds: { eof: { 4: 30 }, refused: { 9: 10 } } }, (raw) => logError(raw, [4], SAID.workerDied));
	assert.match(text, / Place and cause are certain for 25\.0 % of the failed requests and likely for 75\.0 %\./);
});

test('what was made more of is reported as a chain, from the trigger on', () => {
	const text = headline({ answers: [{ error: 'MongoPoolClearedError', count: 8 }] }, (raw) => endService(raw, 'mongo', 4));
	assert.match(
		text,
		/ All 8 failed at the database: mongo: it was down\. In app-1 8 requests failed of it: the driver had cleared the pool\. The place/,
	);
});

test('near misses are named where nothing failed, two of them at most', () => {
	const raw = recordOf({ balanced: true });
	endService(raw, 'app-1', 3, { back: 4 });
	endService(raw, 'app-2', 5, { back: 6 });
	endService(raw, 'mongo', 7, { back: 8 });
	assert.match(
		headlineFrom(raw),
		/^All 1,000 requests succeeded: 100 per second\. But app-1 ended in second 3 .* lost there; app-2 ended in second 5 [^;]*; no request was lost there\. No tier was at a limit\.$/,
	);
});

test('arrivals that could not be started are said, good run or bad', () => {
	const drop = (raw: Raw) => {
		raw.summary.metrics.dropped_iterations = { values: { count: 1200 } };
	};
	assert.match(headline({}, drop), / No tier was at a limit\. 1,200 requests could not be started\.$/);
	assert.match(headline({ kinds: { refused: { 2: 5 } } }, drop), / 1,200 requests could not be started\.$/);
});

test('what stays down though its trigger is gone is said', () => {
	const facts = factsOf(recordOf());
	const given = { facts, ledger: buildLedger(facts), metrics: metricsOf(facts), bottleneck: null };
	const effect = { text: 'surge to 900 requests a second', watched_after_s: 39.2 };
	const said = (metastable: boolean) => headlineOf({ ...given, faults: [{ ...effect, metastable } as any] });
	assert.match(said(true), / METASTABLE: "surge to 900 requests a second" was over, and service did not come back in 39 s\.$/);
	assert.doesNotMatch(said(false), /METASTABLE/);
});

test('MongoDB and its pool are cleared only by their own counters', () => {
	const story = { kinds: { no_ports: { 2: 10 } } };
	const isCleared = (change: (raw: Raw) => void) => headline(story, change).endsWith(CLEAR);
	assert.equal(
		isCleared(() => {}),
		true,
	);
	assert.equal(
		isCleared((raw) => {
			raw.database = [];
		}),
		false,
	);
	assert.equal(
		isCleared((raw) => {
			raw.database[raw.database.length - 1].connections = { open: 1, free: 1, refused: 3 };
		}),
		false,
	);
	assert.equal(
		isCleared((raw) => {
			for (const row of raw.nodes['app-1'].slice(-2)) row.pool.failed = { timeout: 1 };
		}),
		false,
	);
});

test('requests that requests were still waiting when the load ended are said among the failures', () => {
	const wait = (raw: Raw) => {
		raw.summary.metrics.lab_unanswered = { values: { count: 7 } };
	};
	assert.match(
		headline({ late: { unanswered: 7 } }, wait),
		/ 7 of [\d,]+ failed requests were still waiting when the load ended\. The place/,
	);
});

test('what was answered is called what the scenario calls it, and inserts are made', () => {
	assert.match(headlineFrom(crudRecord()), /^All 1,500 operations succeeded: 150 per second\./);
	assert.match(headlineFrom(poolsRecord()), /^All 1,000 requests succeeded: 100 per second\./);
	assert.match(headlineFrom(programRecord()), /^All 4,000 inserts were made: 400 per second\./);
});

test("a program's inserts that failed are called so too, and no MongoDB is cleared of them", () => {
	assert.equal(
		headlineFrom(programRecord([{}, { exit_code: 1 }])),
		'50.0 % of 4,000 inserts failed. 2,000 could not be placed: tchmttest left no id of 2,000.',
	);
});

test('a run without requests says so', () => {
	assert.equal(
		headlineOf({
			facts: factsOf(recordOf()),
			ledger: buildLedger(factsOf(recordOf())),
			metrics: { requests: 0 } as any,
			bottleneck: null,
		}),
		'No request was finished.',
	);
});

test('a machine that was used up is said to be, though no tier was at a limit of its own', () => {
	const evidence = ["97.0 % of the machine's cores were in use"];
	assert.match(
		headline({}, undefined, { tier: 'machine', evidence }),
		/ No tier was at a limit of its own; 97\.0 % of the machine's cores were in use\.$/,
	);
});

test('where no bottleneck is named for another reason than that no limit was reached, the headline says that reason', () => {
	const facts = factsOf(recordOf());
	const given = { facts, ledger: buildLedger(facts), metrics: metricsOf(facts), bottleneck: null };
	assert.match(headlineOf({ ...given, reason: 'nothing explains it' }), / No bottleneck named: nothing explains it\.$/);
	assert.match(headlineOf({ ...given, reason: NO_LIMIT }), / No tier was at a limit\.$/);
});

test('of what is not watched the headline does not say that it was at no limit', () => {
	const facts = factsOf(recordOf());
	const hop = (service: string, limits: string) => ({ service, coverage: { limits } });
	const said = (hops: object[], bottleneck: any = null) => {
		const given = { ledger: buildLedger(facts), metrics: metricsOf(facts), bottleneck, reason: NO_LIMIT };
		return headlineOf({ ...given, facts: { ...facts, hops: hops as any } });
	};
	assert.match(said([hop('lb', 'full'), hop('web', 'none')]), / No tier was at a limit that is watched; inside web not all is\.$/);
	assert.match(said([hop('lb', 'full')]), / No tier was at a limit\.$/);
	const machine = { tier: 'machine', evidence: ['all cores were in use'] };
	assert.match(said([hop('web', 'partial')], machine), / No tier was at a limit of its own that is watched; all cores were in use\.$/);
});
