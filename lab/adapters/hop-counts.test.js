import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareAddress, countsOf, messagesOf, seenIn, serviceAt } from './hop-counts.js';

/** @param {object} more @returns {import('./contract.js').Sighting} */
const sighting = (more) => ({
  service: 'edge',
  id: '1-1',
  received: 10,
  ended: 11,
  outcome: 'answered',
  status: 200,
  error: '',
  place: '',
  asked: [],
  own: [],
  ...more,
});

/** @type {(t: number) => import('./contract.js').Message} */
const message = (t) => ({ signal: 'benched', t, text: `at ${t}` });

const window = { from: 10, to: 20 };

test('a sighting counts for the load when a part of it lies in it', () => {
  const all = [
    { received: 8, ended: 9.9 },
    { received: 9, ended: 10.1 },
    { received: 19.9, ended: 25 },
    { received: 12, ended: null },
    { received: 20, ended: 21 },
  ].map(sighting);
  assert.deepEqual(
    seenIn(all, window).map(({ received }) => received),
    [9, 19.9, 12],
  );
});

test('requests are counted by outcome, and one that is still open has none', () => {
  const all = [{}, { status: 302 }, { status: 503 }, { outcome: 'broken', status: null }, { outcome: 'open', ended: null }].map(sighting);
  assert.deepEqual(countsOf(all), { received: 5, answered_ok: 2, answered_error: 1, aborted: 1 });
});

test('messages of requests and of the service stand in the order of time, those outside the load left out', () => {
  const asked = [{ to: 'app', status: null, connected: false, message: message(12) }];
  const seen = [sighting({ asked, own: [message(15)] })];
  assert.deepEqual(
    messagesOf(seen, [message(3), message(13), message(21)], window).map(({ t }) => t),
    [12, 13, 15],
  );
});

test('an address is taken without its scheme and port, in each of its spellings', () => {
  assert.deepEqual(['10.0.0.2:3000', 'tcp://10.0.0.2:3000', '[::1]:3000', '::1', 'app-1:3000', 'app-1'].map(bareAddress), [
    '10.0.0.2',
    '10.0.0.2',
    '::1',
    '::1',
    'app-1',
    'app-1',
  ]);
});

test('a service is named by its address, and an address that no service has stands for itself', () => {
  const names = new Map([['10.0.0.2', 'app-1']]);
  assert.deepEqual(
    ['10.0.0.2:3000', '10.0.0.9:3000'].map((address) => serviceAt(address, names)),
    ['app-1', '10.0.0.9'],
  );
});
