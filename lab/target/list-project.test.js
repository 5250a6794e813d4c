import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProject } from '../catalog/project-file.js';
import { aboutLoad, aboutServices } from './list-project.js';

/** @param {string} load */
const projectOf = (load) =>
  parseProject(
    `
compose: [compose.yaml]
entry: http://edge:8000/
services:
  edge: { tier: load-balancer, product: nginx, watch: 2 }
  web: { tier: app, product: opaque, watch: 0 }
load: ${load}
`,
    'doubletake.yaml',
  );

test('each service has a line with its tier, its product and how far it is watched', () => {
  assert.deepEqual(aboutServices(projectOf('{ script: load.js }').services), [
    ['edge', 'load-balancer, nginx, watch 2: a configuration laid over its own'],
    ['web', 'app, opaque, watch 0: its container'],
  ]);
});

test('a load is told by its shape, its users and its first requests, without their bodies', () => {
  const urls = '["GET /", "3x GET /items/7", "POST /orders {\\"item\\": 7}", "GET /a", "GET /b"]';
  const [shape, about] = aboutLoad(projectOf(`{ urls: ${urls}, shape: brief, users: 20, think_ms: 5 }`).load);
  assert.equal(shape, 'brief');
  assert.match(about, /^20 users in four steps, .*, who think for 5 ms: GET \/, 3x GET \/items\/7, POST \/orders and 2 more$/);
});

test('what doubletake.yaml leaves out is reported as it is run', () => {
  const [shape, about] = aboutLoad(projectOf('{ urls: ["GET /"] }').load);
  assert.equal(shape, 'steps');
  assert.match(about, /^200 users in four steps, .*, who think for 1000 ms: GET \/$/);
});

test('a load from a description or a script names its file', () => {
  assert.match(aboutLoad(projectOf('{ openapi: openapi.yaml }').load)[1], /: what openapi\.yaml describes$/);
  assert.deepEqual(aboutLoad(projectOf('{ script: load.js }').load), ['script', 'load.js, with options of its own']);
});
