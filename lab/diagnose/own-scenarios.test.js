import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptNotes, withLoadOfAll } from './own-scenarios.js';

/** @param {number} count @param {number} avg */
const trend = (count, avg) => ({ values: { count, avg, 'p(95)': 90 } });

test('scenarios of a script are added up, without percentiles that nobody could add', () => {
  const { metrics } = withLoadOfAll({
    metrics: /** @type {Record<string, any>} */ ({
      'iteration_duration{scenario:looking}': trend(30, 10),
      'iteration_duration{scenario:buying}': trend(10, 50),
      'http_req_duration{scenario:looking,expected_response:true}': trend(20, 4),
      http_reqs: { values: { count: 40 } },
    }),
  });
  assert.deepEqual(metrics['iteration_duration{scenario:load}'].values, { count: 40, avg: 20 });
  assert.deepEqual(metrics['http_req_duration{scenario:load,expected_response:true}'].values, { count: 20, avg: 4, 'p(95)': 90 });
});

test('percentiles over all of k6 are those of the scenarios where these made every request, and not where something else did too', () => {
  const ofAll = (/** @type {number} */ count) =>
    withLoadOfAll({
      metrics: /** @type {Record<string, any>} */ ({
        'http_req_duration{scenario:looking}': trend(30, 10),
        'http_req_duration{scenario:buying}': trend(10, 50),
        'http_req_duration{scenario:looking,expected_response:true}': trend(30, 10),
        'http_req_duration{scenario:buying,expected_response:true}': trend(8, 50),
        http_req_duration: { values: { count, avg: 20, 'p(95)': 70 } },
        'http_req_duration{expected_response:true}': { values: { count: count - 2, avg: 18, 'p(95)': 60 } },
      }),
    }).metrics;
  assert.equal(ofAll(40)['http_req_duration{scenario:load}'].values['p(95)'], 70);
  assert.equal(ofAll(40)['http_req_duration{scenario:load,expected_response:true}'].values['p(95)'], 60);
  // One request of the script's setup.
  assert.deepEqual(ofAll(41)['http_req_duration{scenario:load}'].values, { count: 40, avg: 20 });
});

test('a load that is the lab’s own stays as it is', () => {
  const summary = { metrics: { 'iteration_duration{scenario:load}': trend(30, 10), 'iteration_duration{scenario:warmup}': trend(3, 10) } };
  assert.equal(withLoadOfAll(summary), summary);
});

test('checks that good answers failed, and thresholds that were not met, are told; no tier lost them', () => {
  const summary = {
    metrics: {
      lab_check_failed: { values: { count: 2 } },
      http_req_failed: { values: {}, thresholds: { 'rate<0.01': { ok: false } } },
      checks: { values: {}, thresholds: { 'rate>0.9': { ok: true } } },
    },
  };
  assert.deepEqual(scriptNotes({ manifest: { scenario: 'script' }, summary }), [
    '2 answers with a good status failed a check of the script; no tier lost them',
    'thresholds of the script that were not met: http_req_failed: rate<0.01',
  ]);
  assert.deepEqual(scriptNotes({ manifest: { scenario: 'documents' }, summary }), []);
  assert.deepEqual(scriptNotes({ manifest: { scenario: 'script' }, summary: null }), []);
});
