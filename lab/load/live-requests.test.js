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
/** Of the load's seconds up to this one. @param {LiveRequests} live @param {number} second @param {number} [of] */
const shownUntil = (live, second, of = OF_S) =>
  live.figures({ from: ORIGIN_S + Math.max(0, second - of), to: ORIGIN_S + second, isOfLoad: true });

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

test('a rate is over the seconds that are asked for, however few there are', () => {
  const live = new LiveRequests();
  live.feed(logged({ requests: endedAt(1, 1000) }));
  live.feed(logged({ requests: endedAt(2, 10, 20, 30) }));
  assert.equal(shownUntil(live, 2).rps, 2);
});

test('of the load nothing of the warm-up is told, and of the warm-up no failures', () => {
  const live = new LiveRequests();
  live.feed(logged({ warm: endedAt(1, 10, -30) }));
  live.feed(logged({ requests: endedAt(1, 50) }));
  const span = { from: ORIGIN_S, to: ORIGIN_S + 1 };
  assert.deepEqual(live.figures({ ...span, isOfLoad: false }), { rps: 2, p95Ms: 29, failureRate: null });
  assert.deepEqual(live.figures({ ...span, isOfLoad: true }), { rps: 1, p95Ms: 50, failureRate: 0 });
});

test('the record is whole until some seconds ago, or before the newest request that the last of the generators told', () => {
  const live = new LiveRequests(2);
  const wholeUntil = (/** @type {number} */ second) => live.wholeUntil(ORIGIN_S + second) - ORIGIN_S;
  assert.equal(wholeUntil(30), Number.NEGATIVE_INFINITY);
  live.feed(logged({ requests: endedAt(30, 10) }), 0);
  assert.equal(wholeUntil(30), Number.NEGATIVE_INFINITY);
  live.feed(logged({ requests: endedAt(20, 10) }), 1);
  assert.equal(wholeUntil(30), 14);
  live.feed(logged({ requests: endedAt(29.5, 10) }), 1);
  assert.equal(wholeUntil(30), 30 - AGO_S);
});

test('what arrivals are late by the generator’s own clock, no user waited', () => {
  const live = new LiveRequests();
  live.feed(logged({ event: 'first-arrival', late_ms: 40 }));
  live.feed(logged({ requests: endedAt(1, 60) }));
  assert.equal(shownUntil(live, 1).p95Ms, 20);
});
