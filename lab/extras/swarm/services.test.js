import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wavesOf } from './services.js';

const SERVICES = {
  nginx: { depends_on: { 'app-1': {}, 'app-2': {} } },
  'app-1': { depends_on: { mongo: {} } },
  'app-2': { depends_on: { mongo: {} } },
  mongo: {},
  observer: { depends_on: null },
};

test('a service starts after all that it depends on, and together with those that may start then', () => {
  assert.deepEqual(wavesOf(SERVICES, Object.keys(SERVICES)), [['mongo', 'observer'], ['app-1', 'app-2'], ['nginx']]);
});

test('what is not started now is not waited for', () => {
  assert.deepEqual(wavesOf(SERVICES, ['app-1', 'nginx']), [['app-1'], ['nginx']]);
});

test('services that wait for each other are told', () => {
  assert.throws(() => wavesOf({ a: { depends_on: { b: {} } }, b: { depends_on: { a: {} } } }, ['a', 'b']), /a, b depend on each other/);
});
