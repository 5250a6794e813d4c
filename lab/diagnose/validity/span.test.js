import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachStage, endsOf, longestGap, wholeLoad } from './span.js';

const window = { from: 100, to: 110, warmupFrom: 90 };
const at = (/** @type {number[]} */ ...times) => times.map((t) => ({ t }));
const stage = { from_s: 2, to_s: 5, stage: 0 };

test('the whole load is from its start to its last answer, and a stage is as the load has it', () => {
  assert.deepEqual(wholeLoad(window), { from_s: 0, to_s: 10, stage: null });
  assert.deepEqual(eachStage(/** @type {any} */ ([{ from_s: 2, to_s: 5, target: 9 }])), [stage]);
});

test('counters are read at the last line before the span and at its last line', () => {
  const ends = endsOf(at(99, 101.5, 102.5, 104.5, 105.5), window, stage);
  assert.deepEqual([ends?.first.t, ends?.last.t, ends?.elapsed], [101.5, 104.5, 3]);
});

test('a record that begins within the span is read from its first line', () => {
  assert.equal(endsOf(at(103, 104, 105), window, stage)?.first.t, 103);
});

test('one line, or none, has no two readings', () => {
  for (const rows of [[], at(101), at(107)]) assert.equal(endsOf(rows, window, stage), null);
});

test('a gap counts for every span that it reaches into', () => {
  const rows = at(101, 102, 106, 107, 108, 109);
  assert.equal(longestGap(rows, window, wholeLoad(window)), 4);
  assert.equal(longestGap(rows, window, stage), 4);
  assert.equal(longestGap(rows, window, { from_s: 6, to_s: 10, stage: 1 }), 1);
});

test('a record that begins late, ends early or is empty has a gap there', () => {
  assert.equal(longestGap(at(106, 107, 108, 109), window, wholeLoad(window)), 6);
  assert.equal(longestGap(at(101, 102, 103), window, wholeLoad(window)), 7);
  assert.equal(longestGap([], window, stage), 10);
});
