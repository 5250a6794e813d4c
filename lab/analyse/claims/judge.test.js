import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../../define/claims.js';
import { experiments } from '../../define/experiments.js';
import { planOf, runsOf } from '../fixtures/experiment-runs.js';
import { judgeClaim } from './judge.js';

const { arms } = experiments.doubling;
const pages = [{ base: '2a', other: '2a-tuned', href: 'pairs/2a-vs-2a-tuned/compare.html' }];
/** The balancer is guilty: as the lab found it. */
const BALANCER = {
  a: { goodput: 500, p95: 2700 },
  'a-lb': { goodput: 400, failed: 0.5, p95: 1800 },
  '2a': { goodput: 600, failed: 0.2, p95: 1000 },
  '2a-tuned': { goodput: 950, p95: 3000 },
  '2a-pool500': { goodput: 600, failed: 0.2, p95: 1000 },
};
/** The database is guilty: as the source has it. */
const DATABASE = /** @type {Record<string, import('../fixtures/experiment-runs.js').Figures>} */ ({
  a: { goodput: 500, p95: 2700 },
  'a-lb': { goodput: 500, p95: 2700 },
  '2a': { goodput: 800, failed: 0.2, tier: 'pool', p95: 1000 },
  '2a-tuned': { goodput: 800, failed: 0.2, tier: 'pool', p95: 1000 },
  '2a-pool500': { goodput: 950 },
});

/** @type {(figures: Record<string, import('../fixtures/experiment-runs.js').Figures>, repeats?: number) => Record<string, import('../../define/experiment-result.js').ClaimResult>} */
function judge(figures, repeats = 8) {
  const runs = runsOf(planOf({ arms, repeats }), figures);
  return Object.fromEntries(claimsOf('doubling').map((claim) => [claim.id, judgeClaim({ claim, runs, arms, pages, unlike: null })]));
}
const verdictsOf = (/** @type {ReturnType<typeof judge>} */ judged) =>
  Object.fromEntries(Object.entries(judged).map(([id, { verdict }]) => [id, verdict]));

test('where the balancer loses the requests, the accusation of MongoDB is refuted, by ledger and by relief', () => {
  const judged = judge(BALANCER);
  assert.deepEqual(verdictsOf(judged), { D1: 'REFUTED', D2: 'REFUTED', D3: 'REFUTED', D4: 'REFUTED', D5: 'REFUTED' });
  const { relief, evidence, quote } = judged.D3;
  assert.deepEqual(
    relief?.rows.map(({ tier, failures }) => [tier, failures]),
    [
      ['pool', 'stay'],
      ['load-balancer', 'gone'],
    ],
  );
  assert.equal(relief?.sentence, 'the connection pool relieved: failures stay (20.0 %); the load balancer relieved: failures gone (0.0 %)');
  assert.deepEqual(
    evidence.map(({ href }) => href),
    ['pairs/2a-vs-2a-tuned/compare.html'],
  );
  assert.doesNotMatch(quote, /[{}]/);
});

test('where the pool loses them, the same tests hold', () => {
  const judged = judge(DATABASE);
  assert.deepEqual(verdictsOf(judged), { D1: 'HOLDS', D2: 'HOLDS', D3: 'HOLDS', D4: 'HOLDS', D5: 'REFUTED' });
  assert.deepEqual(
    judged.D3.relief?.rows.map(({ failures }) => failures),
    ['gone', 'stay'],
  );
});

test('two blocks decide nothing', () => {
  const judged = judge(BALANCER, 2);
  assert.deepEqual(new Set(Object.values(verdictsOf(judged))), new Set(['INCONCLUSIVE']));
  assert.equal(judged.D1.quote, 'Not judged: 2 blocks have the figures, and a verdict needs 8.');
  assert.deepEqual(
    judged.D3.relief?.rows.map(({ failures }) => failures),
    ['INCONCLUSIVE', 'INCONCLUSIVE'],
  );
});

test('relief says that failures stay only where the whole interval says so, and nothing where none failed before', () => {
  const relief = (/** @type {number} */ before, /** @type {number} */ after) =>
    judge({ ...BALANCER, '2a': { failed: before }, '2a-pool500': { failed: after } }).D3.relief?.rows[0].failures;
  assert.equal(relief(0.2, 0.19), 'stay');
  assert.equal(relief(0.2, 0.05), 'fewer');
  assert.equal(relief(0.2, 0), 'gone');
  assert.equal(relief(0, 0), 'INCONCLUSIVE');
});

test('a claim of several tests says by which it is refuted', () => {
  const { D4 } = judge({ ...BALANCER, 'a-lb': { goodput: 500, p95: 3500 } });
  assert.equal(D4.verdict, 'REFUTED');
  assert.match(D4.quote, /Refuted by p95 of successes, a-lb over a: 1\.\d+ times/);
});

test('runs that are not there decide nothing and break nothing', () => {
  for (const claim of claimsOf('doubling'))
    assert.equal(judgeClaim({ claim, runs: [], arms, pages: [], unlike: null }).verdict, 'INCONCLUSIVE');
});

test('every sentence of every claim can be filled', () => {
  const runs = runsOf(planOf({ arms }), BALANCER);
  for (const claim of claimsOf('doubling'))
    for (const quote of Object.values(claim.quotes)) {
      const told = { ...claim, quotes: { HOLDS: quote, REFUTED: quote, INCONCLUSIVE: quote } };
      assert.doesNotMatch(judgeClaim({ claim: told, runs, arms, pages, unlike: null }).quote, /[{}]|undefined|NaN|nothing measured/);
    }
});

test('under another load than its own no claim is judged, however many blocks there are', () => {
  const runs = runsOf(planOf({ arms }), BALANCER);
  for (const claim of claimsOf('doubling')) {
    const { verdict, quote } = judgeClaim({ claim, runs, arms, pages, unlike: 'the load smoke' });
    assert.deepEqual([verdict, quote], ['INCONCLUSIVE', 'Not judged: the claim is not about the load smoke.']);
  }
});
