import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, FROM, line } from '../fixtures/hop-files.js';
import { readLog } from './log.js';

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
/** @param {string} text @param {import('../contract.js').Level} [level] */
const meaningsOf = (text, level = 1) =>
  readLog(line(1, text), aboutOf({ level })).messages.map((message) => [message.signal, message.text]);

test('each line of the load that tells of a failure has its meaning', () => {
  assert.deepEqual(
    readLog(LOG, aboutOf()).messages.map(({ t, signal, text }) => [Math.round((t - FROM) * 100) / 100, signal, text]),
    [
      [1, 'connections-exhausted', 'FATAL:  sorry, too many clients already'],
      [1.1, 'connections-exhausted', 'FATAL:  remaining connection slots are reserved'],
      [2, 'server-error', 'ERROR:  canceling statement due to statement timeout'],
      [3, 'server-error', 'ERROR:  deadlock detected'],
      [4, 'server-error', 'ERROR:  duplicate key value violates unique constraint'],
      [5, 'server-error', 'ERROR:  (its text is not kept)'],
      [6, 'slow', 'LOG:  duration: 1234.567 ms'],
      [7, 'out-of-memory', 'ERROR:  could not resize shared memory segment'],
      [8, 'shut-down', 'LOG:  received fast shutdown request'],
      [8.01, 'shut-down', 'FATAL:  terminating connection due to administrator command'],
      [8.5, 'shut-down', 'LOG:  database system is shut down'],
    ],
  );
});

test('no statement, value or name of the user is kept', () => {
  const told = JSON.stringify([1, 2].map((level) => readLog(LOG, aboutOf({ level: level === 1 ? 1 : 2 }))));
  for (const secret of ['hunter2', '4111', 'cards', 'pay(']) assert.ok(!told.includes(secret), secret);
});

/** @type {[import('../contract.js').Signal, string][]} */
const SAID = [
  ['connections-exhausted', 'FATAL:  too many connections for role "shop"'],
  ['out-of-memory', 'ERROR:  out of memory'],
  ['out-of-memory', 'ERROR:  out of shared memory'],
  ['out-of-memory', 'LOG:  could not fork new process for connection: Cannot allocate memory'],
  ['proxy_internal_error', 'LOG:  could not fork new process for connection: Resource temporarily unavailable'],
  ['proxy_internal_error', 'LOG:  could not accept new connection: Too many open files'],
  ['worker-died', 'LOG:  server process (PID 71) was terminated by signal 9: Killed'],
  ['shut-down', 'WARNING:  terminating connection because of crash of another server process'],
  ['shut-down', 'FATAL:  the database system is starting up'],
  ['shut-down', 'FATAL:  the database system is in recovery mode'],
  ['shut-down', 'LOG:  database system was interrupted; last known up at 2026-11-21 19:59:49 UTC'],
  ['shut-down', 'PANIC:  could not write to file "pg_wal/xlogtemp.71": No space left on device'],
  ['client-gone', 'LOG:  could not receive data from client: Connection reset by peer'],
  ['client-gone', 'LOG:  unexpected EOF on client connection with an open transaction'],
  ['client-gone', 'ERROR:  canceling statement due to user request'],
  ['server-error', 'FATAL:  password authentication failed for user "shop"'],
  ['server-error', 'FATAL:  terminating connection due to idle-in-transaction timeout'],
  ['slow', 'LOG:  process 71 still waiting for ShareLock on transaction 755 after 1000.123 ms'],
];
for (const [signal, text] of SAID)
  test(`"${text}" means ${signal}`, () => {
    assert.equal(meaningsOf(`2026-11-21 20:00:01.000 UTC [71] ${text}`)[0]?.[0], signal);
  });

test('what tells of no failure is no message', () => {
  for (const text of [
    'LOG:  checkpoint starting: time',
    'LOG:  duration: 99.999 ms  statement: select 1',
    'LOG:  connection received: host=172.18.0.5 port=40444',
    'WARNING:  there is no transaction in progress',
    'NOTICE:  deadlock detected',
    'STATEMENT:  deadlock detected',
    'sorry, too many clients already',
  ])
    assert.deepEqual(meaningsOf(text), [], text);
});

test('a wait for a lock keeps the kind of the lock and the time, not what it is on', () => {
  const text = 'LOG:  process 71 still waiting for AccessExclusiveLock on relation 16384 of database 5 after 1000.123 ms';
  assert.deepEqual(meaningsOf(text), [['slow', 'LOG:  process 71 still waiting for AccessExclusiveLock after 1000.123 ms']]);
});

test('the prefix may be any, or none', () => {
  for (const prefix of [
    '',
    '2026-11-21 20:00:01.000 UTC [71] ',
    'shop@shop/[71]: ',
    '<71>',
    '[71-1] user=shop,db=shop,app=,client=172.18.0.5 ',
  ])
    assert.deepEqual(
      meaningsOf(`${prefix}FATAL:  sorry, too many clients already`),
      [['connections-exhausted', 'FATAL:  sorry, too many clients already']],
      prefix,
    );
});

test("the first severity of a line is PostgreSQL's own", () => {
  assert.deepEqual(meaningsOf("LOG:  statement: select 'FATAL:  sorry, too many clients already'"), []);
});

test('an error whose text is not kept has its code where the line has one', () => {
  const text = 'ERROR:  card 4111 is blocked';
  const coded = meaningsOf(`2026-11-21 20:00:01.000 UTC [71] P0001 ${text}`, 2);
  assert.deepEqual(coded, [['server-error', 'ERROR:  P0001 (its text is not kept)']]);
  assert.deepEqual(meaningsOf('[71] ERROR:  P0001: card 4111 is blocked'), [['server-error', 'ERROR:  P0001 (its text is not kept)']]);
  assert.deepEqual(meaningsOf(`ADMIN ${text}`), [['server-error', 'ERROR:  (its text is not kept)']]);
});

test('a line without its end is no message', () => {
  assert.deepEqual(readLog(line(1, 'FATAL:  sorry, too many clients alre').trimEnd(), aboutOf()).messages, []);
});

test('it is known whether the log comes here at all', () => {
  const { heard, redirected } = readLog(LOG, aboutOf());
  assert.deepEqual([heard, redirected], [true, false]);
  assert.equal(readLog(line(-5, 'LOG:  redirecting log output to logging collector process'), aboutOf()).redirected, true);
  assert.equal(readLog('', aboutOf()).heard, false);
});
