import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, containerOf, eachSecond, FROM, filesOf, line } from '../fixtures/hop-files.js';
import { read } from './read.js';
import { sampleState } from './state.js';

const ABOUT = aboutOf({ service: 'pool', tier: 'pool' });
const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
const WHO = 'shop/app@172.18.0.7:53412';
const SERVER = 'shop/app@172.18.0.5:5432';

/** @param {string} log */
const readLog = (log) => read(filesOf(log), ABOUT);

/** @param {string[]} texts one millisecond after the other */
const messagesOf = (...texts) =>
  readLog(texts.map((text, index) => line(1 + index / 1000, `2026-11-21 20:00:01.000 UTC [1] ${text}`)).join('')).messages;

test('each event of the load is one message, though it has several lines', () => {
  assert.deepEqual(
    readLog(LOG).messages.map(({ t, signal, text, to }) => [Math.round((t - FROM) * 10) / 10, signal, text, to]),
    [
      [1, 'pool-wait-timeout', 'query_wait_timeout', undefined],
      [2, 'connections-exhausted', 'no more connections allowed (max_client_conn)', undefined],
      [2, 'connections-exhausted', 'no more connections allowed (max_client_conn)', undefined],
      [3, 'connection_terminated', 'server conn crashed?', 'postgres'],
      [4, 'connection_refused', 'connect failed', 'postgres'],
      [5, 'connection_refused', 'server login failed: FATAL password authentication failed', 'postgres'],
      [5, 'connection_refused', 'password authentication failed', 'postgres'],
      [8, 'shut-down', 'got SIGTERM', undefined],
    ],
  );
});

test('neither users nor databases are kept', () => {
  const reported = JSON.stringify(readLog(LOG).messages);
  for (const secret of ['hunter2', 'shop', 'app@']) assert.ok(!reported.includes(secret), secret);
});

/** @type {[import('../contract.js').Signal, string][]} */
const SAID = [
  ['pool-wait-timeout', `WARNING C-0x1: ${WHO} pooler error: query_wait_timeout`],
  ['connections-exhausted', `LOG C-0x1: ${WHO} closing because: client connections exceeded (max_db_client_connections) (age=0s)`],
  ['http_response_timeout', `LOG C-0x1: ${WHO} closing because: query_timeout (age=9s)`],
  ['http_response_timeout', `LOG S-0x1: ${SERVER} closing because: query timeout (age=9s)`],
  ['connection_refused', `WARNING C-0x1: ${WHO} pooler error: server login has been failing, try again later (server_login_retry)`],
  ['connection_refused', 'ERROR S: login failed: FATAL: sorry, too many clients already'],
  ['connection_timeout', `LOG S-0x1: ${SERVER} closing because: connect timeout (age=15s)`],
  ['dns_error', 'LOG S-0x1: shop/app@(bad-af):0 closing because: server DNS lookup failed (age=0s)'],
  ['destination_unavailable', `LOG C-0x1: ${WHO} closing because: client_login_timeout (server down) (age=60s)`],
  ['shut-down', `WARNING C-0x1: ${WHO} pooler error: pooler is shutting down`],
  ['shut-down', 'LOG got SIGINT, shutting down'],
  ['shut-down', 'FATAL unix socket is in use, cannot continue'],
  ['out-of-memory', `LOG C-0x1: ${WHO} closing because: no memory for pool (age=0s)`],
  ['proxy_internal_error', 'ERROR accept() failed: Too many open files'],
];
for (const [signal, text] of SAID)
  test(`"${text}" means ${signal}`, () => {
    assert.deepEqual(
      messagesOf(text).map((message) => message.signal),
      [signal],
    );
  });

test('what tells of no failure is no message', () => {
  for (const text of [
    `LOG C-0x1: ${WHO} login attempt: db=shop user=app tls=no`,
    `LOG C-0x1: ${WHO} closing because: client close request (age=0s)`,
    `LOG S-0x1: ${SERVER} closing because: server idle timeout (age=600s)`,
    `WARNING C-0x1: ${WHO} taking connection from reserve_pool`,
    'WARNING C-0x1: pgbouncer/stats@172.18.0.9:1 pooler error: pooler is shutting down',
  ])
    assert.deepEqual(messagesOf(text), [], text);
});

test('an error line counts where the closing line is not logged', () => {
  const text = `WARNING C-0x1: ${WHO} pooler error: query_wait_timeout`;
  assert.equal(messagesOf(text, text).length, 2);
});

test('two clients that break off with two servers are two events', () => {
  const lines = ['1', '2'].flatMap((pointer) => [
    `LOG S-0xa${pointer}: ${SERVER} closing because: server conn crashed? (age=2s)`,
    `LOG C-0xb${pointer}: ${WHO} closing because: server conn crashed? (age=2s)`,
    `WARNING C-0xb${pointer}: ${WHO} pooler error: server conn crashed?`,
  ]);
  assert.deepEqual(
    messagesOf(...lines).map(({ to }) => to),
    ['postgres', 'postgres'],
  );
});

test('an address that no service has is named as it is', () => {
  assert.equal(messagesOf('LOG S-0x1: shop/app@10.0.0.9:5432 closing because: connect failed (age=0s)')[0].to, '10.0.0.9');
});

test('the averages tell how long queries waited', () => {
  const averagesOf = (/** @type {string} */ log) => readLog(log).uncovered.filter((sentence) => sentence.startsWith('by its own averages'));
  assert.deepEqual(averagesOf(LOG), ['by its own averages a query waited up to 0.012 s for a connection of pool']);
  assert.deepEqual(averagesOf(LOG.replace('wait 12345 us', 'wait 0 us')), []);
});

test('a line without its end is no message, and other lines are not its log', () => {
  const half = line(1, '2026-11-21 20:00:01.000 UTC [1] LOG got SIGTERM').trimEnd();
  const isSilent = (/** @type {string} */ log) =>
    readLog(log).uncovered.some((sentence) => sentence.includes('it wrote nothing to its output'));
  assert.deepEqual(readLog(half).messages, []);
  assert.deepEqual([half, line(1, 'starting up'), `${half}\n`].map(isSilent), [true, true, false]);
});

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const READ_LOG = fixture('own.log');
const STATE = /** @type {import('./state.js').State} */ (await sampleState(containerOf(fixture('console.txt')).container));
const CALM = { ...STATE, pools: STATE.pools.map((pool) => ({ ...pool, maxwait_s: 0 })) };

test('with its log and its console all but requests is covered, while no client waits for long', () => {
  const record = read(filesOf(READ_LOG, eachSecond(CALM)), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'full', limits: 'full' });
  assert.deepEqual([record.product, record.tier, record.received, record.messages.length], ['pgbouncer', 'pool', null, 8]);
});

test('where clients waited for long, or nobody watched, one may have left without a line', () => {
  for (const samples of [eachSecond(STATE), [], eachSecond(CALM).slice(0, 4)]) {
    const { coverage, uncovered } = read(filesOf(READ_LOG, samples), ABOUT);
    assert.equal(coverage.reasons, 'partial');
    assert.ok(uncovered.some((sentence) => sentence.startsWith('a client that leaves while it waits')));
  }
});

test('the fullest pool of a database is measured by the size of one, and clients without the lab by theirs', () => {
  const [pool, clients] = read(filesOf(READ_LOG, eachSecond(STATE)), ABOUT).limits;
  assert.deepEqual([pool.resource, pool.size, pool.used[0].used], ['server connections of the pool', 8, 6]);
  assert.deepEqual([clients.resource, clients.size, clients.used[0].used], ['client connections', 100, 29]);
});

test('of several databases each has a limit with its name', () => {
  const two = { ...STATE, pools: [...STATE.pools, { ...STATE.pools[1], database: 'jobs' }], sizes: { shop: 8, jobs: 4 } };
  assert.deepEqual(
    read(filesOf(READ_LOG, eachSecond(two)), ABOUT).limits.map(({ resource, size }) => [resource, size]),
    [
      ['server connections of the pool of shop', 8],
      ['server connections of the pool of jobs', 4],
      ['client connections', 100],
    ],
  );
});

test('without samples no limit is reported, but what its averages say of waits is', () => {
  const record = read(filesOf(READ_LOG), ABOUT);
  assert.deepEqual([record.limits, record.coverage.limits], [[], 'none']);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('waited up to 0.012 s')));
});

test('where it does not log its silence rules nothing out', () => {
  const quiet = { ...CALM, settings: { ...CALM.settings, log_pooler_errors: '0' } };
  assert.equal(read(filesOf('', eachSecond(CALM)), ABOUT).coverage.reasons, 'none');
  assert.equal(read(filesOf(line(1, 'hello'), eachSecond(CALM)), ABOUT).coverage.reasons, 'none');
  assert.equal(read(filesOf(READ_LOG, eachSecond(quiet)), ABOUT).coverage.reasons, 'partial');
  assert.equal(read(filesOf(READ_LOG, eachSecond(CALM)), { ...ABOUT, level: 0 }).coverage.reasons, 'none');
});
