import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, healthyResult, invalidResult } from './fixtures/results.js';
import { FORMATS } from './format.js';
import { renderIndex } from './report-index.js';

/** @type {(result: import('../record/types.js').Result) => import('./report-index.js').IndexRow} */
const rowOf = (result) => ({ ...result, href: `${result.run}/report.html` });

test('runs are listed newest first with links to their reports', () => {
  const page = renderIndex({ runs: [invalidResult(), healthyResult(), failingResult()].map(rowOf), experiments: [], findings: null });
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  assert.deepEqual(links, [
    `./${failingResult().run}/report.html`,
    `./${invalidResult().run}/report.html`,
    `./${healthyResult().run}/report.html`,
  ]);
});

test('a row says what ran, whether to trust it, and what came out', () => {
  const result = invalidResult();
  const page = renderIndex({ runs: [rowOf(result)], experiments: [], findings: null });
  for (const expected of [
    'two nodes behind Nginx',
    `smoke, ${result.budget}, cut short`,
    'INVALID',
    ...['throughput_rps', 'goodput_rps'].map((id) => FORMATS.rps(Reflect.get(result.metrics, id))),
    FORMATS.ms(result.metrics.latency_ms.ok.p95),
    FORMATS.share(result.metrics.failure_rate),
    '2026-11-22 07:00 UTC',
    'lost at the load balancer',
  ]) {
    assert.ok(page.includes(expected), expected);
  }
});

test('what a run says is text, not markup', () => {
  const page = renderIndex({
    runs: [{ ...rowOf(healthyResult()), headline: '<img src=x onerror=alert(1)>', href: 'javascript:alert(1)' }],
    experiments: [],
    findings: null,
  });
  assert.ok(!page.includes('<img'));
  assert.ok(page.includes('href="./javascript:alert(1)"'));
});

test('an empty list says how to fill it', () => {
  assert.match(renderIndex({ runs: [], experiments: [], findings: null }), /make run-a/);
});

/** @type {import('./report-index.js').ExperimentRow} */
const EXPERIMENT = {
  kind: 'experiment',
  href: 'doubling/20260314T040000Z-1a2b/experiment.html',
  id: 'doubling/20260314T040000Z-1a2b',
  title: 'Two servers instead of one',
  started: '2026-03-14T04:00:00Z',
  sentence: 'The database is cleared.',
  stamps: [
    { label: 'D1', word: 'HOLDS' },
    { label: 'D3', word: 'REFUTED' },
  ],
  blocks: { complete: 7, wanted: 8 },
};
/** @type {import('./report-index.js').ExperimentRow} */
const COMPARISON = {
  ...EXPERIMENT,
  kind: 'comparison',
  href: 'compare/20260315T040000Z-3c4d/compare.html',
  id: 'compare/20260315T040000Z-3c4d',
  title: '2a against 2a-tuned',
  started: '2026-03-15T04:00:00Z',
  stamps: [{ label: '2a-tuned', word: 'better' }],
};

test('experiments and comparisons stand above the runs, newest first', () => {
  const page = renderIndex({ runs: [rowOf(invalidResult())], experiments: [EXPERIMENT, COMPARISON], findings: null });
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  assert.deepEqual(links, [`./${COMPARISON.href}`, `./${EXPERIMENT.href}`, `./${invalidResult().run}/report.html`]);
});

test('an experiment says what it found, which claims stood, and on how many blocks it rests', () => {
  const page = renderIndex({ runs: [], experiments: [EXPERIMENT], findings: null });
  assert.match(
    page,
    /The database is cleared\..*<b>D1<\/b> <span class="stamp holds small">.*<b>D3<\/b> <span class="stamp refuted small">.*7 of 8/s,
  );
});

test('what an experiment says is text, not markup', () => {
  const attack = '<img src=x onerror=alert(1)>';
  const page = renderIndex({
    runs: [],
    experiments: [
      {
        ...EXPERIMENT,
        title: attack,
        sentence: attack,
        id: attack,
        stamps: [{ label: attack, word: attack }],
        href: 'javascript:alert(1)',
      },
    ],
    findings: { href: 'javascript:alert(1)', headline: attack },
  });
  assert.ok(!page.includes('<img'));
  assert.equal(page.match(/href="\.\/javascript:alert\(1\)"/g)?.length, 2);
});

test('the findings come first, where there are any', () => {
  const findings = { href: 'all/20260316T040000Z-5e6f/findings.html', headline: 'Of 5 claims 1 holds here and 4 are refuted.' };
  const page = renderIndex({ runs: [rowOf(healthyResult())], experiments: [EXPERIMENT], findings });
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  assert.equal(links[0], `./${findings.href}`);
  assert.ok(page.includes(findings.headline));
  assert.doesNotMatch(renderIndex({ runs: [], experiments: [], findings: null }), /<p class="findings-link">/);
});
