import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { chooseEntry } from './entry.js';

/** @typedef {import('../adapters/contract.js').Tier} Tier */

/**
 * @typedef {{ tier: Tier | null, published?: number[], at?: string, ip?: string, image?: string, expose?: string[], network_mode?: string }} Given
 * @type {(services: Record<string, Given>, edges?: [string, string][], assumed?: [string, string][]) => ReturnType<typeof chooseEntry>}
 */
function entryOf(services, edges = [], assumed = []) {
  const config = Object.entries(services).map(([name, { published = [], at, ip, image, expose, network_mode }]) => [
    name,
    { expose, network_mode, image, ports: published.map((target) => ({ target, protocol: 'tcp', published: at, host_ip: ip })) },
  ]);
  return chooseEntry(
    serviceModels({ name: 'run', services: Object.fromEntries(config) }),
    new Map(Object.entries(services).map(([name, { tier }]) => [name, tier])),
    edges.map(([from, to]) => ({ from, to, reason: '' })),
    assumed.map(([from, to]) => ({ from, to, reason: 'assumed' })),
  );
}

test('a load balancer that publishes a port comes before an app that does', () => {
  /** @type {Record<string, Given>} */
  const services = { api: { tier: 'app', published: [3000] }, lb: { tier: 'load-balancer', published: [8080] } };
  const { entry, more, others, doubts } = entryOf(services, [], [['lb', 'api']]);
  assert.deepEqual([more, others], [[], [{ service: 'api', url: 'http://api:3000/' }]]);
  assert.deepEqual(entry, { service: 'lb', url: 'http://lb:8080/', reason: 'the load balancer that publishes port 8080' });
  assert.match(doubts[0], /enter at api/);
});

test('users enter at each that publishes a usual port, unless one of them asks it', () => {
  /** @type {Record<string, Given>} */
  const services = {
    result: { tier: 'app', published: [80] },
    vote: { tier: 'app', published: [80] },
    odd: { tier: 'app', published: [9021] },
  };
  const { entry, more, others } = entryOf(services);
  assert.deepEqual([entry?.url, more.map(({ url }) => url)], ['http://result:80/', ['http://vote:80/']]);
  assert.deepEqual(others, [{ service: 'odd', url: 'http://odd:9021/' }]);
  assert.deepEqual(entryOf(services, [['vote', 'result']]).more, []);
});

test('of two apps it is the one that asks the other', () => {
  /** @type {Record<string, Given>} */
  const services = { api: { tier: 'app', published: [8000] }, front: { tier: 'app', published: [3000] } };
  assert.equal(entryOf(services, [['front', 'api']]).entry?.url, 'http://front:3000/');
});

test('of two apps alike it is the one on a port on which HTTP is usual, whatever their names', () => {
  /** @type {Record<string, Given>} */
  const services = { 'admin-tool': { tier: 'app', published: [9021] }, orders: { tier: 'app', published: [8080] } };
  assert.equal(entryOf(services).entry?.url, 'http://orders:8080/');
  assert.match(entryOf(services).doubts[0], /enter at admin-tool/);
});

test('a database that publishes its port is no entry', () => {
  const { entry, doubts } = entryOf({ db: { tier: 'database', published: [5432] }, api: { tier: 'app', published: [3000] } });
  assert.equal(entry?.service, 'api');
  assert.deepEqual(doubts, []);
});

test('of several ports it is one on which HTTP is usual, and no operators’ page', () => {
  const urlOf = (/** @type {number[]} */ published) => entryOf({ lb: { tier: 'load-balancer', published } }).entry?.url;
  assert.equal(urlOf([8404, 443, 80]), 'http://lb:80/');
  assert.equal(urlOf([8404, 1234]), 'http://lb:1234/');
  assert.equal(urlOf([8404, 443]), 'https://lb:443/');
});

test('where nothing is published, what listens is taken, and the reason says so', () => {
  assert.match(entryOf({ api: { tier: 'app', expose: ['3000'] } }).entry?.reason ?? '', /nothing publishes/);
});

test('what is on no network of the file is no entry', () => {
  /** @type {Record<string, Given>} */
  const services = { api: { tier: 'app', expose: ['3000'], network_mode: 'host' }, front: { tier: 'app', expose: ['80'] } };
  assert.equal(entryOf(services).entry?.service, 'front');
});

test('where nothing listens there is no entry', () => {
  assert.deepEqual(entryOf({ api: { tier: 'app' }, tool: { tier: null, published: [80] } }), {
    entry: null,
    more: [],
    others: [],
    doubts: [],
  });
});

test('a balancer that an app asks, and that does not ask it back, stands behind that app', () => {
  /** @type {Record<string, Given>} */
  const services = { gateway: { tier: 'load-balancer', published: [80] }, web: { tier: 'app', published: [3000] } };
  assert.equal(entryOf(services, [['web', 'gateway']]).entry?.service, 'web');
  assert.equal(
    entryOf(services, [
      ['web', 'gateway'],
      ['gateway', 'web'],
    ]).entry?.service,
    'gateway',
  );
});

test('what has the front door of the machine is no tool’s server, though that waits for it', () => {
  /** @type {Record<string, Given>} */
  const services = { app: { tier: 'app', published: [8080], at: '80' }, importer: { tier: 'app', published: [8080], at: '81' } };
  assert.equal(entryOf(services, [['importer', 'app']]).entry?.service, 'app');
});

test('what only the machine itself can ask comes after what all can', () => {
  /** @type {Record<string, Given>} */
  const services = { admin: { tier: 'app', published: [8000], ip: '127.0.0.1' }, shop: { tier: 'app', published: [9021] } };
  assert.equal(entryOf(services).entry?.service, 'shop');
});

test('an image’s own port is one on which HTTP is spoken', () => {
  /** @type {Record<string, Given>} */
  const services = {
    one: { tier: 'app', published: [8096], image: 'jellyfin/jellyfin' },
    two: { tier: 'app', published: [8989], image: 'x/sonarr' },
  };
  assert.deepEqual(entryOf(services).more, [{ service: 'two', url: 'http://two:8989/' }]);
});

test('of a file that has stores alone users ask the one that speaks HTTP', () => {
  const { entry } = entryOf({ cache: { tier: 'cache', published: [6379] }, search: { tier: 'database', published: [9200] } });
  assert.equal(entry?.reason, 'the store that publishes port 9200');
});

test('of several ports it is the one that the service says it listens on', () => {
  const services = {
    one: { image: 'x', ports: [5044, 9000].map((target) => ({ target, protocol: 'tcp' })), environment: { BIND: '0.0.0.0:9000' } },
  };
  const { entry } = chooseEntry(serviceModels({ name: 'run', services }), new Map([['one', 'app']]), []);
  assert.equal(entry?.url, 'http://one:9000/');
});
