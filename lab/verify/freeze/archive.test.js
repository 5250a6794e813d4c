import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packFiles, packJson, unpackFiles, unpackJson } from './archive.js';

/** @param {import('./files.js').RecordFiles} files */
const there = async (files) => unpackFiles(await unpackJson(await packJson(packFiles(files))));

test('a text stays as it is, to the last blank', async () => {
  const files = { 'raw/nginx.conf': 'events {}\n\n', 'raw/empty.log': '', 'raw/half.ndjson': '{"t":1}\n{"t":' };
  assert.deepEqual(await there(files), files);
});

test('what is JSON reads the same', async () => {
  const files = { 'manifest.json': '{ "run": 1.50 }', 'raw/rows.ndjson': '{"t":1.10}\n{"t":2.0}\n' };
  assert.deepEqual(await there(files), { 'manifest.json': '{"run":1.5}\n', 'raw/rows.ndjson': '{"t":1.1}\n{"t":2}\n' });
});

test("a line of k6's log keeps what a user wrote, and what k6 itself said", async () => {
  const said = {
    requests: [1795782659854, 96, 0, 100, 530, -2, 100, 730, 500, 1, 100],
    failed: [['178-8', 1795782659917, 53, 0, 1220, 'reset']],
  };
  const lines = [
    { level: 'error', msg: JSON.stringify(said), source: 'console' },
    { level: 'warning', msg: '{no JSON' },
    { level: 'warning' },
  ];
  const files = { 'raw/k6.log': lines.map((line) => `${JSON.stringify(line)}\n`).join('') };
  assert.deepEqual(await there(files), files);
});

test('a log that the engine wrote keeps its times to the nanosecond, however many digits they have', async () => {
  const lines = [
    '2026-11-27T12:41:44.325352676Z a',
    '2026-11-27T12:41:44.4Z b  c',
    '2026-11-27T12:41:45Z ',
    '2026-11-27T12:41:43.000000001Z d',
  ];
  const files = {
    'raw/api/log.txt': lines.map((line) => `${line}\n`).join(''),
    'raw/db/log.txt': `${lines[0]}\nno time\n`,
    'raw/x/log.txt': lines[0],
  };
  assert.deepEqual(await there(files), files);
});
