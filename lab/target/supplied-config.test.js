import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.js';
import { beforehand, moreFor, ofEnvFiles, suppliedSystem } from './supplied-config.js';

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
