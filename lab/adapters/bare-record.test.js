import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareRecord } from './bare-record.js';
import { aboutOf } from './fixtures/hop-files.js';

test('a service of which nothing is known has no figure, and none that is zero', () => {
  const record = bareRecord(aboutOf({ service: 'jobs', tier: 'queue' }), 'redis');
  assert.deepEqual([record.service, record.tier, record.product], ['jobs', 'queue', 'redis']);
  assert.deepEqual([record.received, record.answered_ok, record.answered_error, record.aborted], [null, null, null, null]);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
});

test('two records share no list', () => {
  bareRecord(aboutOf(), 'redis').uncovered.push('one');
  assert.deepEqual(bareRecord(aboutOf(), 'redis').uncovered, []);
});
