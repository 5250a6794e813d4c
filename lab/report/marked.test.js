import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPart } from './marked.js';

const PAGE = 'before\n<!-- rows: made by "make docs" -->\nold\n<!-- end of rows -->\nafter\n';

test('what stands between the marks is replaced, and done again it stays as it is', () => {
  const once = withPart(PAGE, 'rows', '| new |\n');
  assert.equal(once, 'before\n<!-- rows: made by "make docs" -->\n\n| new |\n\n<!-- end of rows -->\nafter\n');
  assert.equal(withPart(once, 'rows', '| new |\n'), once);
});

test('a page without the marks is an error that names them', () => {
  assert.throws(() => withPart('before', 'rows', ''), /expected the lines <!-- rows: made by "make docs" --> and <!-- end of rows -->/);
});
