/** The records are those of two processes of a cluster, as the preload wrote them; one is killed two seconds before the other ends. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, FROM, filesOf, line } from '../fixtures/hop-files.js';
import { read } from './read.js';

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`./fixtures/cluster/${name}`, import.meta.url), 'utf8');
const FIRST = JSON.parse(fixture('process-1.ndjson').split('\n')[0]);
const END = Math.max(...[1, 2].map((number) => JSON.parse(fixture(`process-${number}.ndjson`).trimEnd().split('\n').at(-1) ?? '').t));

/** @param {(name: string) => string} [change] */
const filesWith = (change = () => '') => ({
  ...filesOf(''),
  file: (/** @type {string} */ name) => {
    if (!/^process-[12][-.]/.test(name)) return '';
    return change(name) || fixture(name);
  },
});
const ABOUT = aboutOf({ service: 'web', tier: 'app', level: 3, names: new Map(), window: { from: FIRST.t - 1, to: END + 0.5 } });
const LOG = readFileSync(new URL('../opaque/fixtures/gunicorn.log', import.meta.url), 'utf8');

test('each request is on record with what became of it, whichever process had it', () => {
  const record = read(filesWith(), ABOUT);
  assert.deepEqual(record.coverage, { requests: 'full', reasons: 'partial', limits: 'full' });
  const became = new Map(record.sightings.map(({ id, outcome, status }) => [id, `${outcome} ${status}`]));
  assert.deepEqual(
    ['1-1', '1-2', '1-3', '1-4'].map((id) => became.get(id)),
    ['answered 200', 'answered 500', 'broken null', 'open null'],
  );
  const { received, answered_ok: ok, answered_error: errors, aborted } = record;
  assert.deepEqual([received, ok, errors, aborted], [record.sightings.length, Number(received) - 3, 1, 1]);
  assert.ok(record.sightings.every(({ service, received: at }) => service === 'web' && at >= FIRST.t - 1 && at <= END));
});

test('that a process of several was killed is said', () => {
  const { messages } = read(filesWith(), ABOUT);
  assert.deepEqual(
    messages.map(({ signal, text }) => [signal, text.replace(/\d+/, 'N')]),
    [['worker-died', 'process N: wrote no last line, and no other after that']],
  );
});

test('it keeps the record that the lab’s own programs keep, once a second, and its heap has a limit', () => {
  const { pulse = [], limits } = read(filesWith(), ABOUT);
  assert.ok(pulse.length >= 4 && pulse.every(({ t }, index) => index === 0 || t - pulse[index - 1].t < 2));
  const last = pulse[pulse.length - 1];
  assert.deepEqual([pulse[0].event, last.aborted, last.answered['5xx'], last.pool], ['start', 1, 1, null]);
  const [{ resource, size, unit, full = 0, used }] = limits;
  assert.deepEqual([resource, unit, full < size, used.every((reading) => reading.used < size)], ['heap', 'MB', true, true]);
});

test('where requests come without the load’s ids, nothing is proved by their want', () => {
  const record = read(
    filesWith((name) => (name.endsWith('.log') ? fixture(name).replaceAll(/^([+x-])\d+-\d+/gm, '$1other') : '')),
    ABOUT,
  );
  assert.equal(record.coverage.requests, 'partial');
  assert.match(record.uncovered[0], /X-Request-Id/);
});

test('requests without an id are counted all the same', () => {
  const { sightings, coverage, received, answered_ok, answered_error, aborted } = read(
    filesWith((name) =>
      name.endsWith('.log') ? `${fixture(name).split('\n')[0]}\n` : fixture(name).replaceAll(/"logged":\d+/g, '"logged":0'),
    ),
    ABOUT,
  );
  assert.deepEqual([sightings.length, coverage.requests], [0, 'partial']);
  assert.deepEqual([received, answered_ok, answered_error, aborted], [45, 42, 1, 1]);
});

test('lines that were lost, and trouble of the preload itself, are said', () => {
  const lost = read(
    filesWith((name) => (name === 'process-1-requests.log' ? fixture(name).split('\n').slice(0, 3).join('\n') : '')),
    ABOUT,
  );
  assert.deepEqual([lost.coverage.requests, /not in its record/.test(lost.uncovered[0])], ['partial', true]);
  const troubled = read(
    filesWith((name) =>
      name === 'process-1.ndjson' ? fixture(name).replace('"event":"tick"', '"event":"tick","trouble":"Error: ENOSPC"') : '',
    ),
    ABOUT,
  );
  assert.deepEqual([troubled.coverage.requests, /ENOSPC/.test(troubled.uncovered[0])], ['partial', true]);
});

test('without a record of the preload it is said why there may be none', () => {
  const { coverage, uncovered, pulse } = read(filesOf(''), ABOUT);
  assert.deepEqual([coverage.requests, uncovered.length, pulse], ['none', 1, undefined]);
  assert.match(uncovered[0], /18\.18/);
});

test('without consent only its output is read: an access log, and that a process died', () => {
  const about = aboutOf({ service: 'web', tier: 'app' });
  const record = read(filesOf(`${LOG}${line(4, 'Node.js v24.21.0')}`), about);
  assert.deepEqual([record.received, record.coverage.requests, record.sightings], [4, 'partial', []]);
  assert.deepEqual(
    record.messages.map(({ signal, t }) => [signal, t - FROM]),
    [['worker-died', 4]],
  );
  assert.deepEqual(read(filesOf(LOG), { ...about, level: 0 }).received, null);
});
