import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { notesOfPlace } from './reports-place.js';

const REPORTS = '/home/ada/shop/reports';

/** @type {(service: any, ignored?: string | null) => string[]} */
const notesFor = (service, ignored = null) =>
  notesOfPlace(serviceModels({ name: 'run', services: { web: service } }), REPORTS, (file) =>
    file.endsWith('/.dockerignore') ? ignored : null,
  );

test('a service that is built from the folder of the reports is told, unless they are left out', () => {
  const service = { build: { context: '/home/ada/shop' } };
  assert.match(notesFor(service).join(), /^web: built from a folder in which the reports lie; write reports into its \.dockerignore/);
  for (const ignored of ['reports', 'node_modules\n/reports/\n', '*', '**/reports'])
    assert.deepEqual(notesFor(service, ignored), [], ignored);
  assert.deepEqual(notesFor({ build: { context: '/home/ada/shop/web' } }), []);
  assert.match(notesFor({ build: { context: '/home/ada' } }, 'node_modules').join(), /write shop\/reports into/);
  assert.deepEqual(notesFor({ build: { context: '/home/ada' } }, 'shop'), []);
  assert.equal(notesFor(service, 'report.').length, 1);
});

test('a service that mounts the folder of the reports is told', () => {
  const volumes = [{ type: 'bind', source: '/home/ada/shop', target: '/app', read_only: true }];
  assert.match(notesFor({ volumes }).join(), /^web: mounts a folder in which the reports lie;.*DOUBLETAKE_REPORTS/);
  assert.deepEqual(notesFor({ volumes: [{ ...volumes[0], source: '/home/ada/shop/src' }] }), []);
});
