import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { rulesOf } from './ends.js';

const models = serviceModels({
  name: 'run',
  services: { api: { restart: 'always' }, migrate: { restart: 'on-failure' }, web: {} },
});
/** @type {import('./project-schema.js').Project} */
const project = {
  compose: ['compose.yaml'],
  entry: 'http://web:80/',
  services: { web: { tier: 'app', product: 'opaque', watch: 0 }, migrate: { tier: 'other', product: 'opaque', watch: 0 } },
  edges: [],
  load: {},
};

test('only what no request passes may end', () => {
  const { mayEnd } = rulesOf(models, project);
  // One that doubletake.yaml does not name is passed by none.
  assert.deepEqual(['web', 'migrate', 'api'].map(mayEnd), [false, true, true]);
});

test('a service comes back as its file says', () => {
  const { comesBack } = rulesOf(models, project);
  assert.deepEqual(
    [comesBack('api', 0), comesBack('migrate', 1), comesBack('migrate', 0), comesBack('web', 1)],
    [true, true, false, false],
  );
});
