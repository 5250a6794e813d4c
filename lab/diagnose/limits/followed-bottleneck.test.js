import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bottleneckFollowed } from './followed-bottleneck.js';

const FINDING = { evidence: ['api held 10 of its 10 connections to db.', '58 requests stood in api.', 'a third'] };
/** @param {string} cause @param {string} cause_title */
const found = (cause, cause_title) =>
  bottleneckFollowed(
    /** @type {any} */ ({ findings: [FINDING] }),
    /** @type {any} */ ({ failures: [{ tier: 'app', service: 'api', cause, cause_title, count: 102, share: 0.98 }] }),
  );

test('the limit that failed requests were followed to is the bottleneck', () => {
  assert.deepEqual(found('pool-held', 'it held its 10 connections'), {
    bottleneck: { tier: 'app', evidence: ['api: it held its 10 connections', FINDING.evidence[0], FINDING.evidence[1]] },
    reason: '102 failed requests (98.0 %) were followed to it',
  });
});

test('what is no limit is no bottleneck, and neither is what is not known', () => {
  assert.equal(found('app-error', 'it answered 500 by itself')?.bottleneck, null);
  assert.equal(found('unexplained', 'given up; why is not on record')?.bottleneck, null);
});

test('where nothing was followed the limits that were reached say it', () => {
  assert.equal(bottleneckFollowed(null, { failures: [] }), null);
  assert.equal(bottleneckFollowed(/** @type {any} */ ({ findings: [] }), { failures: [] }), null);
});
