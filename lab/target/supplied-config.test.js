import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { NotReadyError } from '../base/errors.js';
import {
  aboutNewer,
  beforehand,
  moreFor,
  ofEnvFiles,
  restoreProviders,
  suppliedSystem,
  unknownIn,
  withoutEnvFile,
  withoutKey,
} from './supplied-config.js';

const TEXT = `include:
  - other.yaml
  - path: sub/compose.yaml
    env_file: [./a.env, "\${PLACE}/b.env"]
  - { path: x.yaml, env_file: sub/b.env }
services: {}
`;
const given = { missing: '/shop/sub/b.env', folder: '/shop', replaced: (/** @type {string} */ path) => path.replace(`\${PLACE}`, 'sub') };

test('a file of variables for an included file has its example in its place, or nothing', () => {
  const files = (/** @type {string | null} */ instead) =>
    parse(withoutEnvFile(TEXT, { ...given, instead }) ?? '').include.map((/** @type {any} */ one) => one.env_file);
  assert.deepEqual(files('/shop/b.env.example'), [undefined, ['./a.env', '/shop/b.env.example'], ['/shop/b.env.example']]);
  assert.deepEqual(files(null), [undefined, ['./a.env'], undefined]);
});

test('a file that includes nothing so stays as it is', () => {
  for (const text of ['services: {}\n', 'include: [a.yaml]\n', TEXT.replaceAll('b.env', 'c.env')])
    assert.equal(withoutEnvFile(text, { ...given, instead: null }), null);
});

const NEWER_KEYS_TEXT = `services:
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
  const text = withoutKey(NEWER_KEYS_TEXT, { path: [], key: 'models' }) ?? '';
  assert.match(text, /image: web:1 # mine/);
  assert.deepEqual(Object.keys(parse(text)), ['services']);
  assert.deepEqual(Object.keys(parse(withoutKey(text, { path: ['services', 'web'], key: 'models' }) ?? '').services.web), [
    'image',
    'environment',
  ]);
  assert.equal(withoutKey(NEWER_KEYS_TEXT, { path: ['services', 'db'], key: 'gpus' }), null);
});

test('what a provider makes is known as such behind a Compose that has no word for it', () => {
  const config = parse(withoutKey(NEWER_KEYS_TEXT, { path: ['services', 'db'], key: 'provider' }) ?? '');
  assert.equal(config.services.db.image, 'doubletake-provided:cloud');
  restoreProviders(config);
  assert.deepEqual(config.services.db, { provider: { type: 'cloud' } });
});

test('each key is reported once, with where it stands', () => {
  const at = (/** @type {string[]} */ ...path) => ({ file: 'x', path, key: 'models' });
  assert.deepEqual(aboutNewer([at('services', 'web'), at()], '2.26.1'), [
    'models (web, the file itself): Compose 2.26.1 does not know it, and the run is without.',
  ]);
});

/** @param {string[]} there  files of the folder */
const isThereOf = (there) => (/** @type {string} */ file) => there.some((one) => file === `/shop/${one}`);

test('a file of variables that is not there is left out, and its example read where there is one', () => {
  const model = {
    services: {
      web: { env_file: [{ path: '/shop/a.env' }, { path: '/shop/b.env' }, { path: '/shop/c.env', required: false }] },
      db: { env_file: `/shop/\${CONF:-sub}/d$$.env` },
      cache: { env_file: [{ path: '/shop/$PLACE/a.env' }] },
    },
  };
  const settingOf = (/** @type {string} */ name) => (name === 'PLACE' ? '.' : '');
  const isThere = isThereOf(['a.env', 'b.env.example', './a.env']);
  const { changes, said, flags } = ofEnvFiles(model, settingOf, isThere);
  assert.deepEqual(changes.services.web.env_file.toJSON(), [
    { path: '/shop/a.env' },
    { path: '/shop/b.env.example' },
    { path: '/shop/c.env', required: false },
  ]);
  assert.equal(changes.services.db.env_file.tag, '!reset');
  assert.equal(changes.services.cache, undefined);
  assert.deepEqual(said, [
    'b.env (env_file) is not there: b.env.example is read in its place.',
    'd$.env (env_file) is not there: nothing is read in its place.',
  ]);
  assert.deepEqual(flags, []);
});

test('an example of .env is read where that is not there', () => {
  const given = { folder: '/shop', files: ['compose.yaml'] };
  for (const example of ['.env.example', 'env.sample', 'example.env'])
    assert.deepEqual(beforehand(given, isThereOf([example])).flags, ['--env-file', `/shop/${example}`]);
  for (const there of [['.env', '.env.example'], []])
    assert.deepEqual(beforehand(given, isThereOf(there)), { flags: [], env: {}, changes: {}, said: [] });
});

test('what is all there is left as it is', () => {
  const model = { services: { web: { env_file: [{ path: '/shop/a.env' }] }, db: {} } };
  for (const one of [model, null])
    assert.deepEqual(
      ofEnvFiles(one, () => '', isThereOf(['a.env'])),
      { flags: [], env: {}, changes: {}, said: [] },
    );
});

test('a value that the user gives counts before one that is made up', () => {
  const system = suppliedSystem(
    { project: 'run', folder: '/shop', files: [], env: { TOKEN: 'mine' } },
    { flags: ['--env-file', 'x'], env: { TOKEN: 'made', KEY: 'made' } },
  );
  assert.deepEqual([system.env?.TOKEN, system.env?.KEY, system.flags.slice(0, 2)], ['mine', 'made', ['--env-file', 'x']]);
});

/** What is made up, of what Compose made of the files or of its refusal. @param {any} found @param {string[]} [unset] @param {Record<string, string>} [known] */
async function madeUpFor(found, unset = [], known = {}) {
  const doubts = unset.map((name) => `Compose: The "${name}" variable is not set. Defaulting to a blank string.`);
  const supplies = { flags: [], env: known, changes: {}, said: [] };
  const more = await moreFor(found, { supplies, doubts, settingOf: () => '', isThere: () => false, readModel: async () => null });
  return Object.keys(more?.env ?? {});
}

test('a variable is made up where it is required, named like a secret, or its place cannot be empty', async () => {
  const required = new NotReadyError('The Compose file: expected a value of the variable MODE; found none.', 'set it.');
  assert.deepEqual(await madeUpFor(required, ['DATA_DIR']), ['MODE']);
  assert.deepEqual(await madeUpFor(new NotReadyError('invalid spec', 'correct it.'), ['DATA_DIR', 'MODE', 'DB_PASSWORD']), [
    'DATA_DIR',
    'DB_PASSWORD',
  ]);
  assert.deepEqual(await madeUpFor({ services: { web: { image: 'shop:' } } }, ['WEB_TAG', 'MODE']), ['WEB_TAG']);
  assert.deepEqual(await madeUpFor({ services: { web: { image: 'shop:1' } } }, ['WEB_TAG', 'MODE']), []);
  assert.deepEqual(await madeUpFor({ secrets: { npm: { environment: 'NPM' }, file: { file: './x' } } }), ['NPM']);
  assert.deepEqual(await madeUpFor({}, ['DB_PASSWORD'], { DB_PASSWORD: 'x' }), []);
});
