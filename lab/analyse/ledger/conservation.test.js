import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { logAttempt } from '../fixtures/record-requests.js';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.js';
import { logLine, waited } from '../fixtures/tell.js';
import { checksOf, edgesOf, hopCounts } from './conservation.js';
import { placeAll } from './ledger.js';

/** @param {import('../fixtures/story.js').Story} story @param {(raw: import('../read-raw.js').Raw) => void} [change] */
function brokenChecks(story, change) {
  const raw = recordOf(story);
  change?.(raw);
  return brokenIn(raw);
}

/** @param {import('../read-raw.js').Raw} raw */
const brokenIn = (raw) =>
  checksIn(raw)
    .filter(({ holds }) => !holds)
    .map(({ statement, left, right }) => [statement, left, right]);

/** @param {import('../read-raw.js').Raw} raw */
function checksIn(raw) {
  const facts = factsOf(raw);
  return checksOf(facts, placeAll(facts));
}

/** @param {import('../read-raw.js').Raw} raw */
function edgesIn(raw) {
  const facts = factsOf(raw);
  return edgesOf(facts, placeAll(facts)).map(({ from, to, sent, received, unseen }) => [from, to, sent, received, unseen]);
}

/** @param {import('../read-raw.js').Raw} raw */
const rowsIn = (raw) => hopCounts(factsOf(raw)).map(({ tier, service, received, answered_ok: ok }) => [tier, service, received, ok]);

test('every tier of a healthy run counts the same requests by its own record, the warm-up not among them', () => {
  const counts = hopCounts(factsOf(recordOf({ balanced: true })));
  assert.deepEqual(
    counts.map(({ service, source, received, answered_ok: ok, answered_error: error, aborted }) => [service, source, received, ok, error, aborted]),
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
  const received = () => hopCounts(factsOf(raw))[1].received;
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
    ['k6: each failed request is named', 30, 40],
    ['what k6 sent, nginx received or has no record of', 1030, 1040],
  ]);
});

test('a checkout that failed was refused by the pool', () => {
  const raw = recordOf({ answers: [{ error: 'MongoWaitQueueTimeoutError', count: 5 }] });
  for (const row of raw.nodes['app-1'].slice(-3)) row.pool.failed = { timeout: 5 };
  const pool = hopCounts(factsOf(raw)).find(({ tier }) => tier === 'pool');
  assert.deepEqual([pool?.received, pool?.answered_ok, pool?.answered_error], [2005, 2000, 5]);
});

test('errors that tiers answered break no check', () => {
  const answers = [
    { error: 'TypeError', count: 30 },
    { status: 502, connect_s: '-', count: 20 },
    { status: 500, node: null, count: 10 },
  ];
  assert.deepEqual(brokenChecks({ balanced: true, answers }), []);
  assert.deepEqual(brokenChecks({ answers: answers.slice(0, 1) }), []);
});

test('an answer that k6 never got breaks the check between k6 and the balancer', () => {
  assert.deepEqual(
    brokenChecks({ balanced: true }, (raw) => {
      raw.summary.metrics.lab_ok.values.count = 990;
      raw.summary.metrics.lab_finished.values.count = 990;
    }),
    [["the balancer's good answers are k6's", 1000, 990]],
  );
});

test('a failure that k6 counted as neither good nor failed breaks its own check', () => {
  const [broken] = brokenChecks({}, (raw) => {
    raw.summary.metrics.lab_finished.values.count = 1010;
  });
  assert.deepEqual(broken, ['k6: good and failed answers are all the finished requests', 1000, 1010]);
});

test('a request that a node never saw breaks the checks between balancer and nodes', () => {
  const statements = brokenChecks({ balanced: true }, (raw) => {
    for (const row of raw.nodes['app-2'].slice(-3)) {
      row.received -= 20;
      row.answered['2xx'] -= 20;
    }
  }).map(([statement]) => statement);
  assert.deepEqual(statements, [
    "the nodes' good answers are the balancer's",
    'the nodes received what the balancer passed on',
    'MongoDB inserted one document for each good answer',
  ]);
});

test('what a node gave the balancer no answer to may have been received by it, or not', () => {
  const late = { status: 504, upstream_status: '504', connect_s: '0.001', count: 300 };
  const receive = (/** @type {number} */ more) => (/** @type {import('../read-raw.js').Raw} */ raw) => {
    for (const row of raw.nodes['app-1'].slice(-3)) row.received += more;
  };
  for (const more of [0, 200, 300]) assert.deepEqual(brokenChecks({ balanced: true, answers: [late] }, receive(more)), []);
  assert.deepEqual(
    brokenChecks({ balanced: true, answers: [{ ...late, connect_s: '-' }] }, receive(200)).map(([statement]) => statement),
    ['the nodes received what the balancer passed on'],
  );
});

test('a request that a second node answered was received by it alone when the first could not be connected to', () => {
  const retried = {
    status: 200,
    upstream: '10.0.0.1:3000, 10.0.0.2:3000',
    upstream_status: '502, 200',
    connect_s: '-, 0.001',
    count: 20,
    node: null,
  };
  const change = (/** @type {import('../read-raw.js').Raw} */ raw) => {
    for (const row of raw.nodes['app-2'].slice(-3)) row.received += 20;
  };
  const statements = brokenChecks({ balanced: true, answers: [retried], statuses: {} }, change).map(([statement]) => statement);
  assert.ok(!statements.includes('the nodes received what the balancer passed on'));
});

test('what k6 had from a node is compared with what the node answered', () => {
  const had = (/** @type {number} */ count) => (/** @type {import('../read-raw.js').Raw} */ raw) => {
    raw.summary.metrics.lab_node_app_1 = { values: { count } };
  };
  assert.deepEqual(brokenChecks({ balanced: true }, had(500)), []);
  assert.deepEqual(brokenChecks({ balanced: true }, had(480)), [['what k6 had from app-1 is what it answered', 480, 500]]);
});

test('a document that MongoDB inserted and lost breaks the last check', () => {
  assert.deepEqual(
    brokenChecks({}, (raw) => {
      raw.database[raw.database.length - 1].documents_exact -= 5;
    }),
    [['MongoDB stored what it inserted', 995, 1000]],
  );
});

test('a check allows a thousandth, and what was under way when the load ended', () => {
  const change = (/** @type {number} */ missing, /** @type {number} */ unfinished) => (/** @type {import('../read-raw.js').Raw} */ raw) => {
    for (const name of ['lab_ok', 'lab_finished', 'lab_started']) raw.summary.metrics[name].values.count -= missing;
    raw.summary.metrics.lab_started.values.count += unfinished;
  };
  assert.deepEqual(brokenChecks({}, change(1, 0)), []);
  assert.equal(brokenChecks({}, change(2, 0)).length, 1);
  assert.deepEqual(brokenChecks({}, change(4, 3)), []);
});

test('a database that kept no record is in no check', () => {
  const raw = recordOf();
  raw.database = [];
  assert.ok(checksOf(factsOf(raw)).every(({ statement }) => !statement.includes('MongoDB')));
  assert.deepEqual(writesOf(factsOf(raw)), { acknowledged: 1000, persisted: null, unacknowledged: null, lost: null, duplicated: null });
});

test('without ids, lost writes and ghosts are told by count alone, and duplicates are not known', () => {
  const persisted = (/** @type {number} */ more) => {
    const raw = recordOf();
    raw.database[raw.database.length - 1].documents_exact += more;
    return writesOf(factsOf(raw));
  };
  assert.deepEqual(persisted(0), { acknowledged: 1000, persisted: 1000, unacknowledged: 0, lost: 0, duplicated: null });
  assert.deepEqual(persisted(3), { acknowledged: 1000, persisted: 1003, unacknowledged: 3, lost: 0, duplicated: null });
  assert.deepEqual(persisted(-3), { acknowledged: 1000, persisted: 997, unacknowledged: 0, lost: 3, duplicated: null });
});

test('with ids, a lost write, a ghost and a duplicate are each found among 30,000, where counts alone would agree', () => {
  const ids = Array.from({ length: IDS }, (_, index) => `${index % 2000}-${Math.floor(index / 2000)}`);
  const stored = [...ids.slice(2), 'ghost-1', ids[7]].toReversed();
  assert.equal(stored.length, ids.length);
  assert.deepEqual(writesById(ids, stored), { acknowledged: IDS, persisted: IDS - 1, unacknowledged: 1, lost: 2, duplicated: 1 });
  assert.deepEqual(writesById(ids, ids), { acknowledged: IDS, persisted: IDS, unacknowledged: 0, lost: 0, duplicated: 0 });
});

test('the ids are used when the run recorded them', () => {
  const raw = recordOf();
  Object.assign(raw, { acknowledgedIds: ['1-0', '1-1'], documentIds: ['1-0', '1-0', '2-0'] });
  assert.equal(writesOf(factsOf(raw)).duplicated, null);
  raw.manifest.integrity = true;
  assert.deepEqual(writesOf(factsOf(raw)), { acknowledged: 2, persisted: 2, unacknowledged: 1, lost: 1, duplicated: 1 });
});

test('where not every answer leaves a document, inserts are compared with the creates alone', () => {
  assert.deepEqual(brokenIn(crudRecord()), []);
  const raw = crudRecord();
  raw.summary.metrics.lab_created.values.count = 440;
  assert.deepEqual(brokenIn(raw), [['MongoDB inserted one document for each good answer to a create', 450, 440]]);
});

test('what MongoDB deleted is compared with the deletes that were answered well', () => {
  const raw = crudRecord();
  raw.summary.metrics.lab_deleted.values.count = 140;
  assert.deepEqual(brokenIn(raw), [['MongoDB deleted one document for each good answer to a delete', 150, 140]]);
  raw.summary.metrics.lab_started.values.count += 10;
  assert.deepEqual(brokenIn(raw), []);
});

test('a create that k6 no longer waited for may have been inserted all the same', () => {
  const raw = crudRecord();
  raw.summary.metrics.lab_created.values.count = 445;
  raw.summary.metrics.lab_started.values.count += 5;
  assert.deepEqual(brokenIn(raw), []);
});

test('what is stored is what was inserted less what was deleted', () => {
  const raw = crudRecord();
  raw.database[raw.database.length - 1].documents_exact -= 5;
  assert.deepEqual(brokenIn(raw), [['MongoDB stored what it inserted, less what it deleted', 295, 300]]);
});

test('a document that was taken away again was stored all the same', () => {
  assert.deepEqual(rowsIn(crudRecord()).at(-1), ['database', 'mongo', 450, 450]);
  assert.deepEqual(writesOf(factsOf(crudRecord())), { acknowledged: 450, persisted: 450, unacknowledged: 0, lost: 0, duplicated: null });
  const raw = crudRecord();
  raw.database[raw.database.length - 1].documents_exact -= 5;
  assert.equal(writesOf(factsOf(raw)).lost, 5);
});

test('a program and its store are all the tiers of its run, and its counts are checked by its scenario alone', () => {
  assert.deepEqual(rowsIn(programRecord()), [
    ['generator', 'tchmttest', 4000, 4000],
    ['database', 'tokyo', 4000, 4000],
  ]);
  assert.deepEqual(checksOf(factsOf(programRecord([{}, { stored: 1 }]))), []);
});

test("a program's writes are those of writers that ended well, and what their files hold", () => {
  const writes = (/** @type {Parameters<typeof programRecord>} */ ...given) => writesOf(factsOf(programRecord(...given)));
  assert.deepEqual(writes(), { acknowledged: 4000, persisted: 4000, unacknowledged: 0, lost: 0, duplicated: null });
  assert.equal(writes([{}, { stored: 1990 }]).lost, 10);
  assert.equal(writes([{}, { exit_code: 1 }]).unacknowledged, 2000);
});

test('without a database there is neither pool nor database, no check of it, and nothing is known of writes', () => {
  const raw = poolsRecord();
  assert.deepEqual(rowsIn(raw), [
    ['generator', 'k6', 1000, 1000],
    ['app', 'app-1', 1000, 1000],
  ]);
  assert.ok(checksOf(factsOf(raw)).every(({ statement, holds }) => holds && !statement.includes('MongoDB')));
  assert.deepEqual(writesOf(factsOf(raw)), { acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null });
});
