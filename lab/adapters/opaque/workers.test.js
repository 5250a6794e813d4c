import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FROM, line, WINDOW } from '../fixtures/hop-files.js';
import { readWorkers } from './workers.js';

const LOG = readFileSync(new URL('./fixtures/gunicorn.log', import.meta.url), 'utf8');
const BOOT = '[2026-11-21 20:00:01 +0000] [9] [INFO] Booting worker with pid: 9';
/** @param {string} log */
const saidIn = (log) => readWorkers(log, WINDOW).map(({ signal, text }) => [signal, text]);

test('each worker that ended is told once, and those that a stop ended are not', () => {
  assert.deepEqual(
    readWorkers(LOG, WINDOW).map(({ t, signal, text }) => [Math.round(t - FROM), signal, text]),
    [
      [2, 'worker-died', 'WORKER TIMEOUT (pid:7)'],
      [4, 'worker-died', 'Worker with pid 8 was terminated due to signal 9'],
      [9, 'shut-down', 'Handling signal: term'],
    ],
  );
});

test('every way in which a server says that a worker ended is recognised', () => {
  for (const text of [
    '[CRITICAL] WORKER TIMEOUT (pid:12)',
    '[ERROR] Worker (pid:12) was sent SIGKILL! Perhaps out of memory?',
    '[ERROR] Worker (pid:12) exited with code 1',
    '[INFO] Worker exiting (pid: 12)',
    'INFO:     Child process [12] died',
  ])
    assert.deepEqual(
      saidIn(line(1, text)).map(([signal]) => signal),
      ['worker-died'],
      text,
    );
});

test('a worker booted in the load tells of one that ended without a word', () => {
  assert.deepEqual(saidIn(line(1, BOOT)), [['worker-died', 'Booting worker with pid: 9']]);
});

test('workers that a master boots when it starts or is told to are in nobody’s place', () => {
  for (const word of ['Starting gunicorn 20.1.0', 'Handling signal: hup', 'Handling signal: ttin'])
    assert.deepEqual(saidIn(`${line(-1, `[INFO] ${word}`)}${line(1, BOOT)}`), [], word);
});

test('a worker that dies soon after the start is told', () => {
  const died = '[WARNING] Worker with pid 7 was terminated due to signal 9';
  const log = `${line(-1, '[INFO] Starting gunicorn 20.1.0')}${line(1, died)}${line(1.1, BOOT)}`;
  assert.deepEqual(saidIn(log), [['worker-died', 'Worker with pid 7 was terminated due to signal 9']]);
});

test('a worker that has served its share is not told', () => {
  const served = '[7] [INFO] Autorestarting worker after current request.';
  const log = `${line(1, served)}${line(1.1, '[7] [INFO] Worker exiting (pid: 7)')}${line(1.2, BOOT)}`;
  assert.deepEqual(saidIn(log), []);
});

test('what ended before the load is not told, and its replacement neither', () => {
  assert.deepEqual(saidIn(`${line(-1, '[INFO] Worker exiting (pid: 7)')}${line(1, BOOT)}`), []);
});

test('a line without its end is no message', () => {
  assert.deepEqual(saidIn(line(1, '[CRITICAL] WORKER TIMEOUT (pid:12)').trimEnd()), []);
});
