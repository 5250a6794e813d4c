import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, eachSecond, filesOf, line } from '../fixtures/hop-files.js';
import { read } from './read.js';
import { stateIn } from './state.js';

/** What mongod 6.0.5 answered to serverStatus, in the sections that are asked for. */
const STATUS = JSON.parse(readFileSync(new URL('./fixtures/status.json', import.meta.url), 'utf8'));
const STATE = stateIn(STATUS);
const ABOUT = aboutOf({ service: 'store' });
const LOG = line(1, '{"s":"W","id":22942,"msg":"Connection refused because there are too many open connections"}');

test('it logs whom it refuses, not what it answers with an error, so reasons are covered in part', () => {
  const record = read(filesOf(LOG, eachSecond(STATE)), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'partial', limits: 'full' });
  assert.deepEqual([record.product, record.tier, record.received, record.messages.length], ['mongo', 'database', null, 1]);
});

test('connections and tickets have limits', () => {
  assert.deepEqual(
    read(filesOf(LOG, eachSecond(STATE)), ABOUT).limits.map(({ resource, size, unit }) => [resource, size, unit]),
    [
      ['connections', STATUS.connections.current + STATUS.connections.available, undefined],
      ['read tickets', 128, 'operations'],
      ['write tickets', 128, 'operations'],
    ],
  );
});

test('when every connection is taken, those that it refused say so, for the lab is told nothing', () => {
  const refused = line(3, '{"s":"W","id":22942,"msg":"Connection refused","attr":{"connectionCount":15}}');
  const samples = eachSecond({ refused: true });
  const [limit] = read(filesOf(refused, samples), ABOUT).limits;
  assert.deepEqual([limit.resource, limit.size], ['connections', 14]);
  assert.ok(limit.used.length > 1 && limit.used.every(({ used }) => used === 14));
});

test('tickets whose number the server changes itself are no limit', () => {
  const samples = eachSecond(STATE, (second) => ({
    tickets: { read: { out: 5, totalTickets: 10 + second }, write: { out: 5, totalTickets: 10 } },
  }));
  assert.deepEqual(
    read(filesOf(LOG, samples), ABOUT).limits.map(({ resource }) => resource),
    ['connections', 'write tickets'],
  );
});

test('what it did is counted by kind', () => {
  const samples = eachSecond(STATE, (second) => ({ operations: { insert: 10 * second, query: 3 }, user_errors: 2 * second }));
  const { counters } = read(filesOf(LOG, samples), ABOUT);
  assert.deepEqual(
    ['inserts', 'queries', 'user_errors'].map((name) => counters[name].at(-1)?.value),
    [100, 3, 20],
  );
});

test('without samples and log nothing is covered, and each lack is said', () => {
  const record = read(filesOf(''), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
  assert.deepEqual([record.counters, record.limits, record.messages], [{}, [], []]);
  for (const text of [/wrote no log that the lab can read/, /port 27017/])
    assert.ok(
      record.uncovered.some((sentence) => text.test(sentence)),
      String(text),
    );
});

test('at level 0 the log is not read', () => {
  assert.deepEqual(read(filesOf(LOG), { ...ABOUT, level: 0 }).messages, []);
});
