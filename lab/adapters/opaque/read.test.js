import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, filesOf, line } from '../fixtures/hop-files.js';
import { read } from './read.js';

const LOG = readFileSync(new URL('./fixtures/gunicorn.log', import.meta.url), 'utf8');
const ABOUT = aboutOf({ service: 'app', tier: 'app' });
const FLOOR = 'app runs a product that the lab does not know: it sees the container (CPU, memory, sockets, ends), not single requests';

test('of an unknown product nothing is covered, and it is said', () => {
  const record = read(filesOf(line(1, 'whatever it says')), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
  assert.deepEqual([record.uncovered, record.received, record.messages], [[FLOOR], null, []]);
});

test('an access log on its output gives counts without ids', () => {
  const record = read(filesOf(LOG), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'partial', reasons: 'none', limits: 'none' });
  assert.deepEqual([record.received, record.answered_ok, record.answered_error, record.aborted], [4, 2, 2, null]);
  assert.deepEqual([record.source, record.sightings, record.uncovered.length], ['access log', [], 2]);
  assert.equal(record.messages.length, 3);
});

test('at level 0 its output is not read', () => {
  const record = read(filesOf(LOG), { ...ABOUT, level: 0 });
  assert.deepEqual([record.received, record.messages, record.uncovered], [null, [], [FLOOR]]);
});

test('nothing of a request reaches the record', () => {
  const told = JSON.stringify(read(filesOf(LOG), ABOUT));
  for (const secret of ['hunter2', '/items', '172.18']) assert.ok(!told.includes(secret), secret);
});
