import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, WINDOW } from '../fixtures/hop-files.js';
import { readLog } from './log.js';

test('an error that nobody caught ends with the version of Node, and nothing of the error is kept', () => {
  const log = [
    line(1, 'Error: password hunter2 is wrong'),
    line(1, '    at Server.<anonymous> (file:///srv/app.js:7:11)'),
    line(1, ''),
    line(1, 'Node.js v24.21.0'),
    line(2, 'this app runs on Node.js v24.21.0 today'),
  ].join('');
  const messages = readLog(log, WINDOW);
  assert.deepEqual(
    messages.map(({ signal, text }) => [signal, text]),
    [['worker-died', 'a process ended of an error nobody caught']],
  );
});

test('a heap that is full is told, in the load alone', () => {
  const text = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
  assert.deepEqual(
    readLog(`${line(-3, text)}${line(3, text)}`, WINDOW).map(({ signal, text: kept }) => [signal, kept]),
    [['out-of-memory', text]],
  );
});
