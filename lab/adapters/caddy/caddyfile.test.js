import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readCaddyfile } from './caddyfile.js';

const text = readFileSync(new URL('./fixtures/Caddyfile', import.meta.url), 'utf8');

/** @param {string} caddyfile */
const told = (caddyfile) => readCaddyfile(caddyfile).blocks.map(({ kind, name, directives }) => [kind, name, directives]);

test('options, snippets and sites are told apart, each with the directives of its own', () => {
  assert.deepEqual(told(text), [
    ['options', '', ['auto_https', 'admin']],
    ['snippet', '(proxied)', ['encode', 'header']],
    ['site', 'http://www.shop.example', ['import', 'reverse_proxy']],
    ['site', 'http://admin.example', ['log', 'respond']],
  ]);
  assert.equal(readCaddyfile(text).bare, null);
});

test('a block’s lines are where its braces are', () => {
  const { lines, blocks } = readCaddyfile(text);
  for (const { first, last } of blocks) assert.deepEqual([lines[first].at(-1), lines[last].trim()], ['{', '}']);
});

test('a file that is one site without braces has its addresses, and directives with blocks of their own', () => {
  const file = readCaddyfile('{\n\tdebug\n}\n\n:8080 # main\n\nreverse_proxy app:3000 {\n\tlb_policy first\n}\nlog\n');
  assert.deepEqual([file.bare, file.directives, file.blocks.length], [4, ['reverse_proxy', 'log'], 1]);
  assert.deepEqual(readCaddyfile(':80,\n:81\nrespond hi').bare, 1);
});

test('braces in quotes, in placeholders, in comments and in heredocs open nothing', () => {
  for (const inner of [
    'respond "{"',
    'respond `a {\n} b`',
    'header X {host}',
    '# comment {',
    'respond <<END\n}\n{\nEND',
    'respond "a \\" {"',
  ])
    assert.deepEqual(
      told(`:80 {\n\t${inner}\n\tencode gzip\n}\n`).map(([kind, name]) => [kind, name]),
      [['site', ':80']],
      inner,
    );
});

test('an import at the top is no site', () => {
  assert.deepEqual(readCaddyfile('import sites/*\n').bare, null);
});

test('an empty file, and one whose braces do not close, have no blocks', () => {
  assert.deepEqual(told(''), []);
  assert.deepEqual(told(':80 {\n\tlog\n'), []);
});
