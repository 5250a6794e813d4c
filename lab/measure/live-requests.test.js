import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveRequests } from './live-requests.js';

const ORIGIN = 1_800_000_000_000;
/** @param {Record<string, unknown>} line */
const logged = (line) => `${JSON.stringify({ level: 'error', msg: JSON.stringify(line), source: 'console' })}\n`;
/** Of requests that took so many milliseconds; below zero those that failed. @param {number[]} took */
const numbersOf = (...took) => [ORIGIN, 0, 0, ...took.flatMap((ms, index) => [index * 100, Math.abs(ms) * 10, ms < 0 ? -1 : 0, 0])];

test('each of several generators has a log of its own, in pieces of its own', () => {
  const live = new LiveRequests(2);
  const [one, other] = [logged({ requests: numbersOf(10, 20) }), logged({ requests: numbersOf(30, -40) })];
  live.feed(one.slice(0, 40), 0, 0);
  live.feed(other.slice(0, 60), 0, 1);
  live.feed(one.slice(40), 0, 0);
  live.feed(other.slice(60), 0, 1);
  assert.deepEqual(live.figures(1), { rps: 4, p95Ms: 38.5, failureRate: 0.25 });
});

test('before anything is written there is nothing to say', () => {
  const live = new LiveRequests();
  live.feed('{"level":"error","msg":"{\\"event\\":\\"start\\",\\"t\\":1}"}\nno JSON at all\n', 1);
  assert.deepEqual(live.figures(1), { rps: null, p95Ms: null, failureRate: null });
});

test('the figures are of what was written in the last five seconds', () => {
  const live = new LiveRequests();
  live.feed(logged({ requests: numbersOf(10, 20) }), 0);
  live.feed(logged({ requests: numbersOf(30, 30, 30, -30) }), 6);
  assert.deepEqual(live.figures(6), { rps: 4 / 5, p95Ms: 30, failureRate: 0.25 });
  live.feed('', 12);
  assert.deepEqual(live.figures(12), { rps: null, p95Ms: null, failureRate: null });
});

test('a line that comes in pieces is one, and until five seconds are full the rate is of those that there are', () => {
  const live = new LiveRequests();
  const text = logged({ requests: numbersOf(10, 20, 30, 40) });
  live.feed(text.slice(0, 50), 0);
  live.feed(text.slice(50), 0);
  assert.equal(live.figures(2).rps, 2);
});

test('the warm-up’s figures give way to the load’s', () => {
  const live = new LiveRequests();
  live.feed(logged({ warm: numbersOf(10) }), 0);
  assert.deepEqual(live.figures(1), { rps: 1, p95Ms: 10, failureRate: null });
  live.feed(logged({ requests: numbersOf(50) }), 1);
  assert.deepEqual(live.figures(1), { rps: 1, p95Ms: 50, failureRate: 0 });
});
