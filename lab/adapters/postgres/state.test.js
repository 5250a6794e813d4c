import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerOf } from '../fixtures/hop-files.js';
import { STATEMENT, sampleState } from './state.js';

test('one line of JSON is the sample, whatever psql says before it', async () => {
  const { container, asked } = containerOf('WARNING:  database "postgres" has a collation version mismatch\n{"connections" : 3}\n');
  assert.deepEqual(await sampleState(container), { connections: 3 });
  assert.ok(asked[0].limitMs < 1000);
  assert.equal(asked[0].command.at(-1), STATEMENT);
});

test('a refusal for want of a connection is a sample of its own', async () => {
  for (const message of [
    'sorry, too many clients already',
    'remaining connection slots are reserved for non-replication superuser connections',
  ])
    assert.deepEqual(await sampleState(containerOf(`psql: error: FATAL:  ${message}\n`, 2).container), { refused: true });
});

test('that it was not let in, or its question ended, is on record, because the server logs it like a client', async () => {
  for (const message of ['FATAL:  Peer authentication failed for user "postgres"', 'ERROR:  canceling statement due to statement timeout'])
    assert.deepEqual(await sampleState(containerOf(`psql: error: ${message}\n`, 2).container), { failed: true });
});

test('where it cannot be asked there is no sample', async () => {
  assert.equal(await sampleState(containerOf('sh: 5: exec: psql: not found\n', 127).container), null);
  assert.equal(await sampleState(containerOf('', 0).container), null);
  assert.equal(await sampleState(containerOf('{"connections" : ', 0).container), null);
});

test('the statement is one line, and asks for no text of a statement', () => {
  assert.ok(!STATEMENT.includes('\n'));
  assert.ok(!/\bquery\b|usename|datname|application_name/.test(STATEMENT));
});
