import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limitsOf, readMetrics } from './metrics.js';

const text = readFileSync(new URL('./fixtures/metrics.txt', import.meta.url), 'utf8');

test('file descriptors and the health of upstreams are read', () => {
  assert.deepEqual(readMetrics(text), { openFiles: 211, mostFiles: 1_048_576, healthy: { 'app-1:3000': 1, 'app-2:3000': 1 } });
});

test('an answer without them is none, and one that was cut off keeps what it has', () => {
  for (const other of ['', '404 page not found', 'go_goroutines 5\n']) assert.equal(readMetrics(other), null, other);
  assert.deepEqual(readMetrics(text.slice(0, text.indexOf('process_max'))), {
    openFiles: null,
    mostFiles: null,
    healthy: { 'app-1:3000': 1, 'app-2:3000': 1 },
  });
});

test('file descriptors are a limit, and without a size they are none', () => {
  const sample = (/** @type {number} */ t) => ({ t, openFiles: 200 + t, mostFiles: 1024, healthy: {} });
  assert.deepEqual(limitsOf([sample(1), { ...sample(2), openFiles: null }, sample(3)]), [
    {
      resource: 'file descriptors',
      size: 1024,
      used: [
        { t: 1, used: 201 },
        { t: 3, used: 203 },
      ],
    },
  ]);
  assert.deepEqual([limitsOf([]), limitsOf([{ ...sample(1), mostFiles: null }])], [[], []]);
});
