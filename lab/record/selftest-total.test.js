import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confusions, totalByCause, totalByFault, totalOf } from './selftest-total.js';

/** @type {(fault: string, pairs: [string, string, number, boolean][], more?: Partial<import('./selftest-score.js').Score>) => import('./selftest-score.js').Score} */
const score = (fault, pairs, more = {}) => {
  const sum = (/** @type {[string, string, number, boolean][]} */ rows) => rows.reduce((total, [, , count]) => total + count, 0);
  return {
    fault,
    run: 'a/1',
    requests: 1000,
    failures: sum(pairs),
    right_tier: sum(pairs.filter(([one, other]) => one.split(':')[0] === other.split(':')[0])),
    right: sum(pairs.filter(([, , , right]) => right)),
    unattributed: sum(pairs.filter(([, found]) => found === 'unattributed')),
    where: { proved: sum(pairs) },
    why: { timed: sum(pairs) },
    pairs: pairs.map(([expected, found, count, right]) => ({ expected, found, count, right })),
    misses: [],
    ...more,
  };
};
const SCORES = [
  score('one', [
    ['app: x', 'app: x', 96, true],
    ['app: x', 'app: y', 4, false],
  ]),
  score('one', [
    ['app: x', 'app: x', 90, true],
    ['app: x', 'unattributed', 10, false],
  ]),
  score('two', [['app: y', 'app: y', 10, true]]),
];

test('a fault is judged by all its runs together: 95 % of its failed requests', () => {
  const [one, two] = totalByFault(SCORES);
  assert.deepEqual([one.runs, one.failures, one.right, one.unattributed, one.passed], [2, 200, 186, 10, false]);
  assert.equal(two.passed, true);
  assert.equal(totalByFault([SCORES[0]])[0].passed, true);
});

test('a miss in one run fails the fault', () => {
  const [one] = totalByFault([SCORES[0], score('one', [], { misses: ['no bottleneck'] })]);
  assert.deepEqual([one.passed, one.misses], [false, ['no bottleneck']]);
});

test('over all, each request counts alike, and beside it each fault', () => {
  const total = totalOf(SCORES);
  assert.deepEqual([total.faults, total.passed, total.runs, total.failures], [2, 1, 3, 210]);
  assert.equal(total.right_share, 196 / 210);
  assert.equal(total.right_share_by_fault, (186 / 200 + 1) / 2);
  assert.equal(total.unattributed_share, 10 / 210);
  assert.deepEqual(total.where, { proved: 1, timed: 0, counted: 0, inferred: 0 });
  const half = totalOf([
    score(
      'one',
      [
        ['app: x', 'app: x', 5, true],
        ['app: x', 'unattributed', 5, false],
      ],
      { where: { proved: 5 } },
    ),
  ]);
  assert.equal(half.where.proved, 0.5);
});

test('a cause has the share of what was found there that is its own, and of its own that was found', () => {
  const causes = Object.fromEntries(totalByCause(SCORES).map((cause) => [cause.label, cause]));
  assert.deepEqual(Object.keys(causes), ['app: x', 'app: y']);
  assert.deepEqual([causes['app: x'].are, causes['app: x'].found], [200, 186]);
  assert.deepEqual([causes['app: x'].precision, causes['app: x'].recall], [1, 0.93]);
  assert.deepEqual([causes['app: y'].precision, causes['app: y'].recall], [10 / 14, 1]);
});

test('what was taken for something else is counted over all runs, most first', () => {
  assert.deepEqual(
    confusions([...SCORES, SCORES[0]]).map(({ found, count }) => [found, count]),
    [
      ['unattributed', 10],
      ['app: y', 8],
    ],
  );
});

test('without a failed request there are no shares', () => {
  const total = totalOf([score('healthy', [])]);
  assert.deepEqual([total.right_share, total.right_share_by_fault, total.passed], [null, null, 1]);
});

test('a fault by which nothing could be judged is counted neither as right nor as wrong', () => {
  const skipped = score('three', [], { skipped: 'psql is not there' });
  assert.deepEqual(totalByFault([...SCORES, skipped]), totalByFault(SCORES));
  const { faults, runs } = totalOf([...SCORES, skipped]);
  assert.deepEqual([faults, runs], [2, 3]);
});

test('a fault has the advice of its runs once, and how its requests are known', () => {
  const advised = score('one', [['app: x', 'app: x', 4, true]], { advice: ['watch it'], where: { proved: 3, timed: 1 } });
  const [total] = totalByFault([advised, advised]);
  assert.deepEqual([total.advice, total.where.proved, total.where.timed, total.where.inferred], [['watch it'], 6, 2, 0]);
});
