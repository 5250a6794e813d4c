import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imagesByHost } from './placement.js';

/** @param {string} tier @param {string} image @param {Record<string, string>} [more] */
const service = (tier, image, more = {}) => ({ image, labels: { 'doubletake.tier': tier, ...more } });
const SERVICES = {
  nginx: service('load-balancer', 'nginx:1'),
  'app-1': service('app', 'app:1'),
  'app-2': service('app', 'app:1'),
  mongo: service('database', 'mongo:1'),
  observer: service('observer', 'app:1', { 'doubletake.beside': 'database' }),
};
/** @param {string} name @param {string[]} tiers */
const node = (name, tiers, isReady = true) => ({ name, labels: tiers.map((tier) => `doubletake.${tier}`), isReady });

test('a host needs the images of the tiers that it may run, each once', () => {
  const nodes = [node('one', ['load-balancer', 'app']), node('two', ['app']), node('three', ['database'])];
  assert.deepEqual(imagesByHost(SERVICES, nodes, ['one', 'two', 'three']), {
    one: ['nginx:1', 'app:1'],
    two: ['app:1'],
    three: ['mongo:1', 'app:1'],
  });
});

test('a tier that no host may run is reported, with what to do about it', () => {
  const nodes = [node('one', ['load-balancer', 'app']), node('two', ['database'], false)];
  assert.throws(
    () => imagesByHost(SERVICES, nodes, ['one', 'two']),
    (/** @type {Error & { remedy: string }} */ error) => {
      assert.match(error.message, /found none that is ready and has the label doubletake.database\./);
      assert.match(error.remedy, /docker node update --label-add doubletake.database=yes one/);
      return true;
    },
  );
});

test('a host that may run something and whose engine is not reached is told', () => {
  const nodes = [node('one', ['load-balancer', 'app', 'database']), node('two', ['app'])];
  assert.throws(() => imagesByHost(SERVICES, nodes, ['one']), /found two \(doubletake.app\), which HOSTS does not name/);
  assert.deepEqual(imagesByHost(SERVICES, [nodes[0], node('two', [])], ['one']), { one: ['nginx:1', 'app:1', 'mongo:1'] });
});
