import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MECHANISMS } from '../diagnose/waiting/mechanisms.js';
import { maskedFigures } from '../diagnose/waiting/template.js';
import { messagesIn } from './log-messages.js';
import { phraseIn, phrases } from './phrases.js';

/** What is found in a service's log. @param {string} text one line and more */
const foundIn = (text) => {
  const log = text
    .split('\n')
    .map((line) => `2026-11-27T03:20:11.000000000Z ${line}\n`)
    .join('');
  return [...messagesIn(log, () => true)].map((message) => phraseIn(maskedFigures(message.text))).filter((phrase) => phrase !== null);
};

for (const phrase of phrases)
  test(`${phrase.product} is known by "${phrase.line.slice(0, 60)}"`, () => {
    assert.deepEqual(foundIn(phrase.line), [phrase]);
    assert.deepEqual(foundIn(`\u001b[31m${phrase.line}\u001b[0m`), [phrase], 'in colour');
    assert.ok(phrase.cause in MECHANISMS);
    assert.match(phrase.source, /^[\w.-]+\/[\w.-]+ \S/);
  });

test('other forms of a phrase are known too', () => {
  /** @type {[string, string][]} */
  const forms = [
    [
      '[mpm_event:error] [pid 9] AH00484: server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
      'workers-taken',
    ],
    ['java.lang.OutOfMemoryError: GC overhead limit exceeded', 'heap-full'],
    ['FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory', 'heap-full'],
    ['org.postgresql.util.PSQLException: FATAL: sorry, too many clients already', 'callee-full'],
    ["MySQLdb._exceptions.OperationalError: (1040, 'Too many connections')", 'callee-full'],
    [
      'com.mysql.jdbc.exceptions.jdbc4.MySQLNonTransientConnectionException: Data source rejected establishment of connection,  message from server: "Too many connections"',
      'callee-full',
    ],
    [
      '{"level":50,"time":1795291211000,"pid":1,"err":{"type":"Error","message":"timeout exceeded when trying to connect","stack":"Error: x\\n    at y"},"msg":"request errored"}',
      'pool-full',
    ],
    [
      '{"level":"debug","error":"dial tcp 172.18.0.4:80: connect: connection refused","time":"2026-11-27T03:20:11Z","message":"502 Bad Gateway"}',
      'callee-refused',
    ],
    ['disk resource limit alarm set on node rabbit@queue.', 'publishers-blocked'],
    ['2026/11/27 03:20:11 [crit] 31#31: accept4() failed (24: Too many open files)', 'out-of-descriptors'],
    ['*** HARAKIRI ON WORKER 2 (pid: 14, try: 1, graceful: yes) ***', 'worker-timeout'],
    [
      'fail: Microsoft.AspNetCore.Server.Kestrel[13]\n      Connection id "0HN", Request id "0HN:1": An unhandled exception was thrown by the application.\n      System.InvalidOperationException: Timeout expired.  The timeout period elapsed prior to obtaining a connection from the pool.\n         at Shop.Get()',
      'pool-full',
    ],
    [
      '[error] #PID<0.512.0> running Shop.Endpoint terminated\n** (exit) an exception was raised:\n    ** (DBConnection.ConnectionError) connection not available and request was dropped from queue after 1548ms.',
      'pool-full',
    ],
  ];
  for (const [text, cause] of forms)
    assert.deepEqual(
      foundIn(text).map((phrase) => phrase.cause),
      [cause],
      text,
    );
});

test('what is near a phrase is none', () => {
  for (const text of [
    'HikariPool-1 - Connection is available, request took 3 ms',
    'Connection is not available, request timed out after a while',
    '172.18.0.9 - - [27/Nov/2026:03:20:11 +0000] "GET /HikariPool-1 - Connection is not available, request timed out after 30000ms HTTP/1.1" 404 5',
    'GET /docs/sorry,%20too%20many%20clients%20already 200 3.1 ms - 12',
    'no route for "GET /x sorry, too many clients already HTTP/1.1"',
    'opened https://example.org/search?q=QueuePool+limit+of+size+5+overflow+10+reached',
    '2026/11/27 03:20:11 [error] 31#31: *17 open() "/usr/share/nginx/html/x" failed (2: No such file or directory), client: 172.18.0.9, server: , request: "GET /no live upstreams while connecting to upstream HTTP/1.1", host: "web"',
    'QueuePool limit of size 5 overflow 10 is set',
    'worker timeout is 30 s',
    'server reached pm.max_children setting documentation',
    'HARAKIRI is enabled: 30 s',
    'listen tcp 10.0.0.1:80: bind: cannot assign requested address',
    'the job OutOfMemoryErrorReporter was registered',
    'Too many connections between us to count',
    'max open files raised to 65536',
    'memory resource limit alarm cleared on node rabbit@queue',
    'backend web has 3 servers available',
    'Server web/web1 is UP, reason: Layer7 check passed, code: 200',
    'lookup table loaded, no such hostess',
    'Error: connect ECONNRESET 172.18.0.3:6379',
  ])
    assert.deepEqual(foundIn(text), [], text);
});
