import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGO_S, LiveRequests, OF_S } from './live-requests.js';

const ORIGIN_S = 1_800_000_000;
const NONE = { rps: null, p95Ms: null, failureRate: null };

/** @param {Record<string, unknown>} line */
const logged = (line) => `${JSON.stringify({ level: 'error', msg: JSON.stringify(line), source: 'console' })}\n`;
/** Of requests that ended at a second and took so many milliseconds; below zero those that failed. @param {number} second @param {number[]} took */
const endedAt = (second, ...took) => [
  (ORIGIN_S + second) * 1000,
  0,
  0,
  ...took.flatMap((ms) => [-Math.abs(ms) * 10, Math.abs(ms) * 10, ms < 0 ? -1 : 0, 0]),
];
/** What is shown when the seconds up to this one are. @param {LiveRequests} live @param {number} second */
const shownUntil = (live, second) => live.figures(ORIGIN_S + second + AGO_S);

test('each of several generators has a log of its own, in pieces of its own', () => {
  const live = new LiveRequests(2);
  const [one, other] = [logged({ requests: endedAt(1, 10, 20) }), logged({ requests: endedAt(1, 30, -40) })];
  live.feed(one.slice(0, 40), 0);
  live.feed(other.slice(0, 60), 1);
  live.feed(one.slice(40), 0);
  live.feed(other.slice(60), 1);
  assert.deepEqual(shownUntil(live, 1), { rps: 4, p95Ms: 38.5, failureRate: 0.25 });
});

test('before anything is written there is nothing to say', () => {
  const live = new LiveRequests();
  live.feed('{"level":"error","msg":"{\\"event\\":\\"start\\",\\"t\\":1}"}\nno JSON at all\n');
  assert.deepEqual(shownUntil(live, 1), NONE);
});

test('the figures are of the seconds in which requests ended, whenever they were written', () => {
  const live = new LiveRequests();
  // A hundred a second, of which k6 writes those of four seconds at once.
  const hundred = Array.from({ length: 100 }, () => 20);
  for (const second of [7, 8, 9, 10]) live.feed(logged({ requests: endedAt(second, ...hundred) }));
  for (const second of [6, 5]) live.feed(logged({ requests: endedAt(second, ...hundred) }));
  assert.equal(shownUntil(live, 9.99).rps, 100);
  assert.equal(shownUntil(live, 10).rps, 100);
});

test('where nothing ends any more nothing is shown', () => {
  const live = new LiveRequests();
  live.feed(logged({ requests: endedAt(1, 10, 20) }));
  assert.deepEqual(shownUntil(live, 1 + OF_S), NONE);
});

test('until five seconds are full the rate is of those that there are', () => {
  const live = new LiveRequests();
  live.feed(logged({ requests: endedAt(1, 1000) }));
  live.feed(logged({ requests: endedAt(2, 10, 20, 30) }));
  assert.equal(shownUntil(live, 2).rps, 2);
});

test('the warm-up’s figures give way to the load’s', () => {
  const live = new LiveRequests();
  live.feed(logged({ warm: endedAt(1, 10) }));
  assert.deepEqual(shownUntil(live, 1), { rps: 1, p95Ms: 10, failureRate: null });
  live.feed(logged({ requests: endedAt(2, 50) }));
  assert.deepEqual(shownUntil(live, 1.99), { rps: 1, p95Ms: 10, failureRate: null });
  const { p95Ms, failureRate } = shownUntil(live, 2);
  assert.deepEqual([p95Ms, failureRate], [50, 0]);
});
