import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOAD_DEFAULTS, placeholderFor } from '../catalog/project-schema.js';
import { routedHosts, withRoutes } from './routed-host.js';

const EDGE = 'http://edge:80/';
const PLACEHOLDER = placeholderFor({ entry: EDGE });

/** @param {string} to @param {string[]} hosts @param {string[]} [paths] */
const route = (to, hosts, paths = ['/']) => ({ from: 'edge', to, hosts, paths, reason: '' });
/** @type {any} */
const DETECTIONS = {
  entry: { service: 'edge', url: EDGE },
  more: [],
  services: ['edge', 'web', 'api', 'db']
    .map((service) => ({ service, tier: 'app' }))
    .concat({ service: 'page', tier: /** @type {any} */ (null) }),
  edges: [
    { from: 'edge', to: 'web' },
    { from: 'edge', to: 'api' },
    { from: 'api', to: 'db' },
  ],
};
/** @param {import('../catalog/project-schema.js').ProjectLoad} load @param {import('../adapters/found-servers.js').Route[]} routes @param {Record<string, string[]>} [sites] */
function routed(load, routes, sites) {
  const found = routedHosts({ detections: DETECTIONS, routes, sites });
  return { ...withRoutes({ load, said: [] }, found, EDGE), hosts: found.hosts };
}

test('each routed host is asked, first that behind which most is needed; what no request is meant for is named', () => {
  const { load, said, hosts } = routed(PLACEHOLDER, [
    route('page', ['page.test']),
    route('web', ['www.test', 'test']),
    route('api', ['api.test']),
  ]);
  assert.deepEqual(Object.entries(hosts), [
    ['api.test', EDGE],
    ['www.test', EDGE],
  ]);
  assert.deepEqual(load, { urls: ['GET /', 'GET http://www.test/'], ...LOAD_DEFAULTS });
  assert.deepEqual(said, [
    'edge sends requests on by their Host: the load asks it by api.test (api) and www.test (web); others are test (web), page.test (page).',
  ]);
});

test('a path that a host is served below is what is asked of it', () => {
  assert.deepEqual(routed(PLACEHOLDER, [route('api', [], ['/v1'])]).load, { urls: ['GET /v1'], ...LOAD_DEFAULTS });
  const { load } = routed(PLACEHOLDER, [route('api', ['api.test'], ['/v1']), route('web', ['www.test'], ['/shop'])]);
  assert.deepEqual(load.urls, ['GET /v1', 'GET http://www.test/shop']);
});

test('what somebody wrote is asked as it is, by the first host', () => {
  const load = { openapi: 'openapi.yaml', ...LOAD_DEFAULTS };
  const found = routed(load, [route('api', ['a.test'], ['/v1'])]);
  assert.deepEqual([found.load, found.hosts], [load, { 'a.test': EDGE }]);
});

test('a script sends what it sends, and is told of the host', () => {
  const { load, said } = routed({ script: 'load.js' }, [route('api', ['a.test'])]);
  assert.deepEqual(
    [load, said],
    [{ script: 'load.js' }, ['? edge sends requests on by their Host: let load.js send one, such as a.test (api).']],
  );
});

test('several sites of a configuration are asked by their names; one alone needs no telling apart', () => {
  const two = routed(PLACEHOLDER, [], { edge: ['shop.test', 'blog.test'], web: ['in.test', 'side.test'] });
  assert.deepEqual(two.load.urls, ['GET /', 'GET http://blog.test/']);
  assert.deepEqual(two.hosts, { 'shop.test': EDGE, 'blog.test': EDGE });
  assert.deepEqual(routed(PLACEHOLDER, [], { edge: ['shop.test'] }).hosts, {});
});

test('each of several entries has its own hosts', () => {
  const ADMIN = 'https://admin:443/';
  const detections = { ...DETECTIONS, more: [{ service: 'admin', url: ADMIN }] };
  const found = routedHosts({
    detections,
    routes: [route('web', ['www.test']), { ...route('api', ['api.test']), from: 'admin' }, { ...route('db', ['db.test']), from: 'admin' }],
  });
  assert.deepEqual(found.hosts, { 'www.test': EDGE, 'api.test': ADMIN, 'db.test': ADMIN });
  const entry = [EDGE, ADMIN];
  const { load } = withRoutes({ load: placeholderFor({ entry }), said: [] }, found, entry);
  assert.deepEqual(load.urls, ['GET /', `GET ${ADMIN}`, 'GET https://db.test/']);
});

test('what another service routes changes nothing', () => {
  const { load, said, hosts } = routed(PLACEHOLDER, [{ ...route('api', ['a.test']), from: 'other' }]);
  assert.deepEqual({ load, said, hosts }, { load: PLACEHOLDER, said: [], hosts: {} });
});
