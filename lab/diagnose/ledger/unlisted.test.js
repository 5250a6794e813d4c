import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, factsOf, logError, recordOf } from '../fixtures/record.js';
import { SAID } from '../fixtures/tell.js';

test('a node whose log lacks a hundredth of its requests is no witness of what is not there, unless it was killed', () => {
  const raw = recordOf({ balanced: true });
  const watched = () => [...factsOf(raw).watched].sort();
  raw.unlisted = { 'app-1': 5, 'app-2': 0 };
  assert.deepEqual(watched(), ['app-1', 'app-2', 'nginx']);
  raw.unlisted = { 'app-1': 60, 'app-2': 0 };
  assert.deepEqual(watched(), ['app-2', 'nginx']);
  assert.deepEqual(
    factsOf(raw).unlisted.map(({ name, count, share }) => [name, count, Number(share.toFixed(2))]),
    [['app-1', 60, 0.11]],
  );
  endService(raw, 'app-1', 4);
  assert.deepEqual(watched(), ['app-1', 'app-2', 'nginx']);
});

test('a balancer whose log lacks requests that it counted is none either, unless one of its processes took them with it', () => {
  const raw = recordOf({ balanced: true });
  raw.accessLines = raw.accessLines.slice(0, 501);
  const { watched, unlisted } = factsOf(raw);
  assert.deepEqual([...watched].sort(), ['app-1', 'app-2']);
  assert.deepEqual(unlisted, [{ name: 'nginx', count: 500, share: 0.5 }]);
  logError(raw, [4], SAID.workerDied);
  assert.deepEqual([...factsOf(raw).watched].sort(), ['app-1', 'app-2', 'nginx']);
});
