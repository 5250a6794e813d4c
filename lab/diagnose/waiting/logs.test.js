import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logWords } from '../../adapters/log-words.js';
import { ZERO } from './fixtures/made-stack.js';
import { logsOf } from './logs.js';

const SPAN = { from: ZERO, to: ZERO + 100 };
/** Of CPU. An analysis has seconds in all; another machine may take several times as long. */
const LONGEST_MS = 5_000;

/** @param {string} log @param {number} [level] */
const read = (log, level = 1) =>
  /** @type {import('./logs.js').ServiceLog} */ (
    logsOf(/** @type {any} */ ({ adapted: [{ service: 'api', level, files: { log } }] }), logWords, SPAN)('api')
  );

/** @param {number} count @param {(index: number) => string} textOf @returns {string} evenly over the span */
function logOf(count, textOf) {
  const lines = [];
  for (let index = 0; index < count; index += 1)
    lines.push(`${new Date((ZERO + (100 * index) / count) * 1000).toISOString()} ${textOf(index)}\n`);
  return lines.join('');
}

/** @template T @param {() => T} deed @returns {T} */
function inTime(deed) {
  const begun = process.cpuUsage().user;
  const given = deed();
  const took = (process.cpuUsage().user - begun) / 1e3;
  assert.ok(took < LONGEST_MS, `${took} ms`);
  return given;
}

test('lines become templates with their times, those of one phrase one', () => {
  const { templates, part } = read(
    logOf(6, (index) =>
      index % 2
        ? `(HikariPool-${index}) x${'y'.repeat(index)} - Connection is not available, request timed out after 9ms`
        : `basket ${index} was taken`,
    ),
  );
  assert.deepEqual(
    templates.map(({ text, phrase, times }) => [text.slice(0, 16), phrase?.product, times.length]),
    [
      ['(HikariPool-#) x', 'HikariCP', 3],
      ['basket # was tak', undefined, 3],
    ],
  );
  assert.equal(part, 1);
});

test('a service without a log, of another time, or watched as a container alone, has none', () => {
  assert.equal(
    read(
      logOf(3, () => 'late'),
      0,
    ),
    null,
  );
  assert.equal(logsOf({ adapted: [] }, logWords, SPAN)('api'), null);
  assert.deepEqual(read('2026-11-27T03:20:11Z late\n').templates, []);
});

test('ten megabytes in one line take no longer than a line', () => {
  const at = new Date(ZERO * 1000).toISOString();
  const { templates } = inTime(() => read(`${at} ${'a "b=(1/'.repeat(1.25e6)}\n${at} {"msg":"${'x'.repeat(1e7)}"}\n`));
  assert.equal(templates.length, 2);
  assert.ok(templates.every(({ text }) => text.length <= 160));
});

test('a million different lines are read in part, and what is frequent or known among them is kept', () => {
  const word = (/** @type {number} */ index) => [...String(index)].map((figure) => 'abcdefghij'[Number(figure)]).join('');
  const log = logOf(1e6, (index) =>
    index % 1000 === 0
      ? 'panic: the shelf is empty'
      : index % 1000 === 500
        ? 'Error: connect ECONNREFUSED 172.18.0.3:6379'
        : `basket of ${word(index)} was taken`,
  );
  const { templates, part, isRead } = inTime(() => read(log));
  assert.ok(part > 1, `one in ${part}`);
  assert.ok(templates.length <= 2_100, `${templates.length} templates`);
  const seconds = Array.from({ length: 100 }, (_, second) => ZERO + second + 0.5).filter(isRead).length;
  for (const text of ['panic: the shelf is empty', 'Error: connect ECONNREFUSED #'])
    assert.equal(templates.find((template) => template.text === text)?.times.length, seconds * 10, text);
});

test('a log of requests alone costs hardly anything', () => {
  const log = logOf(300_000, () => '172.18.0.9 - - [27/Nov/2026:03:20:11 +0000] "GET /items HTTP/1.1" 200 5 "-" "k6"');
  assert.deepEqual(inTime(() => read(log)).templates, []);
});
