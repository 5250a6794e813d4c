import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, eachSecond, FROM, filesOf } from '../fixtures/hop-files.js';
import { stateIn } from './info.js';
import { read } from './read.js';

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const LOG = fixture('own.log');
const STATE = /** @type {import('./info.js').State} */ (stateIn(fixture('info.txt')));
const ABOUT = aboutOf({ service: 'cache', tier: 'cache' });

test('what it refuses is counted and not logged, so reasons are covered in part', () => {
  const record = read(filesOf(LOG, eachSecond(STATE)), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'partial', limits: 'full' });
  assert.deepEqual([record.product, record.received, record.messages.length], ['redis', null, 8]);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('counted to the second')));
});

test('it is of the tier that the user says', () => {
  assert.equal(read(filesOf(LOG), aboutOf({ tier: 'queue' })).tier, 'queue');
});

test('refusals are named by their signal', () => {
  const { counters } = read(filesOf('', eachSecond(STATE)), ABOUT);
  assert.deepEqual(
    ['connections-exhausted', 'out-of-memory', 'server-error', 'slow', 'commands'].map((name) => counters[name].at(-1)?.value),
    [7, 4, 9, 12, 5000],
  );
});

test("a refusal of the lab's own question is no client's, and says that every connection was taken", () => {
  const samples = eachSecond(STATE, (second) => ({ rejected_connections: second > 4 ? 10 : 7 })).map((sample) =>
    sample.t === FROM + 4 ? { t: sample.t, refused: true } : sample,
  );
  const { counters, limits } = read(filesOf(LOG, samples), ABOUT);
  assert.equal(counters['connections-exhausted'].at(-1)?.value, 9);
  assert.equal(limits[0].used.find(({ t }) => t === FROM + 4)?.used, 100);
});

test('connections and memory have limits; without maxmemory only connections', () => {
  assert.deepEqual(
    read(filesOf('', eachSecond(STATE)), ABOUT).limits.map(({ resource, size, used }) => [resource, size, used[0].used]),
    [
      ['client connections', 100, 50],
      ['memory', 104857600, 73400320],
    ],
  );
  assert.equal(read(filesOf('', eachSecond({ ...STATE, max_memory: 0 })), ABOUT).limits.length, 1);
});

test('counters go on growing when it begins anew', () => {
  const samples = eachSecond(STATE, (second) => ({ rejected_connections: second < 5 ? 7 : 0, commands: second < 5 ? 5000 : second }));
  const { counters } = read(filesOf('', samples), ABOUT);
  for (const name of ['connections-exhausted', 'commands']) {
    const values = counters[name].map(({ value }) => value);
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
    );
  }
  assert.equal(counters.commands.at(-1)?.value, 5010);
});

test('without samples and log nothing is covered', () => {
  const record = read(filesOf(''), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
  assert.deepEqual([record.counters, record.limits, record.messages], [{}, [], []]);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('redis-cli')));
});

test('at level 0 the log is not read', () => {
  assert.deepEqual(read(filesOf(LOG), { ...ABOUT, level: 0 }).messages, []);
});

test('a slow log that is full counts no further', () => {
  const says = (/** @type {number} */ count) =>
    read(filesOf('', eachSecond({ ...STATE, slow_commands: count })), ABOUT).uncovered.some((sentence) => sentence.includes('slow log'));
  assert.deepEqual([says(127), says(128)], [false, true]);
});
