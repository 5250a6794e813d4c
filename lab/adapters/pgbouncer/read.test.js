import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, eachSecond, filesOf, line } from '../fixtures/hop-files.js';
import { read } from './read.js';
import { stateIn } from './state.js';

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const LOG = fixture('own.log');
const STATE = /** @type {import('./state.js').State} */ (stateIn(fixture('console.txt')));
const CALM = { ...STATE, pools: STATE.pools.map((pool) => ({ ...pool, maxwait_s: 0 })) };
const ABOUT = aboutOf({ service: 'pool', tier: 'pool' });

test('with its log and its console all but requests is covered, while no client waits for long', () => {
  const record = read(filesOf(LOG, eachSecond(CALM)), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'full', limits: 'full' });
  assert.deepEqual([record.product, record.tier, record.received, record.messages.length], ['pgbouncer', 'pool', null, 8]);
});

test('where clients waited for long, or nobody watched, one may have left without a line', () => {
  for (const samples of [eachSecond(STATE), [], eachSecond(CALM).slice(0, 4)]) {
    const { coverage, uncovered } = read(filesOf(LOG, samples), ABOUT);
    assert.equal(coverage.reasons, 'partial');
    assert.ok(uncovered.some((sentence) => sentence.startsWith('a client that leaves while it waits')));
  }
});

test('the fullest pool of a database is measured by the size of one, and clients without the lab by theirs', () => {
  const [pool, clients] = read(filesOf(LOG, eachSecond(STATE)), ABOUT).limits;
  assert.deepEqual([pool.resource, pool.size, pool.used[0].used], ['server connections of the pool', 8, 6]);
  assert.deepEqual([clients.resource, clients.size, clients.used[0].used], ['client connections', 100, 29]);
});

test('of several databases each has a limit with its name', () => {
  const two = { ...STATE, pools: [...STATE.pools, { ...STATE.pools[1], database: 'jobs' }], sizes: { shop: 8, jobs: 4 } };
  assert.deepEqual(
    read(filesOf(LOG, eachSecond(two)), ABOUT).limits.map(({ resource, size }) => [resource, size]),
    [
      ['server connections of the pool of shop', 8],
      ['server connections of the pool of jobs', 4],
      ['client connections', 100],
    ],
  );
});

test('counters go on growing when it begins anew', () => {
  const samples = eachSecond(STATE, (second) => ({ totals: { ...STATE.totals, queries: second < 5 ? 2000 + second : second } }));
  const values = read(filesOf(LOG, samples), ABOUT).counters.queries.map(({ value }) => value);
  assert.deepEqual(
    values,
    values.toSorted((one, other) => one - other),
  );
});

test('without samples no limit is told, but what its averages say of waits is', () => {
  const record = read(filesOf(LOG), ABOUT);
  assert.deepEqual([record.limits, record.counters, record.coverage.limits], [[], {}, 'none']);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('waited up to 0.012 s')));
});

test('where it does not log its silence is no acquittal', () => {
  const quiet = { ...CALM, settings: { ...CALM.settings, log_pooler_errors: '0' } };
  assert.equal(read(filesOf('', eachSecond(CALM)), ABOUT).coverage.reasons, 'none');
  assert.equal(read(filesOf(line(1, 'hello'), eachSecond(CALM)), ABOUT).coverage.reasons, 'none');
  assert.equal(read(filesOf(LOG, eachSecond(quiet)), ABOUT).coverage.reasons, 'partial');
  assert.equal(read(filesOf(LOG, eachSecond(CALM)), { ...ABOUT, level: 0 }).coverage.reasons, 'none');
});
