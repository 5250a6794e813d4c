import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRefusals, parseStops } from './refusals.js';

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

test("that it refused the lab's own observer is no client's refusal", () => {
  const line = (/** @type {string} */ remote) =>
    `{"t":{"$date":"2026-11-21T01:10:10.500+00:00"},"s":"I",  "c":"NETWORK",  "id":22942,   "ctx":"listener","msg":"text","attr":{"remote":"${remote}:41000","connectionCount":20}}`;
  const text = [line('172.18.0.5'), line('172.18.0.9')].join('\n');
  assert.deepEqual([parseRefusals(text).length, parseRefusals(text, ['172.18.0.9']).length], [2, 1]);
});

test('it was told to stop when it logged a signal that ends it, and not when it was told to turn its log over', () => {
  const line = (/** @type {number} */ signal, /** @type {string} */ second) =>
    `{"t":{"$date":"2026-11-21T01:10:${second}.000+00:00"},"s":"I",  "c":"CONTROL",  "id":23377,   "ctx":"SignalHandler","msg":"Received signal","attr":{"signal":${signal},"error":"text"}}`;
  assert.deepEqual(parseStops([line(10, '08'), line(15, '09'), line(2, '10')].join('\n')), [1795223409, 1795223410]);
  assert.deepEqual(parseStops('{"t":{"$date":"2026-11-21T01:10:08.000+00:00"},"id":22942,"attr":{"signal":15}}'), []);
});
