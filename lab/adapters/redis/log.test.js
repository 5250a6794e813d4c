import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FROM, line, WINDOW } from '../fixtures/hop-files.js';
import { readLog } from './log.js';

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
/** @param {string} text */
const messagesOf = (text) => readLog(line(1, text), WINDOW).messages.map(({ signal, text: kept }) => [signal, kept]);

test('each line of the load that tells of a trouble has its meaning', () => {
  assert.deepEqual(
    readLog(LOG, WINDOW).messages.map(({ t, signal, text }) => [Math.floor(t - FROM), signal, text]),
    [
      [1, 'out-of-memory', "Can't save in background: fork: Cannot allocate memory"],
      [2, 'server-error', 'Background saving error'],
      [3, 'slow', 'Asynchronous AOF fsync is taking too long'],
      [4, 'server-error', 'closed ASAP for overcoming of output buffer limits'],
      [5, 'server-error', 'Error writing to the AOF file'],
      [7, 'shut-down', 'Received SIGTERM scheduling shutdown'],
      [7, 'shut-down', 'User requested shutdown'],
      [7, 'shut-down', 'Redis is now ready to exit'],
    ],
  );
});

test('what a client is called or asked is not kept', () => {
  const told = JSON.stringify(readLog(LOG, WINDOW));
  for (const secret of ['hunter2', 'lrange', '172.18']) assert.ok(!told.includes(secret), secret);
});

/** @type {[import('../contract.js').Signal, string][]} */
const SAID = [
  ['shut-down', '# Server started, Redis version 6.0.16'],
  ['shut-down', '# oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo'],
  ['shut-down', '# Redis 7.0.15 crashed by signal: 11, si_code: 1'],
  ['out-of-memory', '# Out Of Memory allocating 1048576 bytes!'],
  ['out-of-memory', "# == CRITICAL == OOM command not allowed when used memory > 'maxmemory'."],
  ['connections-exhausted', '# Error accepting client: max number of clients reached'],
  ['proxy_internal_error', '# Accepting client connection: accept: Too many open files'],
  ['slow', '# Slow script detected: still in execution after 5001 milliseconds. Script name is: hunter2'],
  ['server-error', '# Background AOF rewrite terminated by signal 9'],
  ['server-error', '# Write error saving DB on disk: No space left on device'],
];
for (const [signal, text] of SAID)
  test(`"${text}" means ${signal}`, () => {
    assert.equal(messagesOf(`1:M 21 Nov 2026 20:00:01.000 ${text}`)[0]?.[0], signal);
  });

test('what tells of no trouble, or is no line of its log, is no message', () => {
  for (const text of [
    '1:M 21 Nov 2026 20:00:01.000 * DB saved on disk',
    'User requested shutdown...',
    '1:M 21 Nov 2026 20:00:01.000 - Accepted 172.18.0.7:5',
  ])
    assert.deepEqual(messagesOf(text), [], text);
});

test('a line without its end is no message', () => {
  const half = line(1, '1:M 21 Nov 2026 20:00:01.000 # User requested shutdo').trimEnd();
  assert.deepEqual(readLog(half, WINDOW), { messages: [], heard: false });
});
