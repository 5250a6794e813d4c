import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skippedScore } from '../record/selftest-score.js';
import { selftestRecord } from './fixtures/selftest.js';
import { scoreTable } from './selftest-terminal.js';

const { scores } = selftestRecord();
const tableOf = (/** @type {import('../record/selftest-score.js').Score[]} */ all) =>
  scoreTable(all).map((line) => line.replaceAll('\u00a0', ' '));

test('each fault has a line: right or wrong, how many failed, how many are right, and how that is known', () => {
  const lines = tableOf(scores);
  assert.match(lines[0], /^ +fault +failed +right +unattr\. +how it is known$/);
  assert.match(
    String(lines.find((line) => line.includes('app-errors'))),
    /^✓ right +app-errors +40 +100 % +0 +where proved 100 %; why timed 100 %$/,
  );
  assert.match(
    String(lines.find((line) => line.includes('app-killed'))),
    /^✗ WRONG +app-killed +100 +90 % +0 +where proved 90 %, inferred 10 %/,
  );
});

test('below what is wrong it is said why, and what would let the ledger say more', () => {
  const lines = tableOf([{ ...scores[2], advice: ['watch it'] }]);
  assert.deepEqual(lines.slice(2), ['    10 of app: app-crashed taken for load-balancer: balancer-down', '    watch it']);
  assert.ok(!tableOf([{ ...scores[1], advice: ['watch it'] }]).includes('    watch it'));
});

test('a fault by which nothing can be judged is told apart, with the reason', () => {
  const lines = tableOf([scores[1], skippedScore('db.locked', 'psql is not there')]);
  assert.match(lines[2], /^– skipped +db\.locked +psql is not there$/);
});

test('columns stand one below the other, over all faults of the test', () => {
  const wide = scoreTable([scores[1]], ['app-errors', 'x'.repeat(40)]);
  const at = wide[0].indexOf('failed') + 'failed'.length;
  assert.equal(wide[1].slice(at - 2, at), '40');
});
