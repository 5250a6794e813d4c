import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, eachSecond, FROM, filesOf, line } from '../fixtures/hop-files.js';
import { read, redact } from './read.js';

/** Samples from second 1 on; of each the waits at that time. @param {...[number, number][]} seconds */
const samplesOf = (...seconds) => seconds.map((waits, index) => ({ t: FROM + index + 1, lock_waits: waits.length > 0 ? waits : null }));

const READY = line(-5, 'LOG:  database system is ready to accept connections');

/** What is told of a load that its log says nothing of. @param {any[]} samples @param {boolean} logged  the log has a line for each statement that took long and ended */
const lockWaits = (samples, logged) => read(filesOf(READY, samples), aboutOf({ level: logged ? 2 : 1 })).messages;

/** @type {(samples: any[], logged?: boolean) => [number, string][]} */
const reported = (samples, logged = false) => lockWaits(samples, logged).map(({ t, text }) => [t - FROM, text]);

const HELD = samplesOf(
  [],
  [[71, 0.5]],
  [[71, 1.5]],
  [
    [71, 2.6],
    [72, 0.4],
  ],
  [
    [71, 3.5],
    [72, 1.4],
  ],
);

test('each statement that waited for a lock is reported once, with the longest that was seen of it', () => {
  assert.deepEqual(reported(HELD), [
    [5, 'process 71 waits for a lock, for 3500 ms so far'],
    [5, 'process 72 waits for a lock, for 1400 ms so far'],
  ]);
  assert.equal(lockWaits(HELD, false)[0].source, 'pg_stat_activity');
});

test('a process that waits again is another wait', () => {
  assert.deepEqual(
    reported(samplesOf([[71, 0.9]], [[71, 1.9]], [], [[71, 0.2]], [[71, 1.2]])).map(([t]) => t),
    [2, 5],
  );
});

test('what waited for less than a second, or since before the load, is not told', () => {
  assert.deepEqual(reported(samplesOf([[71, 0.4]], [[72, 0.9]])), []);
  assert.deepEqual(reported(samplesOf([[71, 30.5]], [[71, 31.5]])), []);
});

test('where the log tells of what ended, only what still waits is reported beside it', () => {
  const ended = samplesOf([[71, 0.8]], [[71, 1.8]], [], [[72, 0.5]], [[72, 1.5]]);
  assert.deepEqual(
    reported(ended, true).map(([t]) => t),
    [5],
  );
  assert.equal(reported(ended).length, 2);
});

test('samples that do not tell of waits, as of a server that refused, tell nothing', () => {
  assert.deepEqual(
    reported([
      { t: FROM + 1, refused: true },
      { t: FROM + 2, connections: 3 },
    ]),
    [],
  );
  assert.deepEqual(reported([]), []);
});

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
/** @param {string} log @param {import('../contract.js').Level} [level] */
const readLog = (log, level = 1) => read(filesOf(log), aboutOf({ level }));
/** @param {string} text @param {import('../contract.js').Level} [level] */
const meaningsOf = (text, level = 1) => readLog(line(1, text), level).messages.map((message) => [message.signal, message.text]);

test('each line of the load that tells of a failure has its meaning', () => {
  assert.deepEqual(
    readLog(LOG).messages.map(({ t, signal, text }) => [Math.round((t - FROM) * 100) / 100, signal, text]),
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
  const reported = JSON.stringify([readLog(LOG, 1), readLog(LOG, 2)]);
  for (const secret of ['hunter2', '4111', 'cards', 'pay(']) assert.ok(!reported.includes(secret), secret);
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
  assert.deepEqual(readLog(line(1, 'FATAL:  sorry, too many clients alre').trimEnd()).messages, []);
});

test('it is known whether the log comes here at all', () => {
  assert.equal(readLog(LOG).coverage.reasons, 'full');
  const whyNot = (/** @type {string} */ log) => readLog(log).uncovered.find((sentence) => sentence.includes('is not known: '));
  const redirected = line(-5, 'LOG:  redirecting log output to logging collector process');
  assert.match(String(whyNot(READY + redirected)), /its log goes to a file in the container/);
  assert.match(String(whyNot('')), /its output does not say that it serves/);
});

const STATE = JSON.parse(readFileSync(new URL('./fixtures/state.json', import.meta.url), 'utf8'));
const REFUSED = 'FATAL:  sorry, too many clients already';

test('with its log and its state all but requests is covered', () => {
  const record = read(filesOf(LOG, eachSecond(STATE)), aboutOf());
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'full', limits: 'full' });
  assert.deepEqual([record.product, record.tier, record.received, record.messages.length], ['postgres', 'database', null, 11]);
});

test('reserved slots are no limit for the app, unless it connects as a superuser', () => {
  const [limit] = read(filesOf(LOG, eachSecond(STATE)), aboutOf()).limits;
  assert.deepEqual([limit.resource, limit.size, limit.used[0].used], ['connections', 17, 12]);
  assert.equal(read(filesOf(LOG, eachSecond({ ...STATE, superusers: 12 })), aboutOf()).limits[0].size, 20);
});

test("a refusal of the lab's own question is no client's, and says that every slot was taken", () => {
  const log = `${READY}${line(2, REFUSED)}${line(4.9, REFUSED)}${line(5.1, REFUSED)}`;
  const samples = eachSecond(STATE).map((sample) => (sample.t === FROM + 5 ? { t: sample.t, refused: true } : sample));
  const { messages, limits } = read(filesOf(log, samples), aboutOf());
  assert.equal(messages.length, 2);
  assert.equal(limits[0].used.find(({ t }) => t === FROM + 5)?.used, limits[0].size);
});

const CANCELLED = 'ERROR:  canceling statement due to statement timeout';
/** @param {string} log @param {any[]} samples */
const textsIn = (log, samples) =>
  read(filesOf(`${READY}${log}`, samples), aboutOf()).messages.map(({ t, text }) => [Math.round((t - FROM) * 10) / 10, text]);

test("the lab's own question that the server ended is no client's error, whether or not the lab heard of it", () => {
  const log = `${line(2.9, CANCELLED)}${line(5.8, CANCELLED)}${line(8.1, CANCELLED)}`;
  const samples = eachSecond(STATE)
    .filter(({ t }) => t !== FROM + 3)
    .map((sample) => (sample.t === FROM + 6 ? { t: sample.t, failed: true } : sample));
  assert.deepEqual(textsIn(log, samples), [[8.1, CANCELLED]]);
});

test("of statements that the server ended in a second only one is the lab's own", () => {
  const samples = eachSecond(STATE).filter(({ t }) => t !== FROM + 3);
  assert.deepEqual(textsIn(`${line(2.9, CANCELLED)}${line(3, CANCELLED)}${line(3.1, CANCELLED)}`, samples).length, 2);
  assert.deepEqual(textsIn(line(3, CANCELLED), []).length, 1);
});

test("what the server says of the lab's own process is not about the system", () => {
  const slow = (/** @type {number} */ pid) => line(4, `2026-11-21 20:00:04.000 UTC [${pid}] LOG:  duration: 640.000 ms`);
  const samples = eachSecond(STATE, (second) => ({ pid: 500 + second }));
  assert.deepEqual(textsIn(`${slow(71)}${slow(504)}`, samples), [[4, 'LOG:  duration: 640.000 ms']]);
});

test('a server that lets the lab not in tells nothing of its state, and its refusals of the lab are no errors of the system', () => {
  const DENIED = 'FATAL:  password authentication failed for user "postgres"';
  const log = Array.from({ length: 10 }, (_, second) => line(second + 0.9, DENIED)).join('');
  const samples = Array.from({ length: 10 }, (_, second) => ({ t: FROM + second + 0.95, failed: true }));
  const record = read(filesOf(`${READY}${log}${line(4.5, DENIED)}`, samples), aboutOf());
  assert.deepEqual([record.messages.length, record.coverage.limits], [1, 'none']);
});

test('without samples no limit is reported, and it is said why', () => {
  const record = read(filesOf(LOG), aboutOf());
  assert.deepEqual([record.limits, record.coverage.limits], [[], 'none']);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('psql')));
});

test('where the log does not come here its silence rules nothing out', () => {
  /** @type {[string, object][]} */
  const cases = [
    ['', {}],
    [line(1, REFUSED), {}],
    [`${READY}${line(-4, 'LOG:  redirecting log output to logging collector process')}`, {}],
    [READY, { logging_collector: 'on' }],
    [READY, { log_min_messages: 'fatal' }],
    [READY, { lc_messages: 'de_DE.utf8' }],
  ];
  for (const [log, settings] of cases) {
    const samples = eachSecond({ ...STATE, settings: { ...STATE.settings, ...settings } });
    const { coverage, uncovered } = read(filesOf(log, samples), aboutOf());
    assert.notEqual(coverage.reasons, 'full', log);
    assert.ok(uncovered.some((sentence) => sentence.includes('is not known: ')));
  }
});

test('at level 0 the log is not read', () => {
  const { messages, coverage } = read(filesOf(LOG, eachSecond(STATE)), aboutOf({ level: 0 }));
  assert.deepEqual([messages, coverage.reasons], [[], 'none']);
});

test('that slow statements are not logged is said, unless they are', () => {
  /** @param {object} settings @param {import('../contract.js').Level} [level] */
  const says = (settings, level = 1) =>
    read(filesOf(LOG, eachSecond({ ...STATE, settings })), aboutOf({ level })).uncovered.some((text) => text.includes('taking long'));
  assert.deepEqual([says(STATE.settings), says({}), says({}, 2)], [true, true, false]);
  assert.equal(says({ ...STATE.settings, log_min_duration_statement: '100ms' }), false);
});

test('what waits for a lock to the end is reported in the order of time, whether or not the log tells of slow statements', () => {
  const samples = eachSecond(STATE, (second) => ({ lock_waits: second < 3 ? null : [[71, second - 2.5]] }));
  for (const level of /** @type {const} */ ([1, 2])) {
    const { messages } = read(filesOf(`${READY}${line(2, REFUSED)}`, samples), aboutOf({ level }));
    assert.deepEqual(
      messages.map(({ signal, t }) => [signal, t - FROM]),
      [
        ['connections-exhausted', 2],
        ['slow', 10],
      ],
    );
  }
});

test('nothing of a statement reaches the record', () => {
  const reported = JSON.stringify(read(filesOf(LOG, eachSecond(STATE)), aboutOf({ level: 2 })));
  for (const secret of ['hunter2', '4111', 'cards']) assert.ok(!reported.includes(secret), secret);
});

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
  for (const level of /** @type {const} */ ([1, 2])) assert.deepEqual(readLog(redacted(LOG), level), readLog(LOG, level));
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
  const messagesOf = (/** @type {string} */ said) => readLog(line(1, said), 2).messages;
  assert.deepEqual(messagesOf(redact(text)), messagesOf(text));
  assert.equal(messagesOf(text)[0].text, 'ERROR:  P0001 (its text is not kept)');
});
