import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { observeSamples } from './products.js';

const BEGAN_MS = 1_800_000_000_000;

beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'Date'], now: BEGAN_MS }));
afterEach(() => mock.timers.reset());

/** Lets what was promised happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** @param {number} ms */
async function pass(ms) {
  mock.timers.tick(ms);
  await settle();
}

/** A service that answers when the test says so. */
function service() {
  /** @type {any[]} */
  const lines = [];
  /** @type {{ resolve: (answer: object | null) => void, reject: (error: Error) => void }[]} */
  const questions = [];
  return {
    lines,
    questions,
    asked: {
      ask: () => new Promise((/** @type {(answer: object | null) => void} */ resolve, reject) => questions.push({ resolve, reject })),
      record: { write: (/** @type {object} */ line) => lines.push(line) },
    },
  };
}

test('each service is asked once a second, and its answer is written with the moment at which it came', async () => {
  const [one, other] = [service(), service()];
  const stop = observeSamples([one.asked, other.asked]);
  await pass(1000);
  assert.deepEqual([one.questions.length, other.questions.length], [1, 1]);
  mock.timers.tick(250);
  one.questions[0].resolve({ connections: 7 });
  await settle();
  assert.deepEqual(one.lines, [{ t: (BEGAN_MS + 1250) / 1000, connections: 7 }]);
  assert.deepEqual(other.lines, []);
  await pass(750);
  assert.deepEqual([one.questions.length, other.questions.length], [2, 1]);
  stop();
});

test('a service that takes long is not asked again before it has answered, and the late answer is left out', async () => {
  const { asked, questions, lines } = service();
  const stop = observeSamples([asked]);
  await pass(1000);
  for (let second = 0; second < 4; second += 1) await pass(1000);
  assert.equal(questions.length, 1);
  questions[0].resolve({ connections: 7 });
  await settle();
  assert.deepEqual(lines, []);
  await pass(1000);
  assert.equal(questions.length, 2);
  stop();
});

test('a service that fails, or cannot be asked, leaves no line and is asked again', async () => {
  const { asked, questions, lines } = service();
  const stop = observeSamples([asked]);
  await pass(1000);
  questions[0].reject(new Error('gone'));
  await settle();
  await pass(1000);
  questions[1].resolve(null);
  await settle();
  await pass(1000);
  assert.deepEqual([questions.length, lines], [3, []]);
  stop();
});

test('when watching has stopped nobody is asked, and what is still answered is not written', async () => {
  const { asked, questions, lines } = service();
  const stop = observeSamples([asked]);
  await pass(1000);
  stop();
  questions[0].resolve({ connections: 7 });
  await settle();
  await pass(5000);
  assert.deepEqual([questions.length, lines], [1, []]);
});
