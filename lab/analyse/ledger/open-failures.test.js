import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { FROM, SECONDS } from '../fixtures/story.js';
import { episodes, OpenFailures } from './open-failures.js';

/** @param {import('../fixtures/story.js').Story} story */
const openOf = (story) => new OpenFailures(factsOf(recordOf(story)));
/** Some seconds of the load, as times. @type {(from: number, to: number) => { from: number, to: number }} */
const seconds = (from, to) => ({ from: FROM + from - 1, to: FROM + to });

test('a status can be taken as often as k6 counted it and no more', () => {
  const open = openOf({ answers: [{ status: 500, count: 10 }] });
  assert.equal(open.takeStatus('500', 7), 7);
  assert.equal(open.withStatus('500'), 3);
  assert.deepEqual(open.statuses(), ['500']);
  assert.equal(open.takeStatus('500', 7), 3);
  assert.equal(open.takeStatus('500', 7), 0);
  assert.equal(open.takeStatus('503', 7), 0);
  assert.deepEqual(open.statuses(), []);
});

test('a negative number takes nothing and gives nothing back', () => {
  const open = openOf({ answers: [{ status: 500, count: 10 }] });
  assert.equal(open.takeStatus('500', -4), 0);
  assert.equal(open.withStatus('500'), 10);
});

test('kinds are taken in their order up to a limit, each failure once', () => {
  const open = openOf({ kinds: { eof: { 2: 10 }, reset: { 2: 5 } } });
  assert.equal(open.ofKinds(['eof', 'reset', 'refused']), 15);
  assert.equal(open.takeKinds(['eof', 'reset', 'refused'], 12), 12);
  assert.equal(open.ofKinds(['eof']), 0);
  assert.equal(open.takeKinds(['reset']), 3);
  assert.equal(open.takeKinds(['eof', 'reset']), 0);
});

test('only the seconds that touch a time are taken', () => {
  const open = openOf({ kinds: { eof: { 2: 1, 3: 10, 4: 100, 5: 1000 } } });
  assert.equal(open.takeDuring(['eof'], [seconds(3, 4)]), 110);
  assert.equal(open.ofKinds(['eof']), 1001);
});

test('a second that two times touch is taken once', () => {
  const open = openOf({ kinds: { eof: { 3: 10, 4: 100 } } });
  assert.equal(open.takeDuring(['eof'], [seconds(3, 3), seconds(2, 3)]), 10);
});

test('what a rule took by its time cannot be taken by another rule out of other seconds', () => {
  const open = openOf({ kinds: { eof: { 3: 10, 8: 100 } } });
  assert.equal(open.takeDuring(['eof'], [seconds(3, 3)]), 10);
  assert.equal(open.takeDuring(['eof'], [seconds(3, 3)]), 0);
  assert.equal(open.ofKinds(['eof']), 100);
});

test('what was taken without regard to time is not there for a time', () => {
  const open = openOf({ kinds: { eof: { 3: 10 } } });
  assert.equal(open.takeKinds(['eof'], 8), 8);
  assert.equal(open.takeDuring(['eof'], [seconds(1, 10)]), 2);
});

test('no time takes nothing', () => {
  assert.equal(openOf({ kinds: { eof: { 3: 10 } } }).takeDuring(['eof'], []), 0);
});

test("failures beyond the one-second record fell after the record's last line", () => {
  const story = { kinds: { eof: { 3: 10 } }, late: { eof: 7 } };
  assert.equal(openOf(story).ofKinds(['eof']), 17);
  assert.equal(openOf(story).takeDuring(['eof'], [seconds(1, SECONDS)]), 10);
  assert.equal(openOf(story).takeDuring(['eof'], [seconds(SECONDS + 1, SECONDS + 1)]), 7);
});

test('moments close to each other are one time, which reaches beyond both ends', () => {
  assert.deepEqual(episodes([10, 14, 19, 25, 40], { gapS: 5, beforeS: 2, afterS: 6 }), [
    { from: 8, to: 25 },
    { from: 23, to: 31 },
    { from: 38, to: 46 },
  ]);
  assert.deepEqual(episodes([], { gapS: 5, beforeS: 2, afterS: 6 }), []);
});
