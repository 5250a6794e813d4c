import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerCases } from '../fixtures/answer-cases.js';
import { endService, ledgerOf, logError } from '../fixtures/record.js';

/** @param {import('../../define/result.js').Failure[]} rows */
const brief = (rows) => rows.map(({ tier, service, cause, count }) => [tier, service, cause, count]);

for (const { sentence, alone, answer, change, place } of answerCases) {
  test(`${alone ? '' : 'behind a balancer, '}${sentence}`, () => {
    const listed = answer.status !== 418;
    const { failures, unattributed } = ledgerOf(
      { balanced: !alone, answers: [{ ...answer, count: 6 }], ...(!listed && { statuses: { other: 6 } }) },
      change,
    );
    assert.deepEqual(brief(failures), [[...place, 6]]);
    assert.equal(unattributed, 0);
    assert.ok(failures[0].evidence.some((piece) => piece.kind === 'count' && piece.count === 6));
  });
}

test('a client that hung up was answered by nobody', () => {
  const { failures, unattributed } = ledgerOf({ balanced: true, answers: [{ status: 499, count: 3 }], statuses: {} });
  assert.deepEqual(failures, []);
  assert.equal(unattributed, 0);
});

test('an answer that k6 saw and no record holds stays unattributed', () => {
  for (const balanced of [true, false]) {
    const { failures, unattributed } = ledgerOf({ balanced, statuses: { 503: 8 } });
    assert.deepEqual(failures, []);
    assert.equal(unattributed, 8);
  }
});

test('of more answers than k6 waited for, its own count is shared out by what was recorded', () => {
  const answers = [
    { error: 'TypeError', count: 30 },
    { error: 'MongoServerError', count: 60 },
  ];
  const { failures, unattributed } = ledgerOf({ balanced: true, answers, statuses: { 500: 30 } });
  assert.deepEqual(brief(failures), [
    ['database', 'mongo', 'database-error', 20],
    ['app', 'app-1', 'app-error', 10],
  ]);
  assert.equal(unattributed, 0);
});

test('of fewer answers than k6 saw, the rest stays unattributed', () => {
  const { failures, unattributed } = ledgerOf({ balanced: true, answers: [{ error: 'TypeError', count: 5 }], statuses: { 500: 9 } });
  assert.deepEqual(brief(failures), [['app', 'app-1', 'app-error', 5]]);
  assert.equal(unattributed, 4);
});

test('errors of two nodes stand on two rows', () => {
  const answers = [
    { error: 'TypeError', count: 5 },
    { error: 'TypeError', node: 'app-2', count: 7 },
  ];
  assert.deepEqual(brief(ledgerOf({ balanced: true, answers }).failures), [
    ['app', 'app-2', 'app-error', 7],
    ['app', 'app-1', 'app-error', 5],
  ]);
});

test('a crash shows how the container ended and what the balancer said of it', () => {
  const story = { balanced: true, answers: [{ status: 502, connect_s: '-', upstream_status: '502', count: 2 }] };
  const [row] = ledgerOf(story, (raw) => {
    endService(raw, 'app-1', 4);
    logError(raw, [4, 5], 'connect() failed (111: Connection refused) while connecting to upstream');
  }).failures;
  assert.deepEqual(row.evidence, [
    { kind: 'count', source: 'balancer access log', text: 'HTTP 502 by the balancer, asking app-1', count: 2 },
    {
      kind: 'log',
      source: 'nginx error log',
      line: '[warn] connect() failed (111: Connection refused) while connecting to upstream',
      count: 2,
    },
    { kind: 'count', source: 'container state', text: 'app-1 had ended with exit code 137', count: 1 },
  ]);
});

test("a refused connection shows MongoDB's own counter, and a wait for the pool the failed checkouts", () => {
  const [refused] = ledgerOf({ answers: [{ error: 'MongoNetworkError' }] }, (raw) => {
    for (const row of raw.database.slice(-3)) row.connections = { ...row.connections, rejected: 12 };
  }).failures;
  assert.deepEqual(refused.evidence.at(-1), { kind: 'counter', source: 'mongod', name: 'connections refused', before: 0, after: 12 });
  const [waited] = ledgerOf({ answers: [{ error: 'MongoWaitQueueTimeoutError', count: 4 }] }, (raw) => {
    for (const row of raw.nodes['app-1'].slice(-3)) row.pool.failed = { timeout: 4 };
  }).failures;
  assert.deepEqual(waited.evidence.at(-1), { kind: 'count', source: 'pool events', text: 'failed checkouts', count: 4 });
});
