import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress, formatStatus } from './progress.js';

const STATUS = { stage: 'to 500 users', users: 1234, rps: 703.6, p95Ms: 874.14, failureRate: 0.174, leftS: 12.4 };

function plainOutput() {
  /** @type {string[]} */
  const lines = [];
  return { lines, write: (/** @type {string} */ text) => lines.push(text) };
}

test('a status names stage, users, rate, p95, failures and the time left', () => {
  const words = formatStatus(STATUS)
    .split(/\s{2,}/)
    .filter(Boolean);
  assert.deepEqual(words, ['to 500 users', '1,234 users', '704 rps', 'p95', '874 ms', 'failed', '17.4 %', '12 s left']);
});

test('what is not known yet is a dash, and zero is a zero', () => {
  const line = formatStatus({ ...STATUS, users: null, rps: null, p95Ms: null, failureRate: 0 });
  assert.match(line, /– users +– rps +p95 +– +failed +0\.0 %/);
});

test('the time left never falls below zero', () => {
  assert.match(formatStatus({ ...STATUS, leftS: -3 }), / 0 s left$/);
});

test('of a load that may end before its time the time left is the longest', () => {
  assert.match(formatStatus({ ...STATUS, isLongest: true }), / at most 12 s left$/);
});

test('lines are equally long, so that a live line does not jump', () => {
  const small = formatStatus({ ...STATUS, users: 1, rps: 2, p95Ms: 3, failureRate: 0 });
  assert.equal(small.length, formatStatus(STATUS).length);
});

test('where the output is no terminal, a line comes every five seconds of load', () => {
  const out = plainOutput();
  const progress = createProgress(out);
  for (let leftS = 20; leftS >= 0; leftS -= 1) progress.load({ ...STATUS, leftS });
  const left = out.lines.map((line) => Number(/(\d+) s left/.exec(line)?.[1]));
  assert.deepEqual(left, [20, 15, 10, 5, 0]);
  assert.ok(out.lines.every((line) => line.endsWith('\n')));
});

test('what is said stays on a line of its own', () => {
  const out = plainOutput();
  const progress = createProgress(out);
  progress.say('bringing the stack up');
  progress.done();
  assert.deepEqual(out.lines, ['  bringing the stack up\n']);
});
