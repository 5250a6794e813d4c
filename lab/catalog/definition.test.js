import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from './claims.js';
import { definitionOf, judgedUnder } from './definition.js';
import { experiments } from './experiments.js';

test('a plan is judged by the definition that it keeps, whatever the table says today', () => {
  const kept = { ...experiments.workers, load: 'another', claims: [] };
  assert.equal(definitionOf({ experiment: 'workers', claims: [], definition: kept })?.load, 'another');
});

test('a plan from before definitions were kept falls back to the table, with its own claims', () => {
  const claims = claimsOf('workers').slice(0, 1);
  const definition = definitionOf({ experiment: 'workers', claims });
  assert.deepEqual([definition?.load, definition?.claims], ['workers', claims]);
  assert.equal(definitionOf({ experiment: 'compare', claims: [] }), null);
});

test('the own condition answers every claim, and another load has the own budget unless it names one', () => {
  assert.deepEqual(
    judgedUnder({
      load: 'ramp',
      judged_under: [
        { load: 'calm', claims: ['D2'] },
        { load: 'ramp', budget: 'none', claims: ['D3'] },
      ],
    }),
    [
      { load: 'ramp', budget: 'fair', claims: null },
      { budget: 'fair', load: 'calm', claims: ['D2'] },
      { budget: 'none', load: 'ramp', claims: ['D3'] },
    ],
  );
});

test('what other conditions can answer are claims that there are', () => {
  for (const [id, table] of Object.entries(experiments)) {
    const ids = claimsOf(id).map((claim) => claim.id);
    for (const { claims } of judgedUnder(table)) for (const claim of claims ?? []) assert.ok(ids.includes(claim), `${id}: ${claim}`);
  }
});
