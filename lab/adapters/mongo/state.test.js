import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { stateIn } from './state.js';

const STATUS = JSON.parse(readFileSync(new URL('./fixtures/status.json', import.meta.url), 'utf8'));

test('of its status numbers are kept, and no name', () => {
  const state = stateIn(STATUS);
  assert.deepEqual(Object.keys(state).sort(), ['connections', 'operations', 'queued', 'tickets', 'user_errors']);
  assert.ok(Number(state.connections?.available) > 0);
  assert.equal(state.tickets?.read.totalTickets, 128);
  assert.doesNotMatch(JSON.stringify(state), /:"/);
});

test('sections that a version does not have are left out', () => {
  assert.deepEqual(stateIn({ connections: { current: 3, available: 7 } }), { connections: { current: 3, available: 7 } });
  assert.deepEqual(stateIn({ wiredTiger: { concurrentTransactions: { read: { out: 1, totalTickets: 4 } } } }), {
    tickets: { read: { out: 1, totalTickets: 4 } },
  });
});
