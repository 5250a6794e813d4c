import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, line } from '../fixtures/hop-files.js';
import { readLog } from './log.js';
import { redact } from './redact.js';

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
const STAMP = /^\S+Z /;

/** Line by line, as the record is written. @param {string} log */
const redacted = (log) =>
  log.replace(/^.*$/gm, (text) => {
    const stamp = STAMP.exec(text)?.[0] ?? '';
    return stamp + redact(text.slice(stamp.length));
  });

test('statements, values and texts of the user are taken away, with the lines that they go on in', () => {
  const text = redacted(LOG);
  for (const secret of ['hunter2', '4111', 'update cards', 'select', 'pay(']) assert.ok(!text.includes(secret), secret);
  assert.equal(text.split('\n').length, LOG.split('\n').length);
});

test('what is read of the log is the same without them', () => {
  for (const level of /** @type {const} */ ([1, 2]))
    assert.deepEqual(readLog(redacted(LOG), aboutOf({ level })), readLog(LOG, aboutOf({ level })));
});

test('when it said something, and who did, stays', () => {
  const prefix = '2026-11-21 20:00:01.999 UTC [71] ';
  assert.equal(redact(`${prefix}STATEMENT:  select 1`), `${prefix}STATEMENT:  (its text is not kept)`);
  assert.equal(
    redact(`${prefix}ERROR:  23505: duplicate key value violates unique constraint "x"`),
    `${prefix}ERROR:  23505: duplicate key value violates unique constraint`,
  );
  assert.equal(redact(`${prefix}LOG:  duration: 12.500 ms  bind <unnamed>: select 1`), `${prefix}LOG:  duration: 12.500 ms`);
  assert.equal(redact(`${prefix}LOG:  statement: select 1`), `${prefix}LOG:  statement: (its text is not kept)`);
  assert.equal(redact(`${prefix}LOG:  execute s1: select ': '`), `${prefix}LOG:  execute s1: (its text is not kept)`);
});

test('what the user’s code or an extension logs is not kept, be it no error', () => {
  const taken = (/** @type {string} */ text, /** @type {string} */ kept) => assert.equal(redact(`[71] ${text}`), `[71] ${kept}`);
  taken('LOG:  card 4111 of hunter2 was charged', 'LOG:  (its text is not kept)');
  taken("LOG:  AUDIT: SESSION,1,1,WRITE,UPDATE,,,update cards set pin = 'hunter2',<none>", 'LOG:  (its text is not kept)');
  taken('LOG:  received fast shutdown request of hunter2', 'LOG:  received fast shutdown request');
  taken('HINT:  Card 4111 has another owner.', 'HINT:  (its text is not kept)');
  assert.equal(redact("LINE 1: insert into cards values ('4111')) x"), 'LINE 1: (its text is not kept)');
});

test('PostgreSQL’s own words stay as they are', () => {
  for (const text of [
    '[1] LOG:  listening on IPv4 address "0.0.0.0", port 5432',
    '[28] LOG:  database system was shut down at 2026-11-21 19:59:49 UTC',
    '[27] LOG:  checkpoint complete: wrote 44 buffers (0.3%); write=4.412 s, sync=0.010 s, total=4.430 s',
    '[71] LOG:  process 71 acquired ExclusiveLock on advisory lock [5,0,12,1] after 1203.001 ms',
    '[1] LOG:  server process (PID 71) was terminated by signal 9: Killed',
    '[71] LOG:  duration: 12.500 ms',
    '[1] LOG:  database system is ready to accept connections',
    '[1] LOG:  redirecting log output to logging collector process',
    '[71] LOG:  process 71 still waiting for ShareLock on transaction 755 after 1000.123 ms',
    '[1] LOG:  could not fork new process for connection: Cannot allocate memory',
    '[71] FATAL:  sorry, too many clients already',
    'PostgreSQL init process complete; ready for start up.',
    '',
  ])
    assert.equal(redact(text), text);
});

test('the code of an error is read from a line whose text is gone', () => {
  const text = '2026-11-21 20:00:01.000 UTC [71] P0001 ERROR:  card 4111 is blocked';
  const messagesOf = (/** @type {string} */ said) => readLog(line(1, said), aboutOf({ level: 2 })).messages;
  assert.deepEqual(messagesOf(redact(text)), messagesOf(text));
  assert.equal(messagesOf(text)[0].text, 'ERROR:  P0001 (its text is not kept)');
});
