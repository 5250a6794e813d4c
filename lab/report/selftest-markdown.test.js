import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownSelftestRecord, selftestRecord } from './fixtures/selftest.js';
import { formatSelftestMarkdown } from './selftest-markdown.js';

const text = formatSelftestMarkdown(selftestRecord()).replaceAll('\u00a0', ' ');

test('the page says what was found, on what it rests, and that nobody wrote it by hand', () => {
  assert.match(text, /^# Can the diagnosis be trusted\?\n\n\*\*2 of 4 known faults diagnosed rightly\./);
  assert.match(text, /judged by commit 1234567/);
  assert.match(text, /Written by `make selftest`; not to be edited by hand\./);
});

test('every table has as many cells in each row as in its head', () => {
  const tables = text.split(/\n\n/).filter((block) => block.startsWith('|'));
  assert.ok(tables.length >= 6);
  for (const block of tables) {
    const widths = block
      .trim()
      .split('\n')
      .map((row) => row.replaceAll('\\|', '').split('|').length);
    assert.equal(new Set(widths).size, 1, block.slice(0, 80));
  }
});

test('the same record gives the same page', () => {
  assert.equal(formatSelftestMarkdown(selftestRecord()), formatSelftestMarkdown(selftestRecord()));
});

test('what was taken for something else is listed', () => {
  assert.match(text, /\| app: app-crashed \| load-balancer: balancer-down \| 10 \|/);
});

test('of a user’s own system it says by which command it was written', () => {
  assert.match(formatSelftestMarkdown(ownSelftestRecord()), /Written by `doubletake selftest`; not to be edited by hand\./);
});
