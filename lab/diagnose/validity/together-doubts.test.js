import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING, runJudged } from '../fixtures/judged.js';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.js';

/** @param {{ late?: number, endedBefore?: number, exitCode?: number }} [second] */
const together = ({ late = 0, endedBefore = 0, exitCode = 0 } = {}) =>
  runJudged((raw) => {
    const began = FROM - WARMUP_S;
    raw.manifest.load_ended_s = FROM + SECONDS;
    raw.manifest.generators = [
      { name: 'k6-1', began_s: began, ended_s: FROM + SECONDS, exit_code: 0 },
      { name: 'k6-2', began_s: began + late, ended_s: FROM + SECONDS - endedBefore, exit_code: exitCode },
    ];
  });

test('generators that began within a tenth of a second made one load; beyond it is suspect, beyond half of one invalid', () => {
  assert.deepEqual(together({ late: 0.09 }), NOTHING);
  assert.deepEqual(together({ late: 0.2 }), {
    verdict: 'SUSPECT',
    reasons: ['the generators began 0.2 s apart, so that the load was not one; the limit is 0.1 s'],
  });
  assert.equal(together({ late: 0.6 }).verdict, 'INVALID');
});

test('one that dies takes its part of what was left of the load with it', () => {
  assert.deepEqual(together({ endedBefore: 4, exitCode: 137 }), {
    verdict: 'INVALID',
    reasons: [
      'the generator k6-2 ended 4 s before the load did (exit code 137): 20 % of the load was not made, and what it had not yet written is on no record; the limit is 1 %',
    ],
  });
});

test('one that ends well before the last answer of the others is none of that', () => {
  assert.deepEqual(together({ endedBefore: 1 }), NOTHING);
});
