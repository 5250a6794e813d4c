/**
 * The words that readers see: the second column of the table in docs/contributing.md is in no document, no table of the lab and none of its
 * messages.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.js';
import { succeed } from './command.js';

const TABLE = 'docs/contributing.md';
/** What "…" in a phrase stands for. */
const WORDS_BETWEEN = 6;
/** Pages of stored runs: they say what the lab said when those were made. */
const STORED = /^reports\/|^docs\/diagnosis\.md$/;
/** Read by people who work on the lab, and nobody else. */
const OF_TESTS = /\.test\.js$|\/fixtures\/|^test\//;
/** A line of a comment. */
const COMMENT = /^\s*(\*|\/\/|\/\*|#(?!:))/;

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard'])).split('\n').filter(Boolean);
const read = (/** @type {string} */ file) => readFileSync(join(ROOT, file), 'utf8');

/** Each with what to say instead. @type {{ say: string, not: string }[]} */
const phrases = [...read(TABLE).matchAll(/^\| ([^|`]+) \| (`[^|]+`) \|$/gm)].flatMap(([, say, cell]) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, not]) => ({ say, not })),
);

/** @param {string} phrase */
const patternOf = (phrase) =>
  new RegExp(
    `\\b${phrase
      .split(/\s*…\s*/)
      .join(`(?:\\s+[^\\s.|]+){0,${WORDS_BETWEEN}}\\s+`)
      .replaceAll(' ', '\\s+')}\\b`,
    'i',
  );

/** @param {string} text @returns {string[]} what is in it and should not be, with what to say */
const found = (text) => phrases.filter(({ not }) => patternOf(not).test(text)).map(({ say, not }) => `"${not}"; say: ${say}`);

/** The table itself names what it forbids. @param {string} text */
const withoutTable = (text) => text.replace(/^\|.*$/gm, '');

/** @param {string} text of a program or a table */
const withoutComments = (text) =>
  text
    .split('\n')
    .filter((line) => !COMMENT.test(line))
    .join('\n');

test('the table of words can be read, and a phrase is found wherever its line breaks', () => {
  assert.ok(phrases.length > 20, `${phrases.length} phrases`);
  for (const text of [
    'the rules were mended',
    'every request is held\nagainst its cause',
    'Holds each pair against each other',
    'killed for want of memory',
  ])
    assert.equal(found(text).length, 1, text);
  for (const text of ['an amendment', 'it holds. Against that', 'what the tier holds', 'a run, which the lab made'])
    assert.deepEqual(found(text), [], text);
});

for (const file of files.filter((name) => name.endsWith('.md') && !STORED.test(name))) {
  test(`${file} says it in plain words`, () => assert.deepEqual(found(file === TABLE ? withoutTable(read(file)) : read(file)), []));
}

test('the tables and messages of the lab say it in plain words', () => {
  const own = files.filter((file) => /^(lab|k6|app|compose)\/.*\.(js|mjs|sh|yaml)$|^Makefile$/.test(file) && !OF_TESTS.test(file));
  assert.ok(own.includes('lab/record/causes.js') && own.includes('compose/2a/doubletake.yaml') && own.includes('Makefile'));
  assert.deepEqual(
    own.flatMap((file) => found(withoutComments(read(file))).map((problem) => `${file}: ${problem}`)),
    [],
  );
});
