import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerOf } from '../fixtures/hop-files.js';
import { sampleState } from './state.js';

test('an answer is the sample, asked within a second and without a key or a value', async () => {
  const { container, asked } = containerOf('connected_clients:2\r\n');
  const state = /** @type {import('./info.js').State} */ (await sampleState(container));
  assert.equal(state.clients, 1);
  assert.ok(asked[0].limitMs < 1000);
  assert.ok(!/SLOWLOG GET|MONITOR|KEYS|CLIENT LIST/.test(asked[0].command.join(' ')));
});

test('a refusal for want of a connection is a sample of its own', async () => {
  assert.deepEqual(await sampleState(containerOf('ERR max number of clients reached\n', 1).container), { refused: true });
});

test('where it cannot be asked there is no sample', async () => {
  assert.equal(await sampleState(containerOf('NOAUTH Authentication required.\n').container), null);
  assert.equal(await sampleState(containerOf('', 127).container), null);
});
