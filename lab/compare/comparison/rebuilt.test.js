import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rebuiltNotes } from './rebuilt.js';

const arms = [
  { id: 'rev:v1', architecture: 'shop' },
  { id: 'shop', architecture: 'shop' },
];
/** @type {(arm: string, images?: Record<string, string>) => import('../plan.js').Attempt} */
const attempt = (arm, images) => ({ block: 1, arm, run: 'compare/x/runs/1', validity: 'VALID', took_s: 40, images });

test('an image that was another in a later run of its arm is told, by its service', () => {
  const attempts = [
    attempt('rev:v1', { web: 'sha256:1', jobs: 'sha256:9' }),
    attempt('shop', { web: 'sha256:2' }),
    attempt('rev:v1', { web: 'sha256:3', jobs: 'sha256:9' }),
  ];
  assert.deepEqual(rebuiltNotes({ arms, attempts }), [
    'the image of web was built anew between the runs of rev:v1: they may not have measured the same',
  ]);
});

test('nothing is told of arms whose images stayed the same, or of runs that built none', () => {
  const same = [attempt('shop', { web: 'sha256:2' }), attempt('shop', { web: 'sha256:2' })];
  assert.deepEqual(rebuiltNotes({ arms, attempts: same }), []);
  assert.deepEqual(rebuiltNotes({ arms, attempts: [attempt('shop'), attempt('rev:v1')] }), []);
});
