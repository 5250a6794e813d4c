import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforehand, ofEnvFiles, suppliedSystem } from './supplied-config.js';

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
