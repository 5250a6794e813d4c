import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choice, formatShare, oneOf, RATE, SWITCH, shareIn, wholeNumber } from './option-kinds.js';

test('a whole number within its range is read, and any other text is refused with the range', () => {
  const kind = wholeNumber(1, 64);
  assert.equal(kind.format?.(kind.parse('N', '08')), '8');
  for (const text of ['0', '65', '1.5', 'abc', 'Infinity'])
    assert.throws(() => kind.parse('N', text), new RegExp(`^NotReadyError: N: expected a whole number from 1 to 64; found "${text}"`));
});

test('a switch is on or off', () => {
  assert.deepEqual([SWITCH.parse('S', '1'), SWITCH.parse('S', '0')], [true, false]);
  assert.deepEqual(
    [true, false].map((value) => SWITCH.format?.(value)),
    ['1', '0'],
  );
  assert.throws(() => SWITCH.parse('S', 'yes'), /S: expected a whole number from 0 to 1; found "yes"/);
});

test('of a choice a word that is near is told, and the list is named only where it has the words', () => {
  const kind = choice(['refuse', 'allow']);
  assert.equal(kind.parse('BUSY', 'allow'), 'allow');
  assert.throws(() => kind.parse('BUSY', 'alow'), /To do: write "allow" instead of "alow"\.$/);
  assert.throws(() => oneOf('experiment', 'doublin', ['doubling', 'queue']), /To do: write "doubling" instead of "doublin"\.$/);
  assert.throws(() => oneOf('experiment', 'x', ['doubling', 'queue']), /To do: use one of them; ".* list" says what each is\.$/);
  assert.throws(() => oneOf('BUSY', 'maybe', ['refuse', 'allow']), /To do: use one of them\.$/);
});

test('a percentage is a share, nothing else is, and it is written as it is read', () => {
  assert.deepEqual(['150%', '0.5%', '100%'].map(shareIn), [1.5, 0.005, 1]);
  assert.deepEqual(['150', '%', '-5%', '1e2%', '', undefined].map(shareIn), [null, null, null, null, null, null]);
  for (const text of ['150%', '29%', '0.5%', '33.333%']) assert.equal(formatShare(shareIn(text) ?? 0), text);
});

test('a rate is one a second, or a share of what is served', () => {
  for (const text of ['250', '33%']) assert.equal(RATE.format?.(RATE.parse('RATE', text)), text);
  assert.throws(() => RATE.parse('RATE', '0%'), /^NotReadyError: RATE: expected above 0% and at most 1000%; found "0%"/);
  assert.throws(() => RATE.parse('RATE', '0'), /RATE: expected a whole number from 1 to 100000; found "0"/);
});
