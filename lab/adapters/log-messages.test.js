import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesIn } from './log-messages.js';

/** @param {string} text */
const saidIn = (text) => {
  const log = text
    .split('\n')
    .map((line) => `2026-11-27T03:20:11.5Z ${line}\n`)
    .join('');
  return [...messagesIn(log, () => true)].map((message) => message.text);
};

test('a stack is its first line and what caused it', () => {
  assert.deepEqual(
    saidIn(
      'java.lang.RuntimeException: order failed\n\tat shop.Order.put(Order.java:12)\nCaused by: java.sql.SQLException: no connection\n\t... 12 more\n',
    ),
    ['java.lang.RuntimeException: order failed', 'Caused by: java.sql.SQLException: no connection'],
  );
  assert.deepEqual(
    saidIn('Traceback (most recent call last):\n  File "app.py", line 3, in get\n    rows = ask()\n    ^^^^^\nValueError: no rows\n'),
    ['ValueError: no rows'],
  );
  assert.deepEqual(saidIn('TypeError: x is undefined\n    at get (/srv/app.js:3:1)\n'), ['TypeError: x is undefined']);
});

test('a level that stands above its message is put before it', () => {
  assert.deepEqual(saidIn('fail: Shop.Orders[0]\n      Order was not taken\n      at Shop.Put()\ninfo: Shop.Orders[0]\n      Listening'), [
    'fail: Order was not taken',
    'info: Listening',
  ]);
});

test('its own time, colours and what a client sent are left out', () => {
  assert.deepEqual(
    saidIn(
      [
        '2026-11-27 03:20:11.123 UTC [31] FATAL:  the end',
        '[2026-11-27 03:20:11 +0000] [1] [CRITICAL] late',
        '\u001b[32m2026/11/27 03:20:11\u001b[0m [error] 31#31: *1 no way, client: 172.18.0.9, server: , request: "GET /anna HTTP/1.1"',
        '[Wed Nov 16 07:29:52.251435 2022] [mpm:error] full',
        'Fri Nov 27 03:20:11 2026 - *** slow ***',
        '2026-11-27  3:20:11 54 [Warning] gone',
      ].join('\n'),
    ),
    ['[31] FATAL:  the end', '[1] [CRITICAL] late', '[error] 31#31: *1 no way', '[mpm:error] full', '*** slow ***', '54 [Warning] gone'],
  );
});

test('of JSON and logfmt the level, the message and the error are read', () => {
  assert.deepEqual(
    saidIn(
      [
        '{"level":"error","ts":1.5,"user":"anna","msg":"order failed","error":"no connection"}',
        '{"level":50,"err":{"type":"Error","message":"late"},"msg":"late"}',
        '{"method":"GET","uri":"/","status":200}',
        '{"level":"error","msg":',
        'time="2026-11-27T03:20:11Z" level=warning msg="no \\"way\\"" user=anna',
      ].join('\n'),
    ),
    ['error order failed: no connection', 'late: Error: late', '{"level":"error","msg":', 'warning no "way"'],
  );
});

test('a line for each request is no message, and an error that quotes one is', () => {
  assert.deepEqual(
    saidIn(
      [
        '172.18.0.9 - - [27/Nov/2026:03:20:11 +0000] "GET / HTTP/1.1" 500 5 "-" "k6"',
        'INFO:     172.18.0.3:53412 - "GET /items HTTP/1.1" 200 OK',
        '172.18.0.9:5 [27/Nov/2026:03:20:11.1] in web/web1 0/0/0/5/5 503 90 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"',
        'GET /items 500 12.3 ms - 5',
        '[GIN] 2026/11/27 - 03:20:11 | 500 |  1.2ms | 172.18.0.1 | GET "/path"',
        '[pid: 12|app: 0|req: 1/2] 1.1.1.1 () {32 vars in 400 bytes} GET / => generated 5 bytes in 3 msecs (HTTP/1.1 200)',
        'doubletake1 {"t":1795291211.5,"status":500}',
        '[error] late while reading, request: "GET / HTTP/1.1"',
      ].join('\n'),
    ),
    ['[error] late while reading, request: "GET / HTTP/1.1"'],
  );
});
