import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStart } from './followed-generator.js';

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
