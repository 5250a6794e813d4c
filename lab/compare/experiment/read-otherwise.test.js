import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLES, EXPERIMENT_RECORD, RECORD } from '../../base/paths.js';
import { readExcerpt } from '../../record/excerpt-file.js';
import { experimentFixture } from '../../report/fixtures/experiments.js';
import { keptRuns } from './kept-runs.js';
import { readOtherwise } from './read-otherwise.js';

/** @param {string} id of a stored experiment */
async function stored(id) {
  const records = await readExcerpt(join(EXAMPLES, id));
  const plan = records[RECORD.manifest];
  return readOtherwise(records[EXPERIMENT_RECORD.result], plan.claims, keptRuns(plan, records));
}

test('the page of a stored experiment says which of its claims come out otherwise today, under its own load', async () => {
  const otherwise = await stored('doubling');
  assert.deepEqual(
    otherwise.map(({ id, registered, verdict }) => [id, registered, verdict]),
    [
      ['D1a', 'HOLDS', 'REFUTED'],
      ['D2', 'REFUTED', 'HOLDS'],
      ['D2b', 'REFUTED', 'INCONCLUSIVE'],
      ['D4', 'REFUTED', 'INCONCLUSIVE'],
      ['D5c', 'REFUTED', 'HOLDS'],
    ],
  );
  assert.ok(otherwise.every(({ changed, sentence }) => changed && sentence));
});

test('what does not carry over is said on its own page too, from the runs that were kept with it', async () => {
  const [w1, ...others] = await stored('workers');
  assert.deepEqual([w1.id, w1.verdict, others.length], ['W1', 'DOES NOT CARRY OVER', 0]);
  assert.match(w1.changed ?? '', /^Its bottleneck: mongo was held to 0\.30 cores/);
});

test('a record that was judged by the rules and the claims of today says nothing', () => {
  assert.deepEqual(readOtherwise(experimentFixture()), []);
  assert.deepEqual(readOtherwise({ ...experimentFixture(), experiment: 'in no table' }), []);
});
