import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorRecord } from './error-record.js';
import { NotReadyError, RunFailedError } from './errors.js';
import { oneOf } from './format-command.js';

test('a refusal says what was expected, what was found and what to do, each by itself', () => {
  assert.throws(
    () => oneOf('LOAD', 'tsunami', ['ramp', 'smoke']),
    (error) => {
      assert.ok(error instanceof NotReadyError);
      const { message, expected, found, do: remedy } = errorRecord(error);
      assert.deepEqual(
        [message, expected, found],
        ['LOAD: expected one of ramp, smoke; found "tsunami".', 'one of ramp, smoke', '"tsunami"'],
      );
      assert.ok(remedy && error.message.endsWith(`To do: ${remedy}`));
      return true;
    },
  );
});

test('what is found ends with its sentence, and not at a point inside of a word or a number', () => {
  for (const [problem, found] of [
    ['memory: expected 2.5 GB; found 1.5 GB.', '1.5 GB'],
    ['init: expected no doubletake.yaml in /shop; found one.', 'one'],
    ['A: expected none; found "b". It stands in the way.', '"b"'],
  ])
    assert.equal(errorRecord(new NotReadyError(problem, 'correct it.')).found, found);
});

test('an error that says neither has its message alone, and one that says what to do has that too', () => {
  assert.deepEqual(errorRecord(new RunFailedError('k6 ended.')), { message: 'k6 ended.' });
  assert.deepEqual(errorRecord(new TypeError('x is no function')), { message: 'x is no function' });
  assert.deepEqual(errorRecord(new NotReadyError('The disk is full.', 'free some space.')), {
    message: 'The disk is full.',
    do: 'free some space.',
  });
});
