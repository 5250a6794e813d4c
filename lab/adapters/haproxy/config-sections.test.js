import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sectionsOf, speaksHttp, wordsOf } from './config-sections.js';

const text = readFileSync(new URL('./fixtures/haproxy.cfg', import.meta.url), 'utf8');

test('the sections’ lines, put together, are the text', () => {
  assert.equal(
    sectionsOf(text)
      .flatMap(({ lines }) => lines)
      .join('\n'),
    text,
  );
});

test('sections have their kind, their name and the defaults that they name', () => {
  assert.deepEqual(
    sectionsOf(text).map(({ kind, name, from }) => [kind, name, from]),
    [
      ['', '', null],
      ['global', '', null],
      ['defaults', 'web', null],
      ['frontend', 'public', null],
      ['listen', 'admin', null],
      ['backend', 'app', null],
      ['backend', 'api', 'web'],
      ['defaults', 'raw', null],
      ['frontend', 'database', null],
      ['backend', 'postgres', null],
    ],
  );
});

test('a proxy speaks HTTP by its own mode, by the defaults it names, or by those nearest before it', () => {
  const sections = sectionsOf(text);
  const http = sections.filter((section) => speaksHttp(section, sections)).map(({ name }) => name);
  assert.deepEqual(http, ['web', 'public', 'admin', 'app', 'api']);
});

test('without a mode a proxy speaks TCP, and defaults build upon others only when they say so', () => {
  const speaking = (/** @type {string} */ lines) => {
    const sections = sectionsOf(lines);
    return speaksHttp(sections[sections.length - 1], sections);
  };
  assert.equal(speaking('frontend a\n  bind :80'), false);
  assert.equal(speaking('defaults\n  mode http\ndefaults\n  timeout client 1s\nfrontend a\n  bind :80'), false);
  assert.equal(speaking('defaults one\n mode http\ndefaults two from one\n timeout client 1s\nfrontend a from two\n bind :80'), true);
  assert.equal(speaking('defaults\n mode tcp\nfrontend a\n mode http'), true);
  assert.equal(speaking('frontend a from nowhere\n bind :80'), false);
});

test('a comment is no word, and a word that only begins like a section opens none', () => {
  assert.deepEqual(wordsOf('   bind :80 # public'), ['bind', ':80']);
  assert.equal(sectionsOf('frontend a\n  default_backend b\n  # backend c\n  backendless x').length, 2);
});
