import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopSentence, sustainingLoop } from './sustaining-loop.js';

const BEGAN = 1000;

/** @type {(second: number, answered: number, aborted: number, event?: string) => object} */
const row = (second, answered, aborted, event = 'tick') => ({ t: BEGAN + second, event, answered: { '2xx': answered }, aborted });

const timeline = Array.from({ length: 60 }, (_, index) => /** @type {any} */ ({ t_s: index + 1, throughput_rps: index < 20 ? 100 : 400 }));
const span = { from: 20, to: 60, arrivals: 100, before_rps: 98 };

/** @param {Record<string, object[]>} nodes */
const loopOf = (nodes) => sustainingLoop({ nodes, load_began_s: BEGAN }, timeline, span);

test('attempts are those of the seconds in which it stayed down, against what arrives', () => {
  const loop = loopOf({ 'app-1': [row(19, 1900, 0), row(60, 2100, 3800)] });
  assert.deepEqual(loop, { arrivals_rps: 100, attempts_rps: 400, served_before_rps: 98, worked: 4000, in_vain: 3800 });
});

test('all nodes count', () => {
  const loop = loopOf({ 'app-1': [row(20, 0, 0), row(60, 100, 300)], 'app-2': [row(20, 5, 5), row(60, 105, 105)] });
  assert.deepEqual([loop.worked, loop.in_vain], [600, 400]);
});

test('a node whose record does not cover the time leaves the work untold', () => {
  assert.equal(loopOf({ 'app-1': [row(30, 0, 0), row(60, 100, 300)] }).worked, null);
  assert.equal(loopOf({ 'app-1': [row(20, 9, 0), row(40, 0, 0, 'start'), row(60, 100, 300)] }).in_vain, null);
  assert.equal(loopOf({}).worked, null);
});

test('the sentence names what is on record, and nothing else', () => {
  const loop = { arrivals_rps: 800, attempts_rps: 3100, served_before_rps: 790, worked: 1000, in_vain: 862 };
  assert.equal(
    loopSentence(loop),
    'What keeps it down: users send 3,100 attempts a second for 800 requests (3.88 for each), more than the 790 that were served before; 86.2 % of what the nodes worked on was for users who had given up.',
  );
  assert.match(loopSentence({ ...loop, attempts_rps: 810 }), /^What keeps it down: 86\.2 % of what the nodes/);
  assert.doesNotMatch(loopSentence({ ...loop, served_before_rps: 4000 }), /more than/);
  for (const unreported of [{ worked: null, in_vain: null }, { in_vain: 50 }, { worked: 0, in_vain: 0 }])
    assert.equal(loopSentence({ ...loop, attempts_rps: 800, ...unreported }), 'What keeps it down is not on record.');
});
