import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { stateIn } from './info.js';

const INFO = readFileSync(new URL('./fixtures/info.txt', import.meta.url), 'utf8');

test('the state is read from INFO and the length of the slow log', () => {
  assert.deepEqual(stateIn(INFO.replaceAll('\n', '\r\n')), {
    clients: 50,
    max_clients: 100,
    blocked_clients: 3,
    rejected_connections: 7,
    used_memory: 73400320,
    max_memory: 104857600,
    evicted_keys: 2,
    commands: 5000,
    operations_per_s: 480,
    keyspace_hits: 4000,
    keyspace_misses: 100,
    keys: 123,
    error_replies: 9,
    out_of_memory_replies: 4,
    latest_fork_us: 350,
    slow_commands: 12,
    loading: false,
    saves: true,
    role: 'master',
  });
});

test('what a version does not tell is not known, and a kind of error that did not occur is none', () => {
  const old = stateIn('connected_clients:2\nused_memory:1\n');
  assert.deepEqual([old?.clients, old?.max_clients, old?.slow_commands, old?.out_of_memory_replies], [1, null, null, null]);
  assert.equal(stateIn('connected_clients:2\ntotal_error_replies:0\n')?.out_of_memory_replies, 0);
});

test('a save that failed is told', () => {
  assert.equal(stateIn(INFO.replace('rdb_last_bgsave_status:ok', 'rdb_last_bgsave_status:err'))?.saves, false);
});

test('what is no answer gives no state', () => {
  for (const output of ['', 'NOAUTH Authentication required.\n', 'Could not connect to Redis at 127.0.0.1:6379: Connection refused\n'])
    assert.equal(stateIn(output), null, output);
});
