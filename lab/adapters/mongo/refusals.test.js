import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRefusals } from './refusals.js';

test("MongoDB's log tells when it refused a connection, by the number of that message alone", () => {
  const line = (/** @type {number} */ id, /** @type {string} */ date) =>
    `{"t":{"$date":"${date}"},"s":"I",  "c":"NETWORK",  "id":${id},   "ctx":"listener","msg":"text"}`;
  const text = [
    line(22943, '2026-11-21T01:10:09.808+00:00'),
    line(22942, '2026-11-21T01:10:10.500+00:00'),
    line(22942, '2026-11-21T02:10:11.000+01:00'),
    '{"id":22942 cut off',
  ].join('\n');
  assert.deepEqual(parseRefusals(text), [1795223410.5, 1795223411]);
  assert.deepEqual(parseRefusals(''), []);
});
