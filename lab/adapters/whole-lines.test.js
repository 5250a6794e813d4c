import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, WINDOW } from './fixtures/hop-files.js';
import { isDuring, wholeLines } from './whole-lines.js';

test('a line that was cut off is left out', () => {
  assert.deepEqual(
    wholeLines(`${line(1, 'one')}${line(2, 'tw').trimEnd()}`).map(({ text }) => text),
    ['one'],
  );
  assert.deepEqual(wholeLines(''), []);
  assert.deepEqual(wholeLines('no end'), []);
});

test('the moment at which the load begins is not part of it, that at which it ends is', () => {
  assert.deepEqual(
    [WINDOW.from, WINDOW.from + 0.1, WINDOW.to, WINDOW.to + 0.1].map((t) => isDuring(t, WINDOW)),
    [false, true, true, false],
  );
});
