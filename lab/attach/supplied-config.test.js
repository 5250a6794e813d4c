import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforehand, suppliedSystem } from './supplied-config.js';

/** @param {Record<string, string>} there  files of the folder */
const suppliedBy = (there) => beforehand({ folder: '/shop', files: ['compose.yaml'] }, (file) => there[file.replace('/shop/', '')] ?? null);

test('a file of variables that is not there is left out, and its example read where there is one', () => {
  const file = 'services:\n  web: { env_file: [a.env, ./b.env, { path: c.env, required: false }] }\n  db: { env_file: d.env }\n';
  const { changes, said, flags } = suppliedBy({ 'compose.yaml': file, 'a.env': '', 'b.env.example': '' });
  assert.deepEqual(changes.services.web.env_file.toJSON(), [
    { path: '/shop/a.env' },
    { path: '/shop/b.env.example' },
    { path: '/shop/c.env', required: false },
  ]);
  assert.equal(changes.services.db.env_file.tag, '!reset');
  assert.deepEqual(said, [
    './b.env (env_file) is not there: b.env.example is read in its place.',
    'd.env (env_file) is not there: nothing is read in its place.',
  ]);
  assert.deepEqual(flags, []);
});

test('an example of .env is read where that is not there', () => {
  for (const example of ['.env.example', 'env.sample', 'example.env'])
    assert.deepEqual(suppliedBy({ 'compose.yaml': 'services: {}', [example]: '' }).flags, ['--env-file', `/shop/${example}`]);
  assert.deepEqual(suppliedBy({ 'compose.yaml': 'services: {}', '.env': '', '.env.example': '' }).flags, []);
});

test('what is all there is left as it is, and so is what is no YAML', () => {
  for (const file of ['services: { web: { env_file: a.env } }', 'services: [', ''])
    assert.deepEqual(suppliedBy({ 'compose.yaml': file, 'a.env': '' }), { flags: [], env: {}, changes: {}, said: [] });
});

test('a value that the user gives counts before one that is made up', () => {
  const system = suppliedSystem(
    { project: 'run', folder: '/shop', files: [], env: { TOKEN: 'mine' } },
    { flags: ['--env-file', 'x'], env: { TOKEN: 'made', KEY: 'made' } },
  );
  assert.deepEqual([system.env?.TOKEN, system.env?.KEY, system.flags.slice(0, 2)], ['mine', 'made', ['--env-file', 'x']]);
});
