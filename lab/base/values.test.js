import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLines } from './values.js';

test('a last line that is cut is left out, and any other one is an error that names it', () => {
  assert.deepEqual(parseLines('{"a":1}\n\n{"a":2}\n{"a":', 'x.ndjson'), [{ a: 1 }, { a: 2 }]);
  assert.throws(() => parseLines('{"a":1}\nno\n{"a":2}\n', 'x.ndjson'), /x\.ndjson, line 2: expected JSON, found no/);
});
