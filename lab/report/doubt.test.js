import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubtLine, doubtNote, doubtShort } from './doubt.js';

const DOUBT = { suspect: 3, runs: 8, text: '3 of 8 runs SUSPECT: <b>' };

test('doubt is said in numbers beside a figure, and with its reason in a line of its own', () => {
  assert.equal(doubtShort(DOUBT), '3 of 8 SUSPECT');
  assert.equal(String(doubtLine(DOUBT)?.text), '<p class="doubt">In doubt: 3 of 8 runs SUSPECT: &lt;b&gt;.</p>');
  assert.ok(doubtNote(DOUBT)?.text.includes('>3 of 8 SUSPECT</span>'));
});

test('without doubt nothing is said', () => {
  for (const none of [null, undefined])
    assert.deepEqual([doubtShort(none), doubtNote(none) ?? null, doubtLine(none) ?? null], [null, null, null]);
});
