import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOAD_DEFAULTS, placeholderFor } from './project-schema.js';
import { withRoute } from './routed-host.js';

const ENTRIES = ['http://edge:80/'];
const PLACEHOLDER = placeholderFor(ENTRIES);

/** @param {string} to @param {string[]} hosts @param {string[]} [paths] */
const route = (to, hosts, paths = ['/']) => ({ from: 'edge', to, hosts, paths, reason: '' });
/** @type {any} */
const DETECTIONS = {
  entry: { service: 'edge', url: 'http://edge:80/' },
  services: ['edge', 'web', 'api', 'db']
    .map((service) => ({ service, tier: 'app' }))
    .concat({ service: 'page', tier: /** @type {any} */ (null) }),
  edges: [
    { from: 'edge', to: 'web' },
    { from: 'edge', to: 'api' },
    { from: 'api', to: 'db' },
  ],
};
/** @param {import('./project-schema.js').ProjectLoad} load @param {import('../adapters/found-servers.js').Route[]} routes */
const routed = (load, routes) => withRoute({ load, said: [] }, { detections: DETECTIONS, entries: ENTRIES, routes });

test('the load asks for the host behind which most is needed, and the others are named', () => {
  const { load, said } = routed(PLACEHOLDER, [route('page', ['page.test']), route('web', ['www.test']), route('api', ['api.test'])]);
  assert.deepEqual(load, { ...PLACEHOLDER, headers: { Host: 'api.test' } });
  assert.equal(load.urls, PLACEHOLDER.urls);
  assert.deepEqual(said, [
    'Each request has the Host api.test, by which edge sends it to api; others are page.test (page), www.test (web).',
  ]);
});

test('a placeholder asks for the path that is served', () => {
  assert.deepEqual(routed(PLACEHOLDER, [route('api', [], ['/v1'])]).load, { urls: ['GET /v1'], ...LOAD_DEFAULTS });
  const load = { openapi: 'openapi.yaml', ...LOAD_DEFAULTS };
  assert.deepEqual(routed(load, [route('api', ['a.test'], ['/v1'])]).load, { ...load, headers: { Host: 'a.test' } });
});

test('a script sends what it sends, and is told of the host', () => {
  const { load, said } = routed({ script: 'load.js' }, [route('api', ['a.test'])]);
  assert.deepEqual(
    [load, said],
    [{ script: 'load.js' }, ['? edge sends requests on by their Host: let load.js send one, such as a.test (api).']],
  );
});

test('what another service routes changes nothing', () => {
  assert.deepEqual(routed(PLACEHOLDER, [{ ...route('api', ['a.test']), from: 'other' }]), { load: PLACEHOLDER, said: [] });
});
