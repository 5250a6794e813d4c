import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configOf } from './fixtures/systems.js';
import { newVolumes } from './new-volumes.js';

test('a volume that the run makes is told with its service, and none of anybody else', () => {
  assert.deepEqual(newVolumes(configOf('notes')), ['mongo-data of mongo']);
  assert.deepEqual(newVolumes(configOf('hostile')), []);
});

test('a volume that several services share is told once, with all of them', () => {
  const volumes = ['cache', 'cache'].map((source, index) => ({ type: 'volume', source, target: `/${index}` }));
  const config = {
    name: 'run',
    services: { web: { volumes }, worker: { volumes: volumes.slice(1) } },
    volumes: { cache: { name: 'run_cache' } },
  };
  assert.deepEqual(newVolumes(config), ['cache of web and worker']);
});

test('a volume of a driver that may keep it elsewhere is not told as new', () => {
  const services = { web: { volumes: [{ type: 'volume', source: 'media', target: '/media' }] } };
  const ofDriver = (/** @type {string} */ driver) =>
    newVolumes({ name: 'run', services, volumes: { media: { name: 'run_media', driver } } });
  assert.deepEqual([ofDriver('local'), ofDriver('vieux/sshfs')], [['media of web'], []]);
});
