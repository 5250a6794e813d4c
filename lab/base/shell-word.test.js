import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shellWord } from './shell-word.js';

test('a plain text stands as it is, and any other in quotes that a shell takes away again', () => {
  assert.equal(shellWord('crud:WORKERS=10'), 'crud:WORKERS=10');
  assert.equal(shellWord('rev:HEAD~1'), "'rev:HEAD~1'");
  assert.equal(shellWord('NAME=two words'), "'NAME=two words'");
  assert.equal(shellWord("it's"), "'it'\\''s'");
  assert.equal(shellWord(undefined), '');
});
