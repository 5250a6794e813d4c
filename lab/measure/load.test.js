import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '../../k6/shapes.js';
import { parseStart } from './followed-generator.js';
import { usersOf } from './load.js';

const START = String.raw`{"level":"error","msg":"{\"event\":\"start\",\"t\":1795222382.217}","source":"console","time":"2026-11-21T00:53:02Z"}`;
const FAILURE = String.raw`{"level":"error","msg":"{\"t\":1795222395.11,\"code\":1000,\"kind\":\"eof\",\"error\":\"EOF\"}","source":"console"}`;

test('the start of the warm-up is read from the line that the scenario writes', () => {
  assert.equal(parseStart(`${FAILURE}\n${START}\n`), 1795222382.217);
});

test('a log without that line, or with only the beginning of it, has no start', () => {
  assert.equal(parseStart(''), null);
  assert.equal(parseStart(FAILURE), null);
  assert.equal(parseStart(START.slice(0, 60)), null);
});

test('users are those that the shape wants, in the warm-up and between two stages too', () => {
  const crowd = shapes.crowd({});
  // After the warm-up a pause of 3 s, 2 s to 300 users, who are held for 8 s.
  const end = crowd.warmup_s;
  assert.deepEqual(
    [1, end + 1, end + 3, end + 4, end + 5, end + 12].map((second) => usersOf(crowd, second)),
    [20, 0, 1, 151, 300, 300],
  );
  assert.deepEqual([usersOf(crowd, null), usersOf(crowd, end + 14)], [null, null]);
});

test('of arrivals, and of a script of one’s own, nobody knows the users', () => {
  assert.equal(usersOf(shapes.calm({}), 10), null);
  assert.equal(usersOf({ ...shapes.hold({}), warmup_s: 0, settle_s: 0 }, 10), null);
});
