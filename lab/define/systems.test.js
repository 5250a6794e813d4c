import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { NotReadyError } from './errors.js';
import { readSystems } from './systems.js';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-systems-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} id @param {string} text */
function addSystem(id, text) {
  mkdirSync(join(folder, id), { recursive: true });
  writeFileSync(join(folder, id, 'system.yaml'), text);
}

test('a system is a folder: nothing else has to know it', () => {
  addSystem('2a', 'title: two nodes\nquestion: Twice as much?\nentry: http://nginx:8080/\n');
  addSystem('a', 'title: one node\nquestion: How much?\nvariables: {SIZE: {about: of it, standard: "1", range: [1, 9]}}\n');
  mkdirSync(join(folder, 'images'));
  assert.deepEqual(readSystems(folder), {
    a: { title: 'one node', question: 'How much?', variables: { SIZE: { about: 'of it', standard: '1', range: [1, 9] } } },
    '2a': { title: 'two nodes', question: 'Twice as much?', entry: 'http://nginx:8080/' },
  });
});

test('a file that is no YAML is named too', () => {
  addSystem('c', 'title: [one\n');
  assert.throws(
    () => readSystems(folder),
    (error) => error instanceof NotReadyError && /c\/system\.yaml: .* at line \d+, column \d+\.\n/.test(error.message),
  );
  rmSync(join(folder, 'c'), { recursive: true });
});

test('a folder that says it badly is named with what is wrong', () => {
  addSystem('b', 'title: b\nquestion: no question\nenrty: http://b/\n');
  assert.throws(
    () => readSystems(folder),
    (error) =>
      error instanceof NotReadyError &&
      /b\/system\.yaml: it must NOT have additional properties, it\/question must match/.test(error.message),
  );
});

test('a name that is in no table is told at the start, and not when a run needs it', () => {
  rmSync(join(folder, 'b'), { recursive: true, force: true });
  const SAYS = 'title: d\nquestion: How?\n';
  for (const [text, problem] of [
    ['scenario: nowhere\n', /scenario: expected one of documents, .*; found "nowhere"/],
    ['published: doubling.9z\n', /published: published\.json has no doubling\.9z/],
    ['reliefs: [a, 9z]\n', /reliefs: no system is called 9z/],
    ['relieves_causes: [shed, bad-luck]\n', /relieves_causes: no cause is called bad-luck/],
    ['variables: {SIZE: {about: of it, standard: "1"}}\n', /must have required property 'choices'/],
  ]) {
    addSystem('d', SAYS + text);
    assert.throws(
      () => readSystems(folder),
      (error) => error instanceof NotReadyError && /d\/system\.yaml: /.test(error.message) && new RegExp(problem).test(error.message),
      String(text),
    );
  }
  addSystem('d', `${SAYS}scenario: crud\npublished: doubling.2a\nreliefs: [a]\n`);
  assert.deepEqual(readSystems(folder).d.reliefs, ['a']);
});
