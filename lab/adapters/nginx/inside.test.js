import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inside } from './inside.js';

const { conf, totals } = inside;

test('the totals are read from the page of the status module', () => {
  const page =
    'HTTP/1.1 200 OK\r\n\r\nActive connections: 291 \nserver accepts handled requests\n 16630948 16630945 31070465 \nReading: 6 Writing: 179 Waiting: 106 \n';
  assert.deepEqual(totals.parse(page), { accepted: 16630948, handled: 16630945, requests: 31070465, active: 291 });
  assert.equal(totals.parse(''), null);
});

test('the configuration that is asked for is the one it was started with', () => {
  assert.deepEqual(conf.command(['nginx', '-c', '/etc/doubletake/2a.conf', '-g', 'daemon off;']).slice(-2), [
    '-c',
    '/etc/doubletake/2a.conf',
  ]);
});
