import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onsetOf, stoodText } from './onset.js';

/** @typedef {import('./standstill.js').Standstill} Standstill */

/** @type {(kind: Standstill['kind'], ...spells: [number, number][]) => Standstill} */
const stood = (kind, ...spells) => ({ kind, spells: spells.map(([from_s, to_s]) => ({ from_s, to_s })), end_s: 60 });

/** @type {(standstill: Standstill | null, about?: object) => string | undefined} */
const textOf = (standstill, about = {}) => onsetOf(standstill, { failures: 9, ...about })?.text;

test('what stood at no time has no onset', () => {
  assert.equal(onsetOf(null, { failures: 9 }), null);
});

test('a stop is told from its last good answer on, with how long nobody came back', () => {
  assert.deepEqual(onsetOf(stood('stopped', [11, 60]), { failures: 9 }), {
    kind: 'stopped',
    from_s: 11,
    to_s: null,
    text: 'From second 11 on no request was answered well: service did not come back in the 49 seconds until the load ended.',
  });
  assert.equal(
    textOf(stood('stopped', [3, 8], [20, 31], [57, 60])),
    'From second 57 on no request was answered well, nor from second 3 to 8 and 20 to 31: service did not come back in the 3 seconds until the load ended.',
  );
});

test('what came back is told from when to when, the longest of several', () => {
  const one = onsetOf(stood('came-back', [20, 31]), { failures: 9 });
  assert.deepEqual(one, {
    kind: 'came-back',
    from_s: 20,
    to_s: 31,
    text: 'From second 20 to 31 no request was answered well; then service came back.',
  });
  const all = /** @type {const} */ ([
    [2, 5],
    [10, 16],
    [20, 31],
    [40, 44],
    [50, 53],
  ]);
  assert.equal(
    textOf(stood('came-back', ...all.map(([from, to]) => /** @type {[number, number]} */ ([from, to])))),
    'From second 10 to 16, 20 to 31, 40 to 44 and 2 more times no request was answered well; each time service came back.',
  );
  assert.equal(onsetOf(stood('came-back', [2, 5], [20, 31]), { failures: 9 })?.from_s, 20);
  assert.equal(textOf(stood('came-back', [0, 8])), 'Until second 8 no request was answered well.');
});

test('what never answered well is told in the fewest words', () => {
  assert.deepEqual(onsetOf(stood('never', [0, 60]), { failures: 9 }), {
    kind: 'never',
    from_s: 0,
    to_s: null,
    text: 'No request was answered well.',
  });
});

test('where all were answered well in the end, nothing is said of bad answers', () => {
  assert.equal(textOf(stood('came-back', [20, 31]), { failures: 0 }), 'From second 20 to 31 no answer came; then service came back.');
  assert.equal(stoodText(stood('came-back', [20, 31]), false), 'From second 20 to 31 no answer came');
});

test('a fault that was there or had just been does not excuse the stop: both are said', () => {
  const fault = { text: 'kill db', began_s: 10.2, ended_s: 10.2 };
  const said = (/** @type {object} */ changed) => textOf(stood('stopped', [11, 60]), { faults: [{ ...fault, ...changed }] });
  assert.match(said({}) ?? '', / until the load ended\. "kill db" began at second 10\.$/);
  assert.match(said({ began_s: 2, ended_s: 30 }) ?? '', / "kill db" began at second 2\.$/);
  assert.match(said({ began_s: 11.4, ended_s: null }) ?? '', / "kill db" began at second 11\.$/);
  for (const other of [
    { began_s: 0.5, ended_s: 0.9 },
    { began_s: 12.1, ended_s: 20 },
    { began_s: null, ended_s: null },
  ])
    assert.doesNotMatch(said(other) ?? '', /kill/);
});
