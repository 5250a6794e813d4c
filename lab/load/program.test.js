import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workOf } from './program.js';

test('the inserts split evenly over files and threads', () => {
  for (const [FILES, THREADS] of [
    ['1', '1'],
    ['1', '8'],
    ['10', '1'],
    ['2', '4'],
  ]) {
    const work = workOf(4_000_000, { FILES, THREADS });
    assert.equal(work.insertsPerThread, 4_000_000 / (Number(FILES) * Number(THREADS)));
    assert.equal(work.inserts, 4_000_000);
  }
});

test('where they do not divide, the number in all is the one that is made', () => {
  assert.deepEqual(workOf(4_000_000, { FILES: '1', THREADS: '3' }), {
    files: 1,
    threads: 3,
    insertsPerThread: 1_333_333,
    inserts: 3_999_999,
  });
  assert.equal(workOf(10, { FILES: '8', THREADS: '8' }).inserts, 64);
});
