import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOf } from './unwell.js';

test('a health check is asked as its engine asks it', () => {
  const words = ['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/3000'];
  assert.deepEqual(checkOf({ Healthcheck: { Test: ['CMD', ...words], Timeout: 2e9 } }), { command: words, limitMs: 2000 });
  assert.deepEqual(checkOf({ Healthcheck: { Test: ['CMD-SHELL', 'pg_isready -U shop'] } }), {
    command: ['/bin/sh', '-c', 'pg_isready -U shop'],
    limitMs: 30_000,
  });
  const inBash = checkOf({ Healthcheck: { Test: ['CMD-SHELL', 'curl -f localhost'] }, Shell: ['/bin/bash', '-c'] });
  assert.deepEqual(inBash?.command, ['/bin/bash', '-c', 'curl -f localhost']);
});

test('where there is none, nothing is asked', () => {
  for (const configured of [{}, { Healthcheck: {} }, { Healthcheck: { Test: [] } }, { Healthcheck: { Test: ['NONE'] } }])
    assert.equal(checkOf(configured), null, JSON.stringify(configured));
});
