import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seen } from './fixtures/seen.js';
import { observedOf } from './observed.js';

const ABOUT = { entries: ['front'], generator: 'load' };
const PAGES = ['/', '/items/:n'];
/** Of the probe: each page by itself. */
const PROBE = { '/': [1050, 1052, 1054], '/items/:n': [1056, 1058, 1060] };

/**
 * A service that users ask, and another that it asks.
 * @param {{ pages?: string[], behind?: (page: string) => string, bytes?: [front: number, back: number] }} [about]
 */
function stack({ pages = PAGES, behind = (page) => page, bytes = [400, 300] } = {}) {
  const seen = new Seen({ front: ['front'], back: ['back'], store: ['store'], load: ['k6'] });
  for (const page of /** @type {(keyof typeof PROBE)[]} */ (pages)) {
    seen
      .asks('host', 'front', { at: PROBE[page], lastS: 0.05, template: page, bytes: bytes[0] })
      .asks('front', 'back', { at: PROBE[page].map((at) => at + 0.01), lastS: 0.03, template: behind(page), bytes: bytes[1] });
  }
  return seen;
}

/** @param {Seen} seen */
const passersIn = ({ record }) => observedOf(record, ABOUT).services.flatMap(({ service, passes_on: passes }) => (passes ? [service] : []));

test('a service that asks what it is asked passes requests on', () => {
  assert.deepEqual(passersIn(stack()), ['front']);
});

test('a service that asks something else, or asks it more than once, does not', () => {
  assert.deepEqual(passersIn(stack({ behind: (page) => `/api${page}` })), []);
  const twice = stack().asks('front', 'back', { at: PROBE['/'].map((at) => at + 0.041), lastS: 0.005, template: '/' });
  assert.deepEqual(passersIn(twice), []);
});

test('a service that asks a store as well does not', () => {
  const asking = stack().asks('front', 'store', { protocol: 'kv', at: PROBE['/'].map((at) => at + 0.005), lastS: 0.001, template: 'get' });
  assert.deepEqual(passersIn(asking), []);
});

test('checks of its servers beside the requests change nothing', () => {
  const checking = stack().asks('front', 'back', { at: [1051, 1053, 1055, 1057, 1059], lastS: 0.001, template: '/health' });
  assert.deepEqual(passersIn(checking), ['front']);
});

test('by one page alone it is known by a long answer that is as long as the other', () => {
  const pages = ['/'];
  assert.deepEqual(passersIn(stack({ pages, bytes: [9150, 9000] })), ['front']);
  assert.deepEqual(passersIn(stack({ pages, bytes: [9000, 7000] })), []);
  assert.deepEqual(passersIn(stack({ pages, bytes: [400, 300] })), []);
});

test('what nobody knows a proxy may answer by itself, and where it passes that on it is known by it', () => {
  const unknown = { at: [1062, 1063, 1064], template: '/nowhere', status: 404 };
  const own = stack().asks('host', 'front', { ...unknown, lastS: 0.01 });
  assert.deepEqual(passersIn(own), ['front']);
  const passed = stack({ pages: ['/'] })
    .asks('host', 'front', { ...unknown, lastS: 0.05 })
    .asks('front', 'back', { ...unknown, at: unknown.at.map((at) => at + 0.01), lastS: 0.03 });
  assert.deepEqual(passersIn(passed), ['front']);
  const app = stack({ pages: ['/'] }).asks('host', 'front', { ...unknown, lastS: 0.01 });
  assert.deepEqual(passersIn(app), []);
});

test('of two requests nothing is said', () => {
  const seen = new Seen({ front: ['front'], back: ['back'], load: ['k6'] });
  for (const [at, template] of /** @type {const} */ ([
    [1050, '/'],
    [1052, '/items/:n'],
  ]))
    seen.asks('host', 'front', { at: [at], lastS: 0.05, template }).asks('front', 'back', { at: [at + 0.01], lastS: 0.03, template });
  assert.deepEqual(passersIn(seen), []);
});
