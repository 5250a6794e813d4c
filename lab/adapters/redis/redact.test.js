import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { WINDOW } from '../fixtures/hop-files.js';
import { readLog } from './log.js';
import { redact } from './redact.js';

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
const STAMP = /^\S+Z /;

test('of the command that Redis crashed at its name and its length stay, and neither key nor value', () => {
  for (const [text, kept] of [
    ["argc: '3'", "argc: '3'"],
    [`argv[0]: '"set"'`, `argv[0]: '"set"'`],
    [`argv[1]: '"card:4111"'`, 'argv[1]: ?'],
    [`argv[12]: '"hunter2"'`, 'argv[12]: ?'],
    [
      "1:M 21 Nov 2026 20:00:01.123 # key 'card:4111' found in DB containing the following object:",
      "1:M 21 Nov 2026 20:00:01.123 # key '?' found in DB containing the following object:",
    ],
    ['1:M 21 Nov 2026 20:00:01.123 # Object raw string content: hunter2', '1:M 21 Nov 2026 20:00:01.123 # Object raw string content: ?'],
  ])
    assert.equal(redact(text), kept);
});

test('every line without a client’s name stays as it is, and what is read of the log is the same', () => {
  const redacted = LOG.replace(/^.*$/gm, (text) => {
    const stamp = STAMP.exec(text)?.[0] ?? '';
    return stamp + redact(text.slice(stamp.length));
  });
  assert.equal(redacted, LOG.replace('name=hunter2', 'name=?'));
  assert.deepEqual(readLog(redacted, WINDOW), readLog(LOG, WINDOW));
});
