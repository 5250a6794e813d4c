import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { aboutJobs, doneJobs, rulesOf, withoutJobs } from './ends.js';

const models = serviceModels({
  name: 'run',
  services: { api: { restart: 'always' }, migrate: { restart: 'on-failure' }, web: {} },
});
/** @type {import('../catalog/project-schema.js').Project} */
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

test('a job that others wait for may end, whatever doubletake.yaml takes it for, and so may what nobody can ask', () => {
  const found = serviceModels({
    name: 'run',
    services: {
      web: { expose: ['80'], depends_on: { seed: { condition: 'service_completed_successfully' } } },
      seed: { expose: ['81'] },
      fixtures: {},
      api: {},
      loop: { restart: 'always' },
      store: {},
    },
  });
  const service = (/** @type {any} */ tier) => ({ tier, product: 'opaque', watch: /** @type {const} */ (0) });
  const given = {
    ...project,
    services: {
      loop: service('app'),
      web: service('load-balancer'),
      seed: service('app'),
      fixtures: service('app'),
      api: service('app'),
      store: service('database'),
    },
    edges: /** @type {[string, string][]} */ ([
      ['web', 'fixtures'],
      ['web', 'api'],
      ['api', 'store'],
    ]),
  };
  const proposal = { services: {}, edges: [{ from: 'web', to: 'fixtures', reason: 'assumed' }] };
  const { mayEnd, isJob } = rulesOf(found, given, proposal);
  assert.deepEqual(['web', 'seed', 'fixtures', 'api', 'store', 'loop'].map(mayEnd), [false, true, true, false, false, false]);
  assert.deepEqual(['seed', 'fixtures'].map(isJob), [true, false]);
  const { services, edges } = withoutJobs(given, ['fixtures']);
  assert.deepEqual([services.fixtures.tier, services.api.tier, edges.length], ['other', 'app', 2]);
});

test('what ended before the load is a job that is done, unless doubletake.yaml says so already', () => {
  const stack = [
    { service: 'web', pid: 0 },
    { service: 'web', pid: 7 },
    { service: 'migrate', pid: 0 },
    { service: 'fixtures', pid: 0 },
  ];
  const given = { ...project, services: { ...project.services, fixtures: project.services.web } };
  assert.deepEqual(doneJobs(stack, given), ['fixtures']);
  assert.match(aboutJobs(['fixtures']).join(), /^fixtures ended well before the load/);
  assert.deepEqual(aboutJobs([]), []);
});
