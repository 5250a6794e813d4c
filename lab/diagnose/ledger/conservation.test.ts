import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindHaproxy } from '../fixtures/behind-haproxy.ts';
import { brokenChecks, brokenIn, checksIn } from '../fixtures/checks.ts';
import { endService, factsOf, recordOf } from '../fixtures/record.ts';
import { logAttempt } from '../fixtures/record-requests.ts';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import { logLine } from '../fixtures/tell.ts';
import { placeAll } from '../rules.ts';
import { edgesOf } from './conservation.ts';
import { hopCounts, hopsOf } from './hops.ts';

function edgesIn(raw: Raw) {
	const facts = factsOf(raw);
	return edgesOf(facts, hopsOf(facts), placeAll(facts)).map(({ from, to, sent, received, unseen }) => [from, to, sent, received, unseen]);
}

function countsIn(raw: Raw) {
	const facts = factsOf(raw);
	return hopCounts(facts, hopsOf(facts));
}

const rowsIn = (raw: Raw) => countsIn(raw).map(({ tier, service, received, answered_ok: ok }) => [tier, service, received, ok]);

test('every tier of a healthy run counts the same requests by its own record, the warm-up not among them', () => {
	const counts = countsIn(recordOf({ balanced: true }));
	assert.deepEqual(
		counts.map(({ service, source, received, answered_ok: ok, answered_error: error, aborted }) => [
			service,
			source,
			received,
			ok,
			error,
			aborted,
		]),
		[
			['k6', 'k6 metrics', 1000, 1000, 0, 0],
			['nginx', 'stub_status, access log', 1000, 1000, 0, 0],
			['app-1', 'node record', 500, 500, 0, 0],
			['app-2', 'node record', 500, 500, 0, 0],
			['pool', 'pool events', 2000, 2000, 0, null],
			['mongo', 'serverStatus', 1000, 1000, null, null],
		],
	);
});

test('on every edge of a healthy run what was sent was received, and nothing is said of callers that the callee cannot tell apart', () => {
	assert.deepEqual(edgesIn(recordOf({ balanced: true })), [
		['k6', 'nginx', 1000, 1000, 0],
		['nginx', 'app-1', 500, 500, 0],
		['nginx', 'app-2', 500, 500, 0],
		['app-1', 'mongo', 500, null, null],
		['app-2', 'mongo', 500, null, null],
	]);
	assert.deepEqual(edgesIn(recordOf()), [
		['k6', 'app-1', 1000, 1000, 0],
		['app-1', 'mongo', 1000, 1000, null],
	]);
});

test("what the balancer received is its own counter, and its log's lines where the counter was not read", () => {
	const raw = recordOf({ balanced: true });
	raw.balancerStatus[2].requests -= 30;
	const received = () => countsIn(raw)[1].received;
	assert.equal(received(), 970);
	raw.balancerStatus = [];
	assert.equal(received(), 1000);
});

test('a request that no tier has a record of is unseen on the first edge, and no check breaks of it', () => {
	const raw = recordOf({ balanced: true, kinds: { eof: { 3: 40 } } });
	assert.deepEqual(edgesIn(raw)[0], ['k6', 'nginx', 1040, 1000, 40]);
	assert.deepEqual(brokenIn(raw), []);
	for (const { id } of raw.failures.slice(0, 15)) logLine(raw, id, { node: null });
	raw.balancerStatus[2].requests += 15;
	assert.deepEqual(edgesIn(raw)[0], ['k6', 'nginx', 1040, 1015, 25]);
	assert.deepEqual(brokenIn(raw), []);
});

test('an attempt that the node has no record of is unseen on its edge', () => {
	const raw = recordOf({ balanced: true, answers: [{ status: 502, upstream_status: '502', count: 8 }] });
	assert.deepEqual(edgesIn(raw)[1], ['nginx', 'app-1', 508, 500, 8]);
	logAttempt(raw, raw.failures[0].id, {});
	assert.deepEqual(edgesIn(raw)[1], ['nginx', 'app-1', 508, 500, 7]);
});

test('a failed request that k6 left no name of breaks its own check, and that of the first edge', () => {
	const statements = brokenChecks({ balanced: true, kinds: { eof: { 3: 40 } } }, (raw) => raw.failures.splice(0, 10));
	assert.deepEqual(statements, [
		['k6: each failed request has a status or an error code', 30, 40],
		['requests that k6 sent = requests that nginx received + requests without a record there', 1030, 1040],
	]);
});

test('a checkout that failed was refused by the pool', () => {
	const raw = recordOf({ answers: [{ error: 'MongoWaitQueueTimeoutError', count: 5 }] });
	for (const row of raw.nodes['app-1'].slice(-3)) row.pool.failed = { timeout: 5 };
	const pool = countsIn(raw).find(({ tier }) => tier === 'pool');
	assert.deepEqual([pool?.received, pool?.answered_ok, pool?.answered_error], [2005, 2000, 5]);
});

test('errors that tiers answered break no check', () => {
	const answers = [
		{ error: 'TypeError', count: 30 },
		{ status: 502, connect_s: '-', count: 20 },
		{ status: 500, node: null, count: 10 },
	];
	// The balancer counts what it answered itself as well.
	const counted = (raw: Raw) => {
		raw.balancerStatus[2].requests += 60;
	};
	assert.deepEqual(brokenChecks({ balanced: true, answers }, counted), []);
	assert.deepEqual(brokenChecks({ answers: answers.slice(0, 1) }), []);
});

test('an answer that k6 never got breaks the check between k6 and the balancer', () => {
	assert.deepEqual(
		brokenChecks({ balanced: true }, (raw) => {
			raw.summary.metrics.lab_ok.values.count = 990;
			raw.summary.metrics.lab_finished.values.count = 990;
		}),
		[
			['requests that k6 sent = requests that nginx received + requests without a record there', 1000, 990],
			['successful answers of nginx = those that k6 received + those that k6 had given up on', 1000, 990],
		],
	);
});

test('a failure that k6 counted as neither good nor failed breaks its own check', () => {
	const [broken] = brokenChecks({}, (raw) => {
		raw.summary.metrics.lab_finished.values.count = 1010;
	});
	assert.deepEqual(broken, ['k6: successful plus failed requests equal the finished requests', 1000, 1010]);
});

test('a request that a node never saw breaks the checks between balancer and nodes', () => {
	const broken = brokenChecks({ balanced: true }, (raw) => {
		for (const row of raw.nodes['app-2'].slice(-3)) {
			row.received -= 20;
			row.answered['2xx'] -= 20;
		}
	});
	assert.deepEqual(broken, [
		['requests that nginx sent = requests that app-2 received + requests without a record there', 480, 500],
		['successful answers of app-1, app-2 = those that nginx received + those that nginx had given up on', 980, 1000],
		['MongoDB inserted one document for each good answer', 1000, 980],
	]);
});

test('an attempt that failed before another node answered is unseen on its own edge, and breaks no check', () => {
	const raw = recordOf({ balanced: true });
	const lines = raw.accessLines.filter(({ t, upstream }) => t > raw.manifest.load_began_s && upstream.startsWith('10.0.0.2')).slice(0, 20);
	for (const [index, line] of lines.entries()) {
		Object.assign(line, { id: `r${index}`, upstream: '10.0.0.1:3000, 10.0.0.2:3000', upstream_status: '502, 200', connect_s: '-, 0.001' });
		logAttempt(raw, line.id, { node: 'app-2', outcome: 'answered', status: 200 });
	}
	assert.deepEqual(edgesIn(raw).slice(1, 3), [
		['nginx', 'app-1', 520, 500, 20],
		['nginx', 'app-2', 500, 500, 0],
	]);
	assert.deepEqual(brokenIn(raw), []);
});

/** k6 counts so many good answers less than the tiers. */
const missing: (missing: number) => (raw: Raw) => void = (count) => (raw) => {
	raw.summary.metrics.lab_ok.values.count -= count;
	raw.summary.metrics.lab_finished.values.count -= count;
};

test('a check allows a thousandth, and no more', () => {
	assert.deepEqual(brokenChecks({}, missing(1)), []);
	assert.equal(brokenChecks({}, missing(2)).length, 2);
});

test('a tier that ended took the last lines of its record with it, and no more than those', () => {
	const lose =
		(count: number, ends = true) =>
		(raw: Raw) => {
			if (ends) endService(raw, 'app-1', 9);
			for (const row of raw.nodes['app-1'].slice(-3)) row.received -= count;
		};
	assert.deepEqual(brokenChecks({}, lose(200)), []);
	assert.equal(brokenChecks({}, lose(300)).length, 1);
	assert.equal(brokenChecks({}, lose(200, false)).length, 1);
});

test('a document that was taken away again was stored all the same', () => {
	assert.deepEqual(rowsIn(crudRecord()).at(-1), ['database', 'mongo', 1500, 450]);
});

test('a program and its store are all the tiers of its run, and its counts are checked by its scenario alone', () => {
	assert.deepEqual(rowsIn(programRecord()), [
		['generator', 'tchmttest', 4000, 4000],
		['database', 'tokyo', 4000, 4000],
	]);
	assert.deepEqual(checksIn(programRecord([{}, { stored: 1 }])), []);
});

test('without a database there is neither pool nor database, and no check of it', () => {
	const raw = poolsRecord();
	assert.deepEqual(rowsIn(raw), [
		['generator', 'k6', 1000, 1000],
		['app', 'app-1', 1000, 1000],
	]);
	assert.ok(checksIn(raw).every(({ statement, holds }) => holds && !statement.includes('MongoDB')));
});

test('a balancer that its adapter reads is the first hop, and its counts agree with those around it', () => {
	const raw = behindHaproxy(recordOf({ balanced: true }));
	assert.deepEqual(rowsIn(raw).slice(0, 3), [
		['generator', 'k6', 1000, 1000],
		['load-balancer', 'haproxy', 1000, 1000],
		['app', 'app-1', 500, 500],
	]);
	const statements = checksIn(raw).map(({ statement }) => statement);
	for (const statement of [
		'requests that k6 sent = requests that haproxy received + requests without a record there',
		'requests that haproxy sent = requests that app-1 received + requests without a record there',
		'successful answers of app-1, app-2 = those that haproxy received + those that haproxy had given up on',
	])
		assert.ok(statements.includes(statement), statement);
	assert.deepEqual(brokenIn(raw), []);
});

test('a connection of its that was made at a second try is one that the node has no record of', () => {
	const raw = behindHaproxy(recordOf({ balanced: true }), { '1-1': 1 });
	// The warm-up's last line is the first one.
	raw.attempts.set('1-1', [
		{ node: 'app-1', received: FROM + 0.4, ended: FROM + 0.5, outcome: 'answered', status: 200, error: '', place: '' },
	]);
	const [, toFirst] = edgesIn(raw);
	assert.deepEqual(toFirst, ['haproxy', 'app-1', 501, 500, 1]);
	assert.deepEqual(brokenIn(raw), []);
});

test('a balancer that was started again counts anew, and its log tells what it received', () => {
	const raw = recordOf({ balanced: true });
	raw.balancerStatus[2].requests = 700;
	assert.deepEqual(brokenIn(raw), [['requests that k6 sent = requests that nginx received + requests without a record there', -301, 1000]]);
	endService(raw, 'nginx', 4, { back: 5 });
	assert.deepEqual(brokenIn(raw), []);
	assert.equal(countsIn(raw)[1].received, 1000);
});

test('what the HTTP client of the generator sent again by itself is no difference between the two', () => {
	const again = (times: number[]) =>
		checksIn(
			Object.assign(recordOf({}), {
				nodes: Object.fromEntries(
					Object.entries(recordOf({}).nodes).map(([name, rows]) => [
						name,
						rows.map((row) => (row.t > FROM + 5 ? { ...row, received: row.received + 9 } : row)),
					]),
				),
				repeated: { 'app-1': times },
			}),
		).find(({ statement }) => statement.startsWith('requests that k6 sent'));
	const [before, load] = [FROM - 1, FROM + 5];
	const nine = new Array(9).fill(load);
	assert.equal(again([])?.holds, false);
	assert.equal(again(new Array(9).fill(before))?.holds, false);
	const check = again([...nine, before]);
	assert.equal(check?.statement, 'requests that k6 sent, also again, = requests that app-1 received + requests without a record there');
	assert.deepEqual([check?.left, check?.holds], [check?.right, true]);
});
