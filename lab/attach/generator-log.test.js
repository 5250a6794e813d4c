import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { redactGeneratorLogs } from './generator-log.js';

/** @param {string} msg @param {string} [source] */
const line = (msg, source) => JSON.stringify({ level: 'error', msg, ...(source && { source }), time: '2026-11-21T20:00:01Z' });

test('the generator’s log keeps what the lab and the generator say, and nothing of a script', async (t) => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  t.after(() => rm(folder, { recursive: true }));
  const own = [
    line('{"requests":[1,2,3]}', 'console'),
    line('{"event":"start","t":1}    ', 'console'),
    line('{"t":1,"code":1212,"kind":"x"}', 'console'),
  ];
  await writeFile(
    join(folder, 'k6.log'),
    [
      ...own,
      line('{"event":"first-failed","method":"GET","url":"http://edge:80/orders/canary9","status":500}', 'console'),
      line('answered canary', 'console'),
      line('{"card":"canary"}', 'console'),
      line("TypeError: Cannot read property 'canary' of undefined"),
      '{"level":"error","msg":"can',
    ].join('\n'),
  );
  await redactGeneratorLogs(folder, ['']);
  assert.deepEqual((await readFile(join(folder, 'k6.log'), 'utf8')).split('\n'), [
    ...own,
    line('{"event":"first-failed","method":"GET","url":"http://edge:80/orders/:id","status":500}', 'console'),
    line("TypeError: Cannot read property '?' of undefined"),
  ]);
});

test('a run without such a log has none', async (t) => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  t.after(() => rm(folder, { recursive: true }));
  await redactGeneratorLogs(folder, ['']);
  await assert.rejects(readFile(join(folder, 'k6.log')), /ENOENT/);
});
