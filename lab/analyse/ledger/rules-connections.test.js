import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionCases } from '../fixtures/connection-cases.js';
import { endService, factsOf, ledgerOf, logError, recordOf } from '../fixtures/record.js';
import { OpenFailures } from './open-failures.js';
import { connectionRules } from './rules-connections.js';

/** @param {{ tier: string, service: string, cause: string, count: number }[]} rows */
const brief = (rows) => rows.map(({ tier, service, cause, count }) => [tier, service, cause, count]);
const ruleOf = (/** @type {string} */ id) =>
  /** @type {import('./rules-connections.js').Rule} */ (connectionRules.find((rule) => rule.id === id));

for (const { rule, sentence, story, change, takes } of connectionCases) {
  test(`the rule ${rule} ${sentence}`, () => {
    const raw = recordOf(story);
    change?.(raw);
    const facts = factsOf(raw);
    const open = new OpenFailures(facts);
    const placements = ruleOf(rule).place(open, facts);
    assert.deepEqual(brief(placements), takes);
    const taken = takes.reduce((total, [, , , count]) => total + count, 0);
    assert.equal(open.ofKinds(Object.keys({ ...story.kinds, ...story.late })), facts.generator.failed - taken);
    for (const { evidence } of placements) assert.ok(evidence.length > 0);
  });
}

test('each rule has a case that it takes and one that it leaves', () => {
  for (const { id } of connectionRules) {
    const cases = connectionCases.filter(({ rule }) => rule === id);
    assert.ok(
      cases.some(({ takes }) => takes.length > 0),
      id,
    );
    assert.ok(
      cases.some(({ takes }) => takes.length === 0),
      id,
    );
  }
});

test('a connection that broke for no reason that a record shows stays unattributed', () => {
  for (const balanced of [true, false]) {
    const { failures, unattributed } = ledgerOf({ balanced, kinds: { eof: { 3: 4 }, reset: { 4: 2 }, other: { 4: 1 } } });
    assert.deepEqual(failures, []);
    assert.equal(unattributed, 7);
  }
});

test('what a dead balancer lost is not taken again by a full table of the same moment', () => {
  const { failures, unattributed } = ledgerOf({ balanced: true, kinds: { eof: { 3: 40, 8: 10 } } }, (raw) => {
    endService(raw, 'nginx', 7, { back: 8 });
    logError(raw, [7], '1024 worker_connections are not enough, reusing connections');
  });
  assert.deepEqual(brief(failures), [['load-balancer', 'nginx', 'balancer-down', 10]]);
  assert.equal(unattributed, 40);
});

test('the full table shows the log line, what was sent and what the balancer saw of it', () => {
  const [row] = ledgerOf({ balanced: true, kinds: { eof: { 4: 40 } } }, (raw) =>
    logError(raw, [3, 4], '1024 worker_connections are not enough, reusing connections'),
  ).failures;
  assert.deepEqual(row.evidence, [
    { kind: 'log', source: 'nginx error log', line: '[warn] 1024 worker_connections are not enough, reusing connections', count: 2 },
    { kind: 'count', source: 'k6 metrics', text: 'requests that k6 finished', count: 1040 },
    { kind: 'count', source: 'balancer access log', text: 'requests of the load that the balancer logged', count: 1000 },
  ]);
});
