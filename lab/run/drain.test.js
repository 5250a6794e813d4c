import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainQueue } from './drain.js';

const QUEUE = /** @type {any} */ ({ name: 'redis', service: 'redis', tier: 'queue', product: 'redis', id: 'q', address: '10.0.0.9' });

/** @param {(string | Error)[]} answers  of the queue, one after the other; the last one again and again */
async function drained(answers, signal = new AbortController().signal) {
  let asked = 0;
  /** @type {string[]} */
  const said = [];
  const open = /** @type {any} */ (
    () => ({
      execute: async () => {
        const answer = answers[Math.min(asked, answers.length - 1)];
        asked += 1;
        if (answer instanceof Error) throw answer;
        return { exitCode: 0, output: answer };
      },
    })
  );
  const result = await drainQueue([QUEUE], { say: (text) => said.push(text), signal, everyMs: 0, open });
  return { left: result?.left, asked, said };
}

test('a queue is waited for until it is empty', async () => {
  const { left, asked, said } = await drained(['12\n', '5\n', '0\n']);
  assert.deepEqual([left, asked], [0, 3]);
  assert.deepEqual(said, ['the load has ended with 12 in the queue; waiting for them to be done, for 3 minutes at most']);
});

test('one that nobody works on is given up, with what is left', async () => {
  const { left, asked } = await drained(['12\n', '7\n']);
  assert.deepEqual([left, asked], [7, 17]);
});

test('one that does not answer is not waited for without end, and what is left is not known', async () => {
  const { left, asked } = await drained([new Error('it is gone')]);
  assert.deepEqual([left, asked], [null, 5]);
});

test('an interruption ends it, and a stack without a queue has nothing to wait for', async () => {
  assert.equal((await drained(['12\n'], AbortSignal.abort())).asked, 0);
  const options = { say: () => {}, signal: new AbortController().signal };
  assert.equal(await drainQueue([/** @type {any} */ ({ tier: 'database', product: null })], options), null);
});
