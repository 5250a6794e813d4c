import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedFigures, shownTemplate } from './template.js';

/** @param {string} text */
const templateOf = (text) => shownTemplate(maskedFigures(text));

test('figures, times, addresses, ids and values are masked', () => {
  /** @type {[string, string][]} */
  const lines = [
    [
      'HikariPool-1 - request timed out after 30000ms (total=10, active=10)',
      'HikariPool-# - request timed out after #ms (total=#, active=#)',
    ],
    ['[31] gave up 172.18.0.3:5432 after 10.02 s', '[#] gave up # after # s'],
    ['order 7c9e6679-7425-40de-944b-e07fc1f90ae7 of anna@example.org failed', 'order # of # failed'],
    ['trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7 at 0x7f3a9b2e', 'trace # span # at #'],
    ['token eyJhbGciOiJIUzI1NiJ9 refused', 'token # refused'],
    ['GET http://catalog:8080/price?item=9 gave 503', 'GET http://# gave #'],
    ['cannot write /var/lib/anna/list.json: full', 'cannot write /#: full'],
    ['user=anna name="Anna B" key=(a, b) late', 'user=# name=# key=# late'],
    ["relation \"orders\" and 'Anna B' but don't `drop`", "relation \"…\" and '…' but don't `…`"],
    ['HTTP/1.1 and/or (101/100)', 'HTTP/#.# and/or (#/#)'],
  ];
  for (const [text, template] of lines) assert.equal(templateOf(text), template.replace('#.#', '#'));
});

test('of what is quoted only the words of a known phrase are shown', () => {
  const known = /\(#, 'Too many connections'\)/;
  assert.equal(
    shownTemplate(maskedFigures(`"anna" said (1040, 'Too many connections') to 'bob'`), known),
    `"…" said (#, 'Too many connections') to '…'`,
  );
  assert.equal(shownTemplate(maskedFigures(`"anna said: it is full today`), /it is full/), '"…it is full today');
});

test('what a phrase quotes of others is not shown', () => {
  const known = /Aborted connection # to db: .{1,200} \(Too many connections\)/;
  assert.equal(
    shownTemplate(maskedFigures("Aborted connection 54 to db: 'shop' user: 'anna' (Too many connections)"), known),
    "Aborted connection # to db: '…' user: '…' (Too many connections)",
  );
});

test('a long line is cut, and a phrase far behind in it is shown', () => {
  assert.equal(templateOf('word '.repeat(100)).length, 160);
  assert.ok(shownTemplate(maskedFigures(`${'word '.repeat(100)}it is full`), /it is full/).startsWith('…it is full'));
});

test('lines that are made to be slow are not', () => {
  const begun = process.cpuUsage().user;
  for (const text of [
    'a'.repeat(1e6),
    '=('.repeat(5e5),
    '"GET '.repeat(2e5),
    '/'.repeat(1e6),
    '://'.repeat(3e5),
    "'a ".repeat(3e5),
    '1.'.repeat(5e5),
    'a-'.repeat(5e5),
    '=("'.repeat(3e5),
  ])
    for (let times = 0; times < 100; times += 1) templateOf(text);
  assert.ok(process.cpuUsage().user - begun < 2e6, 'nine hundred lines');
});
