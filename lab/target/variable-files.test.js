import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { refuseGraveVariables, withVariableFiles } from './variable-files.js';

let folder = '';
before(() => {
  folder = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-variables-')));
  for (const name of ['linked', 'including', 'nested/deep', 'plain']) mkdirSync(join(folder, name), { recursive: true });
  const files = {
    'linked/compose.yaml': 'services: {}',
    'including/compose.yaml': 'include:\n  - { path: x.yaml, env_file: [a.env, /etc/shadow] }',
    'nested/compose.yaml': 'include: [deep/x.yaml]',
    'nested/deep/x.yaml': 'include:\n  - { path: y.yaml, env_file: ./keys/id }',
    'plain/compose.yaml': 'include:\n  - { path: x.yaml, env_file: a.env }',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  symlinkSync('/root/.aws/credentials', join(folder, 'linked/.env'));
  symlinkSync('/root/.ssh', join(folder, 'nested/deep/keys'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} file */
const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
};
/** @param {string} name */
const refused = (name) => () => refuseGraveVariables({ folder: join(folder, name), files: ['compose.yaml'] }, read);

test('variables of the user’s own are not filled into a file, by whichever name it takes them', () => {
  assert.throws(
    refused('linked'),
    /linked\/\.env: expected a file of variables of this system’s own; found \/root\/\.aws\/credentials: keys lie there/,
  );
  assert.throws(refused('including'), /\/etc\/shadow: expected/);
  assert.throws(refused('nested'), /keys\/id: expected .* found \/root\/\.ssh\/id/);
  assert.doesNotThrow(refused('plain'));
});

test('a service’s files of variables are known, of whatever file it is', async () => {
  const config = { services: { web: { image: 'x' }, db: { image: 'y' } } };
  const model = { services: { web: { env_file: [{ path: '/a/$X.env' }, '/b.env'] }, db: {} } };
  const given = { texts: ['extends'], readModel: async () => model, replaced: (/** @type {string} */ path) => path.replace('$X', 'x') };
  assert.deepEqual(await withVariableFiles(config, given), {
    services: { web: { image: 'x', env_file: [{ path: '/a/x.env' }, { path: '/b.env' }] }, db: { image: 'y' } },
  });
  const unasked = { ...given, texts: ['services: {}'], readModel: () => assert.fail('nothing names one') };
  assert.equal(await withVariableFiles(config, unasked), config);
});
