import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seen } from '../wire/fixtures/seen.js';
import { asObserved } from './observed.js';

const AT = [1050, 1052];
const wire = new Seen({ web: ['web'], api: ['api-1', 'api-2'], kv: ['kv'], 'load-k6': ['k6'] })
  .asks('k6', 'web', { at: AT, lastS: 0.1 })
  .asks('web', 'api-1', { at: AT.map((at) => at + 0.01), lastS: 0.05 })
  .asks('api-1', 'kv', { protocol: 'redis', at: AT.map((at) => at + 0.02) }).record;

/** @param {string} service @param {string} name @param {string} tier */
const container = (service, name, tier) => ({ service, name, tier, product: 'opaque', watch: 0 });

/** As a run leaves it, of a file that says nothing. */
const manifest = {
  services: [
    container('api', 'api-1', 'observer'),
    container('api', 'api-2', 'observer'),
    container('kv', 'kv', 'observer'),
    container('load-k6', 'k6', 'generator'),
    container('web', 'web', 'app'),
  ],
  edges: [{ from: 'k6', to: 'web' }],
  system: {
    services: {
      web: { tier: 'app', product: 'opaque' },
      api: { tier: 'observer', product: 'opaque' },
      kv: { tier: 'observer', product: 'opaque' },
    },
    edges: [],
    proposal: {
      services: { web: { tier: 'app', likely: 'app' }, api: { tier: null, likely: 'app' }, kv: { tier: null, likely: 'cache' } },
      edges: [],
    },
  },
};

test('edges and tiers of a run are those that were seen, by container', () => {
  const { manifest: used, differing } = asObserved(manifest, wire);
  assert.deepEqual(
    used.edges.map((/** @type {any} */ { from, to }) => `${from} ${to}`),
    ['k6 web', 'web api-1', 'web api-2', 'api-1 kv', 'api-2 kv'],
  );
  assert.deepEqual(
    used.services.map((/** @type {any} */ { name, tier }) => `${name} ${tier}`),
    ['api-1 app', 'api-2 app', 'kv cache', 'k6 generator', 'web app'],
  );
  assert.equal(differing[0], 'seen on the wire, not in doubletake.yaml: web asks api (http), 2 calls');
});

test('a record from before, one of a shipped system and one without the wire stand as they are', () => {
  const { proposal: _, ...before } = manifest.system;
  for (const [own, read] of /** @type {[any, any][]} */ ([
    [{ ...manifest, system: before }, wire],
    [{ ...manifest, system: undefined }, wire],
    [{ ...manifest, edges: undefined }, wire],
    [manifest, null],
  ])) {
    const { manifest: used, differing } = asObserved(own, read);
    assert.equal(used, own);
    assert.deepEqual(differing, []);
  }
});

test('of several entries each keeps its edge from the generator, and what it needs', () => {
  const both = new Seen({ web: ['web'], api: ['api-1', 'api-2'], kv: ['kv'], 'load-k6': ['k6'] })
    .asks('k6', 'web', { at: AT, lastS: 0.1 })
    .asks('k6', 'api-1', { at: AT.map((at) => at + 0.5), lastS: 0.1 })
    .asks('api-1', 'kv', { protocol: 'redis', at: AT.map((at) => at + 0.52) }).record;
  const edges = ['web', 'api-1', 'api-2'].map((to) => ({ from: 'k6', to }));
  const { manifest: used } = asObserved({ ...manifest, edges }, both);
  assert.deepEqual(
    used.edges.map((/** @type {any} */ { from, to }) => `${from} ${to}`),
    ['k6 web', 'k6 api-1', 'k6 api-2', 'api-1 kv', 'api-2 kv'],
  );
});
