import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, healthyResult, olderResult } from '../fixtures/results.js';
import { verdictSection } from './verdict.js';

test('what would have kept writes that are gone stands below the headline, and nothing where none is', () => {
  const gone = { count: 9, at_least: false, text: '', to_do: ['mongo ended: write its journal first.'] };
  const shown = (/** @type {any} */ result) => verdictSection(result).text;
  assert.match(
    shown({ ...healthyResult(), gone_writes: gone }),
    /<li><span class="label">Writes gone<\/span> mongo ended: write its journal first\.<\/li>/,
  );
  for (const result of [healthyResult(), olderResult()]) assert.doesNotMatch(shown(result), /Writes gone/);
});

test('a log line that proves some of the failures alone says which', () => {
  const result = failingResult();
  const [most] = result.ledger.failures;
  const line = { kind: /** @type {const} */ ('log'), source: 'error log', line: '[alert] 512 worker_connections are not enough', count: 9 };
  const shown = (/** @type {number} */ share) =>
    verdictSection({ ...result, ledger: { ...result.ledger, failures: [{ ...most, share, evidence: [line] }] } }).text.replaceAll(
      '\u00a0',
      ' ',
    );
  assert.ok(shown(0.6).includes(`9 lines in the error log. It stands for 60 % of the failures: ${most.cause_title}</li>`), shown(0.6));
  assert.ok(shown(1).includes('9 lines in the error log</li>'));
});
