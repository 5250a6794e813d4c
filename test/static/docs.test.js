/**
 * The documents: what is generated is fresh, no link is dead, every command that they name exists, and the README stays short.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/define/paths.js';
import { generatedPages } from '../../lab/write-docs.js';
import { succeed } from './command.js';

const README_LINES_MOST = 120;
const README_BYTES_MOST = 8 * 1024;

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'])).split('\n').filter(Boolean);
const read = (/** @type {string} */ file) => readFileSync(join(ROOT, file), 'utf8');
/** Pages that people write; those of stored experiments link as they did when they were made. */
const documents = files.filter((file) => !file.startsWith('reports/examples/') || file === 'reports/examples/README.md');

test('the pages that are made from tables are fresh', async () => {
  for (const [file, text] of Object.entries(await generatedPages())) assert.equal(read(file), text, `${file} is stale: make docs`);
});

test('the README is at most 120 lines and 8 KB', () => {
  const text = read('README.md');
  const lines = text.trimEnd().split('\n').length;
  assert.ok(lines <= README_LINES_MOST, `${lines} lines`);
  assert.ok(Buffer.byteLength(text) <= README_BYTES_MOST, `${Buffer.byteLength(text)} bytes`);
});

test('the README begins with the command that runs the first architecture and the one that tests', () => {
  const blocks = [...read('README.md').matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].slice(0, 2).map(([, text]) => text);
  const commands = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/^\$ |\s+#.*$/g, '').trim());
  for (const command of ['make run-a', 'make test']) assert.ok(commands.includes(command), `${command} is among:\n${commands.join('\n')}`);
});

/** As GitHub makes it of a heading. @param {string} heading */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-');

/** @param {string} file */
const anchorsIn = (file) =>
  file.endsWith('.md')
    ? [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading))
    : [...read(file).matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);

for (const file of documents) {
  test(`no link in ${file} is dead`, () => {
    const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link));
    for (const link of links) {
      const [path, anchor] = link.split('#');
      const target = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path));
      assert.ok(existsSync(join(ROOT, target)), `${link}: ${target} is not there`);
      if (anchor) assert.ok(anchorsIn(target).includes(anchor), `${link}: ${target} has no such heading`);
    }
  });
}

test('every make target that a document names is there', () => {
  const makefile = read('Makefile');
  const targets = new Set(
    [...makefile.matchAll(/^([a-z]+(?:-[a-z]+)*)(-%)?:/gm)].map(([, name, pattern]) => `${name}${pattern ? '-' : ''}`),
  );
  assert.ok(targets.has('run-') && targets.has('compare'));
  for (const file of documents)
    for (const [, target] of read(file).matchAll(/(?:^|`)make ([a-z][a-z0-9-]*)/gm)) {
      const isThere = targets.has(target) || [...targets].some((name) => name.endsWith('-') && target.startsWith(name));
      assert.ok(isThere, `${file}: make ${target}`);
    }
});
