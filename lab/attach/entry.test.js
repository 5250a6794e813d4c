import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { chooseEntry } from './entry.js';

/** @typedef {import('../adapters/contract.js').Tier} Tier */

/**
 * @typedef {{ tier: Tier | null, published?: number[], expose?: string[] }} Given
 * @type {(services: Record<string, Given>, edges?: [string, string][]) => ReturnType<typeof chooseEntry>}
 */
function entryOf(services, edges = []) {
  const config = Object.entries(services).map(([name, { published = [], expose }]) => [
    name,
    { expose, ports: published.map((target) => ({ target, protocol: 'tcp' })) },
  ]);
  return chooseEntry(
    serviceModels({ name: 'run', services: Object.fromEntries(config) }),
    new Map(Object.entries(services).map(([name, { tier }]) => [name, tier])),
    edges.map(([from, to]) => ({ from, to, reason: '' })),
  );
}

test('a load balancer that publishes a port comes before an app that does', () => {
  const { entry, doubts } = entryOf({ api: { tier: 'app', published: [3000] }, lb: { tier: 'load-balancer', published: [8080] } });
  assert.deepEqual(entry, { service: 'lb', url: 'http://lb:8080/', reason: 'the load balancer that publishes port 8080' });
  assert.match(doubts[0], /enter at api/);
});

test('of two apps it is the one that asks the other', () => {
  /** @type {Record<string, Given>} */
  const services = { api: { tier: 'app', published: [8000] }, front: { tier: 'app', published: [3000] } };
  assert.equal(entryOf(services, [['front', 'api']]).entry?.url, 'http://front:3000/');
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

test('where nothing listens there is no entry', () => {
  assert.deepEqual(entryOf({ api: { tier: 'app' }, tool: { tier: null, published: [80] } }), { entry: null, doubts: [] });
});
