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
