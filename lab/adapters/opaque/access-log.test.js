import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { line, WINDOW } from '../fixtures/hop-files.js';
import { countAccess } from './access-log.js';

const LOG = readFileSync(new URL('./fixtures/gunicorn.log', import.meta.url), 'utf8');

test('requests of the load are counted by status, and nothing else of them is kept', () => {
  assert.deepEqual(countAccess(LOG, WINDOW), {
    received: 4,
    answered_ok: 2,
    answered_error: 2,
    byStatus: { 200: 1, 201: 1, 404: 1, 500: 1 },
  });
});

test('the forms that servers write are recognised', () => {
  for (const text of [
    '172.18.0.3 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
    '172.18.0.3 - frank [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326 "http://www.example.com/" "Mozilla/4.08 [en] (Win98; I)"',
    '172.18.0.3 - - [21/Nov/2026:20:00:01 +0000] "GET /a\\"b HTTP/1.1" 200 - "-" "-"',
    'fd00::3 - - [21/Nov/2026 20:00:01] "GET / HTTP/1.1" 200 -',
    'INFO:     172.18.0.3:53412 - "GET /items?q=1 HTTP/1.1" 200 OK',
    '172.18.0.3:53412 - "GET /items HTTP/1.1" 200',
  ])
    assert.equal(countAccess(line(1, text), WINDOW)?.answered_ok, 1, text);
});

test('a line that only mentions a request is no access log', () => {
  for (const text of [
    'calling "GET / HTTP/1.1" 200 times',
    '[2026-11-21 20:00:02 +0000] [1] [INFO] "GET / HTTP/1.1"',
    '{"status": 200}',
    '',
  ])
    assert.equal(countAccess(line(1, text), WINDOW), null, text);
});

test('a health check from within the container is no request of anybody', () => {
  for (const from of ['127.0.0.1 - - [21/Nov/2026 20:00:01]', '::1 - - [21/Nov/2026 20:00:01]', 'INFO:     127.0.0.1:53412 -'])
    assert.equal(countAccess(line(1, `${from} "GET /healthz HTTP/1.1" 200 2`), WINDOW), null, from);
});

test('what the engine stamped just after the load was asked in it', () => {
  const at = (/** @type {number} */ second) =>
    countAccess(line(second, '172.18.0.3 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326'), WINDOW);
  const length = WINDOW.to - WINDOW.from;
  assert.deepEqual([at(length + 0.5)?.received, at(length + 1.5)], [1, null]);
});

test('a line without its end is not counted', () => {
  const half = line(1, '172.18.0.3 - - [21/Nov/2026:20:00:01 +0000] "GET / HTTP/1.1" 200 5').trimEnd();
  assert.equal(countAccess(half, WINDOW), null);
});
