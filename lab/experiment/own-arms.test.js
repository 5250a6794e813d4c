import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from '../attach/compose-model.js';
import { readSide } from '../attach/side.js';
import { armsOf, notesOfArms } from './own-arms.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
/** @type {import('../attach/project-schema.js').Project} */
const project = {
  compose: ['compose.yaml'],
  entry: 'http://web:80/',
  services: { web: { tier: 'app', product: 'opaque', watch: 0 }, cache: { tier: 'cache', product: 'redis', watch: 0 } },
  edges: [['web', 'cache']],
  load: { urls: ['GET /'] },
};

/** @type {(given: string[], services: string[], fingerprint: string, commit?: string | null) => Parameters<typeof armsOf>[0][number]} */
const resolved = (given, services, fingerprint, commit = null) => {
  const side = readSide('--a', given);
  const models = serviceModels({ services: Object.fromEntries(services.map((service) => [service, { image: 'x' }])) });
  return { side, commit, compose: side.files ?? ['compose.yaml'], models, fingerprint };
};

test('each arm says what is run for it, and which services of doubletake.yaml only the other has', () => {
  const [base, other] = armsOf(
    [resolved(['rev:v1'], ['web', 'cache'], 'f1', COMMIT), resolved(['lean.yaml', 'POOL=8'], ['web'], 'f2')],
    project,
    'shop',
  );
  assert.deepEqual([base.id, other.id], ['rev:v1', 'lean.yaml, POOL=8']);
  assert.deepEqual([base.architecture, base.own?.commit, base.own?.title], ['shop', COMMIT, 'shop at v1 (0123456)']);
  assert.deepEqual([base.own?.absent, other.own?.absent], [[], ['cache']]);
  assert.deepEqual([other.variables, other.own?.compose, other.own?.given], [{ POOL: '8' }, ['lean.yaml'], ['lean.yaml', 'POOL=8']]);
});

test('an arm has the options of its side alone, and one without has none', () => {
  const [base, other] = armsOf([resolved([], ['web'], 'f1'), resolved(['.:RETRIES=2'], ['web'], 'f1')], project, 'shop');
  assert.deepEqual([base.own && 'options' in base.own, other.own?.options, other.variables], [false, { RETRIES: '2' }, {}]);
  assert.deepEqual([base.id, other.id], ['shop', 'RETRIES=2']);
});

test('the folder as it is on both sides is an A/A control, and that is said', async () => {
  const sides = [readSide('--a', []), readSide('--b', [])];
  const arms = armsOf([resolved([], ['web'], 'f1'), resolved([], ['web'], 'f1')], project, 'shop');
  assert.deepEqual(
    arms.map(({ id }) => id),
    ['shop', 'shop again'],
  );
  assert.deepEqual(await notesOfArms({ arms, sides, folder: '/nowhere', project }), [
    'to Compose shop and shop again are one system: this is an A/A control.',
  ]);
});

test('of two sides that differ nothing is said, and git is not asked where no revision is', async () => {
  const sides = [readSide('--a', ['POOL=8']), readSide('--b', [])];
  const arms = armsOf([resolved(['POOL=8'], ['web'], 'f1'), resolved([], ['web'], 'f2')], project, 'shop');
  assert.deepEqual(await notesOfArms({ arms, sides, folder: '/nowhere', project }), []);
});
