import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, containerOf, eachSecond, FROM, filesOf, line } from '../fixtures/hop-files.js';
import { read, redact, sampleState } from './read.js';

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
const ABOUT = aboutOf({ service: 'cache', tier: 'cache' });

/** @param {string} log */
const readLog = (log) => read(filesOf(log), ABOUT);
/** @param {string} text */
const messagesOf = (text) => readLog(line(1, text)).messages.map(({ signal, text: kept }) => [signal, kept]);

/** What is told of a server that answers so. @param {string} output */
const stateIn = async (output) => /** @type {import('./read.js').State | null} */ (await sampleState(containerOf(output).container));

test('each line of the load that tells of a trouble has its meaning', () => {
  assert.deepEqual(
    readLog(LOG).messages.map(({ t, signal, text }) => [Math.floor(t - FROM), signal, text]),
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
  const reported = JSON.stringify(readLog(LOG).messages);
  for (const secret of ['hunter2', 'lrange', '172.18']) assert.ok(!reported.includes(secret), secret);
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
  const { messages, uncovered } = readLog(half);
  assert.deepEqual([messages, uncovered.some((sentence) => sentence.includes('wrote no log to its output'))], [[], true]);
  assert.ok(!readLog(`${half}\n`).uncovered.some((sentence) => sentence.includes('wrote no log to its output')));
});

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const READ_LOG = fixture('own.log');
const STATE = /** @type {import('./read.js').State} */ (await stateIn(fixture('info.txt')));

test('what it refuses is counted and not logged, so reasons are covered in part', () => {
  const record = read(filesOf(READ_LOG, eachSecond(STATE)), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'partial', limits: 'full' });
  assert.deepEqual([record.product, record.received, record.messages.length], ['redis', null, 8]);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('counted to the second')));
});

test('it is of the tier that the user says', () => {
  assert.equal(read(filesOf(READ_LOG), aboutOf({ tier: 'queue' })).tier, 'queue');
});

test('refusals are named by their signal', () => {
  const { counters } = read(filesOf('', eachSecond(STATE)), ABOUT);
  assert.deepEqual(
    Object.entries(counters).map(([name, values]) => [name, values.at(-1)?.value]),
    [
      ['connections-exhausted', 7],
      ['out-of-memory', 4],
    ],
  );
});

test("a refusal of the lab's own question is no client's, and says that every connection was taken", () => {
  const samples = eachSecond(STATE, (second) => ({ rejected_connections: second > 4 ? 10 : 7 })).map((sample) =>
    sample.t === FROM + 4 ? { t: sample.t, refused: true } : sample,
  );
  const { counters, limits } = read(filesOf(READ_LOG, samples), ABOUT);
  assert.equal(counters['connections-exhausted'].at(-1)?.value, 9);
  assert.equal(limits[0].used.find(({ t }) => t === FROM + 4)?.used, 100);
});

test('connections and memory have limits; without maxmemory only connections', () => {
  assert.deepEqual(
    read(filesOf('', eachSecond(STATE)), ABOUT).limits.map(({ resource, size, used }) => [resource, size, used[0].used]),
    [
      ['client connections', 100, 50],
      ['memory', 104857600, 73400320],
    ],
  );
  assert.equal(read(filesOf('', eachSecond({ ...STATE, max_memory: 0 })), ABOUT).limits.length, 1);
});

test('counters go on growing when it begins anew', () => {
  const samples = eachSecond(STATE, (second) => ({
    rejected_connections: second < 5 ? 7 : 0,
    out_of_memory_replies: second < 5 ? 5000 : second,
  }));
  const { counters } = read(filesOf('', samples), ABOUT);
  for (const name of ['connections-exhausted', 'out-of-memory']) {
    const values = counters[name].map(({ value }) => value);
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
    );
  }
  assert.equal(counters['out-of-memory'].at(-1)?.value, 5010);
});

test('without samples and log nothing is covered', () => {
  const record = read(filesOf(''), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
  assert.deepEqual([record.counters, record.limits, record.messages], [{}, [], []]);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('redis-cli')));
});

test('at level 0 the log is not read', () => {
  assert.deepEqual(read(filesOf(READ_LOG), { ...ABOUT, level: 0 }).messages, []);
});

test('a slow log that is full counts no further', () => {
  const says = (/** @type {number} */ count) =>
    read(filesOf('', eachSecond({ ...STATE, slow_commands: count })), ABOUT).uncovered.some((sentence) => sentence.includes('slow log'));
  assert.deepEqual([says(127), says(128)], [false, true]);
});

const INFO = readFileSync(new URL('./fixtures/info.txt', import.meta.url), 'utf8');

test('the state is read from INFO and the length of the slow log', async () => {
  assert.deepEqual(await stateIn(INFO.replaceAll('\n', '\r\n')), {
    clients: 50,
    max_clients: 100,
    rejected_connections: 7,
    used_memory: 73400320,
    max_memory: 104857600,
    out_of_memory_replies: 4,
    slow_commands: 12,
  });
});

test('what a version does not tell is not known, and a kind of error that did not occur is none', async () => {
  const old = await stateIn('connected_clients:2\nused_memory:1\n');
  assert.deepEqual([old?.clients, old?.max_clients, old?.slow_commands, old?.out_of_memory_replies], [1, null, null, null]);
  assert.equal((await stateIn('connected_clients:2\ntotal_error_replies:0\n'))?.out_of_memory_replies, 0);
});

test('what is no answer gives no state', async () => {
  for (const output of ['', 'NOAUTH Authentication required.\n', 'Could not connect to Redis at 127.0.0.1:6379: Connection refused\n'])
    assert.equal(await stateIn(output), null, output);
});

test('an answer is the sample, asked within a second and without a key or a value', async () => {
  const { container, asked } = containerOf('connected_clients:2\r\n');
  const state = /** @type {import('./read.js').State} */ (await sampleState(container));
  assert.equal(state.clients, 1);
  assert.ok(asked[0].limitMs < 1000);
  assert.ok(!/SLOWLOG GET|MONITOR|KEYS|CLIENT LIST/.test(asked[0].command.join(' ')));
});

test('a refusal for lack of a connection is a sample of its own', async () => {
  assert.deepEqual(await sampleState(containerOf('ERR max number of clients reached\n', 1).container), { refused: true });
});

test('where it cannot be asked there is no sample', async () => {
  assert.equal(await sampleState(containerOf('NOAUTH Authentication required.\n').container), null);
  assert.equal(await sampleState(containerOf('', 127).container), null);
});

const STAMP = /^\S+Z /;

test('of the command that Redis crashed at its name and its length stay, and neither key nor value', () => {
  for (const [text, kept] of [
    ["argc: '3'", "argc: '3'"],
    [`argv[0]: '"set"'`, `argv[0]: '"set"'`],
    [`argv[1]: '"card:4111"'`, 'argv[1]: ?'],
    [`argv[12]: '"hunter2"'`, 'argv[12]: ?'],
    [
      "1:M 21 Nov 2026 20:00:01.123 # key 'card:4111' found in DB containing the following object:",
      "1:M 21 Nov 2026 20:00:01.123 # key '?' found in DB containing the following object:",
    ],
    ['1:M 21 Nov 2026 20:00:01.123 # Object raw string content: hunter2', '1:M 21 Nov 2026 20:00:01.123 # Object raw string content: ?'],
  ])
    assert.equal(redact(text), kept);
});

test('every line without a client’s name stays as it is, and what is read of the log is the same', () => {
  const redacted = LOG.replace(/^.*$/gm, (text) => {
    const stamp = STAMP.exec(text)?.[0] ?? '';
    return stamp + redact(text.slice(stamp.length));
  });
  assert.equal(redacted, LOG.replace('name=hunter2', 'name=?'));
  assert.deepEqual(readLog(redacted), readLog(LOG));
});
