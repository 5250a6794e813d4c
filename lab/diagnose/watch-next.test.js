import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownCases } from './fixtures/own-cases.js';
import { factsOf, recordOf } from './fixtures/record.js';
import { buildLedger } from './ledger/ledger.js';
import { watchNext } from './watch-next.js';

/** @param {(sentence: string) => boolean} isWanted */
function nextIn(isWanted) {
  const { story, change } = /** @type {import('./fixtures/answer-cases.js').RuleCase} */ (
    ownCases.find(({ sentence }) => isWanted(sentence))
  );
  const raw = recordOf(story);
  change?.(raw);
  const facts = factsOf(raw);
  return watchNext(facts, buildLedger(facts));
}

test('a proxy that nobody watches is to be watched where that left something unknown', () => {
  assert.deepEqual(
    nextIn((sentence) => sentence === 'leaves it where nobody said a word').map(({ command }) => command),
    ['edge: { watch: 2 } in doubletake.yaml'],
  );
});

test('where each failure is proved, nothing more is to be done', () => {
  assert.deepEqual(
    nextIn((sentence) => sentence.startsWith('takes a connection that a program broke')),
    [],
  );
});

test('where no reason is on record, a service whose log is not read is to be watched; one whose log is read has said what it says', () => {
  const failures = [{ service: 'api-1, api-2', cause: 'unexplained', basis: { where: { proved: 9 }, why: { inferred: 9 } } }];
  const next = (/** @type {number} */ level) =>
    watchNext(
      /** @type {any} */ ({
        hops: [],
        raw: {
          adapted: [
            { service: 'api-1', level },
            { service: 'db', level: 0 },
          ],
        },
      }),
      /** @type {any} */ ({ failures, unattributed: 0 }),
    ).map(({ command }) => command);
  assert.deepEqual(next(0), ['api-1: { watch: 1 } in doubletake.yaml']);
  assert.deepEqual(next(1), []);
});
