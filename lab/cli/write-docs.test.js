import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { VERSIONS } from '../record/versions.js';
import { generatedPages } from './write-docs.js';

const types = (await generatedPages())['lab/record/types.d.ts'];

test('the types are those that the schemas give', () => {
  assert.equal(readFileSync(new URL('../record/types.d.ts', import.meta.url), 'utf8'), types, 'types.d.ts is stale: lab/doubletake docs');
});

test('a definition is one type, wherever it is named', () => {
  const names = [...types.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    names.filter((name) => /\d$/.test(name)),
    [],
  );
});

test('each schema is of the version that is written', () => {
  for (const [document, version] of Object.entries(VERSIONS)) {
    const { properties } = JSON.parse(readFileSync(new URL(`../record/${document}.schema.json`, import.meta.url), 'utf8'));
    assert.equal(properties.schema.const, version, document);
  }
});
