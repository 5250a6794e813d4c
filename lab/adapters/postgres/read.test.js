import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, eachSecond, FROM, filesOf, line } from '../fixtures/hop-files.js';
import { read } from './read.js';

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
const STATE = JSON.parse(readFileSync(new URL('./fixtures/state.json', import.meta.url), 'utf8'));
const REFUSED = 'FATAL:  sorry, too many clients already';
const READY = line(-5, 'LOG:  database system is ready to accept connections');

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

test('counters go on growing when the server begins anew', () => {
  const samples = eachSecond(STATE, (second) => ({ totals: { ...STATE.totals, xact_commit: second < 5 ? 1000 + second : second } }));
  const values = read(filesOf(LOG, samples), aboutOf()).counters.commits.map(({ value }) => value);
  assert.deepEqual(
    values,
    values.toSorted((one, other) => one - other),
  );
  assert.equal(values.at(-1), 1014);
});

test('without samples no limit and no counter is told, and it is said why', () => {
  const record = read(filesOf(LOG), aboutOf());
  assert.deepEqual([record.limits, record.counters, record.coverage.limits], [[], {}, 'none']);
  assert.ok(record.uncovered.some((sentence) => sentence.includes('psql')));
});

test('where the log does not come here its silence is no acquittal', () => {
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

test('what waits for a lock to the end is told in the order of time, whether or not the log tells of slow statements', () => {
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
  const told = JSON.stringify(read(filesOf(LOG, eachSecond(STATE)), aboutOf({ level: 2 })));
  for (const secret of ['hunter2', '4111', 'cards']) assert.ok(!told.includes(secret), secret);
});
