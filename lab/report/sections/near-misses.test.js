import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, recordOf } from '../../diagnose/fixtures/record.js';
import { raise } from '../../diagnose/fixtures/tell.js';
import { resultOf } from '../../diagnose/result.js';
import { healthyResult } from '../fixtures/results.js';
import { nearMissesSection } from './near-misses.js';

/** MongoDB was away for a second, and the queue of the node overflowed, without a request that failed. */
function missedResult() {
  const raw = recordOf();
  endService(raw, 'mongo', 3, { back: 4 });
  raise(raw, 'app-1', 6, { ListenOverflows: 12 });
  return resultOf(raw);
}

test('each near miss has its tier, what it cost in a sentence, and the evidence where there is some', () => {
  const text = nearMissesSection(missedResult())?.text ?? '';
  const items = [...text.matchAll(/<li>(<span class="chip".*?)(?=<li><span class="chip"|<\/ul>\s*<\/section>)/gs)].map(([, item]) => item);
  assert.equal(items.length, 2);
  assert.match(items[0], /<\/span> mongo ended in second 3 and was back 1\.0 s later; no request was lost there\./s);
  assert.doesNotMatch(items[0], /class="evidence"|mongo<\/span>/);
  assert.match(items[1], /app-1<\/span> the queue/);
  assert.match(items[1], /the queue of connections that app-1 had to accept overflowed 12 times.*ListenOverflows.*3.*15/s);
});

test('a run without near misses has no such section', () => {
  assert.equal(nearMissesSection(healthyResult()), null);
});

test('what a near miss says is text, not markup', () => {
  const result = missedResult();
  result.ledger.near_misses[0].text = '<img src=x>';
  assert.doesNotMatch(nearMissesSection(result)?.text ?? '', /<img/);
});
