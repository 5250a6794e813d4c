import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { aboutNewer, restoreProviders, unknownIn, withoutKey } from './newer-keys.js';

const TEXT = `services:
  web:
    image: web:1 # mine
    environment: &shared { A: "1" }
    models: { llm: {} }
  db:
    provider: { type: cloud }
models:
  llm: { model: ai/x }
`;

test('a key that came with a later Compose is told from a word that none knows', () => {
  assert.deepEqual(unknownIn('validating /shop/compose.yaml: services.db Additional property provider is not allowed'), {
    file: '/shop/compose.yaml',
    path: ['services', 'db'],
    key: 'provider',
  });
  assert.deepEqual(unknownIn("validating /shop/compose.yaml: (root) additional properties 'models' not allowed")?.path, []);
  assert.equal(unknownIn('validating /shop/compose.yaml: services.db Additional property imagee is not allowed'), null);
  assert.equal(unknownIn('no such file'), null);
});

test('the copy is without that key, and all else is as it was', () => {
  const text = withoutKey(TEXT, { path: [], key: 'models' }) ?? '';
  assert.match(text, /image: web:1 # mine/);
  assert.deepEqual(Object.keys(parse(text)), ['services']);
  assert.deepEqual(Object.keys(parse(withoutKey(text, { path: ['services', 'web'], key: 'models' }) ?? '').services.web), [
    'image',
    'environment',
  ]);
  assert.equal(withoutKey(TEXT, { path: ['services', 'db'], key: 'gpus' }), null);
});

test('what a provider makes is known as such behind a Compose that has no word for it', () => {
  const config = parse(withoutKey(TEXT, { path: ['services', 'db'], key: 'provider' }) ?? '');
  assert.equal(config.services.db.image, 'doubletake-provided:cloud');
  restoreProviders(config);
  assert.deepEqual(config.services.db, { provider: { type: 'cloud' } });
});

test('each key is told once, with where it stands', () => {
  const at = (/** @type {string[]} */ ...path) => ({ file: 'x', path, key: 'models' });
  assert.deepEqual(aboutNewer([at('services', 'web'), at()], '2.26.1'), [
    'models (web, the file itself): Compose 2.26.1 does not know it, and the run is without.',
  ]);
});
