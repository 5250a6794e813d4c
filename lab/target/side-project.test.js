import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absentServices, projectOfSide } from './side-project.js';

/** @type {import('../catalog/project-schema.js').Project} */
const project = {
  compose: ['compose.yaml'],
  entry: 'http://edge:80/',
  services: {
    edge: { tier: 'load-balancer', product: 'nginx', watch: 1 },
    web: { tier: 'app', product: 'opaque', watch: 0 },
    cache: { tier: 'cache', product: 'redis', watch: 1 },
  },
  edges: [
    ['edge', 'web'],
    ['web', 'cache'],
  ],
  load: { urls: ['GET /'] },
};

test('a service that only the other side has is left out, with the edges that lead to it', () => {
  const absent = absentServices(project, ['edge', 'web'], ['edge', 'web', 'cache']);
  assert.deepEqual(absent, ['cache']);
  const { compose, services, edges } = projectOfSide(project, { compose: ['lean.yaml'], absent });
  assert.deepEqual([compose, Object.keys(services), edges], [['lean.yaml'], ['edge', 'web'], [['edge', 'web']]]);
});

test('a service that neither side has, and the entry, stay for the check to tell', () => {
  assert.deepEqual(absentServices(project, ['edge'], ['edge']), []);
  assert.deepEqual(absentServices(project, ['web', 'cache'], ['edge', 'web', 'cache']), []);
});

test('a side that has everything is the project with its own files', () => {
  assert.deepEqual(projectOfSide(project, { compose: ['compose.yaml'], absent: [] }), project);
});
