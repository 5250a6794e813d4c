import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../../define/claims.js';
import { experiments } from '../../define/experiments.js';
import { published } from '../../define/published.js';
import { planOf, runsOf } from '../fixtures/experiment-runs.js';
import { judgeClaim } from './judge.js';

/** @typedef {import('../fixtures/experiment-runs.js').Figures} Figures */

/** @type {(experiment: string, figures: Record<string, Figures>) => Record<string, import('../../define/experiment-result.js').ClaimResult>} */
function judge(experiment, figures) {
  const { arms } = experiments[experiment];
  const runs = runsOf(planOf({ arms }), figures);
  return Object.fromEntries(claimsOf(experiment).map((claim) => [claim.id, judgeClaim({ claim, runs, arms, pages: [], unlike: null })]));
}
/** @type {(judged: ReturnType<typeof judge>) => Record<string, string>} */
const verdictsOf = (judged) => Object.fromEntries(Object.entries(judged).map(([id, { verdict }]) => [id, verdict]));

/** By the lab's measure, of the source's own databases. */
const SOURCE_SPREAD = (62_589 - 61_109) / 61_968;
/** Claims that the source's own figures do not bear out. */
const MISSED = ['W3'];

/** What each source reports, as if the lab had measured it; what it does not report is made up to fit. */
const AS_PUBLISHED = /** @type {Record<string, Record<string, Figures>>} */ ({
  batching: {
    ...Object.fromEntries(
      ['1', '2', '3'].map((workers) => {
        const { throughput_ops, batch_size_mean } = published.batching.runs[workers];
        return [`batched-${workers}`, { goodput: throughput_ops, own: { batch_size_mean } }];
      }),
    ),
    'single-1': { goodput: 200, own: { batch_size_mean: 1 } },
    'single-3': { goodput: 180, own: { batch_size_mean: 1 } },
    'sold-out': { goodput: 100, failed: 0.8, tier: 'app', own: { batch_size_mean: 3 } },
  },
  workers: Object.fromEntries(
    ['5', '8', '10', '12', '15', '20', '40'].map((workers) => {
      const { throughput_ops, latency_ms } = published.workers.runs[Number(workers) < 20 ? '10' : '20'];
      const own = Object.fromEntries(
        Object.keys(latency_ms).map((operation) => [`latency_ms_p95_${operation}`, latency_ms[operation].p95]),
      );
      return [`workers-${workers}`, { goodput: throughput_ops, own: { ...own, database_spread: workers === '20' ? SOURCE_SPREAD : 0.01 } }];
    }),
  ),
  writers: {
    'threads-1': { goodput: 41_000 },
    'threads-2': { goodput: 41_000 },
    ...Object.fromEntries(
      Object.entries(published.writers.runs).map(([threads, { throughput_inserts_per_s: goodput }]) => [`threads-${threads}`, { goodput }]),
    ),
    ...Object.fromEntries(['2', '4', '8', '10'].map((files) => [`files-${files}`, { goodput: 41_000 * 1.8 }])),
  },
  pools: {
    ...Object.fromEntries(Object.entries(published.pools.runs).map(([variant, { throughput_rps: goodput }]) => [variant, { goodput }])),
    'sync-pooled-tuned-started': { goodput: 58 },
    'hash-unpooled': { goodput: 10 },
    'hash-pooled': { goodput: 60 },
  },
});

for (const [experiment, figures] of Object.entries(AS_PUBLISHED)) {
  test(`figures as the source of ${experiment} reports them bear its claims out, but for those that they miss`, () => {
    for (const [id, verdict] of Object.entries(verdictsOf(judge(experiment, figures))))
      assert.equal(verdict, MISSED.includes(id) ? 'REFUTED' : 'HOLDS', id);
  });

  test(`every sentence of the claims of ${experiment} can be filled`, () => {
    const { arms } = experiments[experiment];
    const runs = runsOf(planOf({ arms }), figures);
    for (const claim of claimsOf(experiment))
      for (const quote of Object.values(claim.quotes)) {
        const told = { ...claim, quotes: { HOLDS: quote, REFUTED: quote, INCONCLUSIVE: quote } };
        const { quote: sentence, measured } = judgeClaim({ claim: told, runs, arms, pages: [], unlike: null });
        for (const text of [sentence, ...measured.map((figure) => figure.text)])
          assert.doesNotMatch(text, /[{}]|undefined|NaN|nothing measured/, `${claim.id}: ${text}`);
      }
  });
}

test('claims whose figures are the other way round are refuted', () => {
  const swapped = {
    ...AS_PUBLISHED.batching,
    'batched-1': AS_PUBLISHED.batching['batched-3'],
    'batched-3': AS_PUBLISHED.batching['batched-1'],
  };
  assert.deepEqual(verdictsOf(judge('batching', swapped)), { B1: 'REFUTED', B2: 'REFUTED', B3: 'HOLDS' });
});

test('a share that an arm has by itself is held against its threshold', () => {
  const uneven = Object.fromEntries(
    Object.entries(AS_PUBLISHED.workers).map(([arm, figures]) => [arm, { ...figures, own: { ...figures.own, database_spread: 0.1 } }]),
  );
  const { W1, W3 } = judge('workers', uneven);
  assert.deepEqual([W1.verdict, W3.verdict], ['HOLDS', 'REFUTED']);
  assert.deepEqual([W3.tests[0].scale, W3.tests[0].blocks], ['share', 8]);
});

test('a shorter load of the same kind is judged too, where the experiment says so', () => {
  assert.deepEqual(experiments.workers.judged_under, [{ load: 'brief', claims: ['W1', 'W2'] }]);
});

test('no noticeable impact is refuted by a loss as well as by a gain', () => {
  for (const goodput of [10, 70])
    assert.equal(judge('pools', { ...AS_PUBLISHED.pools, 'sync-pooled-tuned': { goodput } }).P4.verdict, 'REFUTED');
});
