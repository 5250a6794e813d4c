import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { configOf } from './fixtures/systems.js';
import { ownImages } from './own-images.js';

/** What an image may be called: https://github.com/distribution/reference (path-component). */
const REFERENCE = /^doubletake-own\/[a-z0-9]+(-+[a-z0-9]+)*$/;

test('each service that is built and has no name for its image gets one from its folder, the same in each run', () => {
  const models = serviceModels(configOf('notes'));
  assert.deepEqual(ownImages(models, '/home/ada/notes'), {
    api: 'doubletake-own/notes-api',
    migrate: 'doubletake-own/notes-migrate',
    worker: 'doubletake-own/notes-worker',
  });
});

test('an image that the file names keeps its name, because another service may run it', () => {
  const models = serviceModels({ services: { web: { build: { context: '.' }, image: 'shop/web' }, worker: { image: 'shop/web' } } });
  assert.deepEqual(ownImages(models, '/home/ada/shop'), {});
});

test('the images of each side of a comparison have names of their own, also where the file names them', () => {
  const models = serviceModels({
    services: { db: { image: 'postgres:15' }, jobs: { image: 'shop/web' }, web: { build: {}, image: 'shop/web' }, worker: { build: {} } },
  });
  const [one, other] = ['rev:v1', 'POOL=8'].map((arm) => ownImages(models, '/home/ada/shop', arm));
  assert.deepEqual(Object.keys(one).toSorted(), ['jobs', 'web', 'worker']);
  assert.equal(one.jobs, one.web);
  for (const image of [one.web, one.worker]) assert.match(image, REFERENCE);
  assert.equal(new Set([...Object.values(one), ...Object.values(other)]).size, 4);
  assert.deepEqual(ownImages(models, '/home/ada/shop', 'rev:v1'), one);
});

test('whatever folder and services are called, each name is one that the engine takes, and no two are alike', () => {
  const names = ['web', 'Web', 'web_', '_', 'we.b', '__'];
  const models = serviceModels({ services: Object.fromEntries(names.map((name) => [name, { build: {} }])) });
  for (const folder of ['/home/ada/My Shop (2)', '/', '/srv/größe']) {
    const images = Object.values(ownImages(models, folder));
    assert.equal(new Set(images).size, names.length);
    for (const image of images) assert.match(image, REFERENCE);
  }
});
