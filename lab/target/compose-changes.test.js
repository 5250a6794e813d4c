import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, override, reset, together } from './compose-changes.js';

test('what is reset is gone, what is overridden is another, and the rest stays', () => {
  const config = { networks: { a: { name: 'x', external: true }, b: { name: 'y', internal: true } }, name: 'run' };
  const made = changed(config, { networks: { a: override({}), b: { name: reset() } } });
  assert.deepEqual(made, { networks: { a: {}, b: { internal: true } }, name: 'run' });
  assert.equal(config.networks.b.name, 'y');
});

test('a mount takes the place of the one at its target', () => {
  const config = {
    services: {
      constructor: {
        volumes: [
          { type: 'bind', target: '/a' },
          { type: 'bind', target: '/b' },
        ],
      },
    },
  };
  const made = changed(config, { services: { constructor: { volumes: [{ type: 'volume', target: '/a' }] } } });
  assert.deepEqual(made.services.constructor.volumes, [
    { type: 'bind', target: '/b' },
    { type: 'volume', target: '/a' },
  ]);
});

test('of two sets of changes both are kept', () => {
  const one = { services: { web: { volumes: [{ target: '/a' }], deploy: { resources: { limits: { cpus: '2' } } } } } };
  const other = { services: { web: { volumes: [{ target: '/b' }], deploy: { restart_policy: reset() } } }, networks: { page: {} } };
  const made = together(one, other);
  assert.deepEqual(made.services.web.volumes, [{ target: '/a' }, { target: '/b' }]);
  assert.deepEqual(Object.keys(made.services.web.deploy), ['resources', 'restart_policy']);
  assert.deepEqual(made.networks, { page: {} });
});

test('what is added to a list that takes the place of another is added to that one', () => {
  const one = { services: { web: { volumes: override([{ target: '/a' }]) } } };
  const { volumes } = together(one, { services: { web: { volumes: [{ target: '/b' }] } } }).services.web;
  assert.deepEqual([volumes.tag, volumes.toJSON()], ['!override', [{ target: '/a' }, { target: '/b' }]]);
});
