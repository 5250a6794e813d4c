import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { redactGeneratorLog } from './generator-log.js';

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
  await redactGeneratorLog(folder, ['k6']);
  assert.deepEqual((await readFile(join(folder, 'k6.log'), 'utf8')).split('\n'), [
    ...own,
    line('{"event":"first-failed","method":"GET","url":"http://edge:80/orders/:id","status":500}', 'console'),
    line("TypeError: Cannot read property '?' of undefined"),
  ]);
});

test('a run without such a log has none', async (t) => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  t.after(() => rm(folder, { recursive: true }));
  await redactGeneratorLog(folder, ['k6']);
  await assert.rejects(readFile(join(folder, 'k6.log')), /ENOENT/);
});

test('the log of each of several generators is in a folder of its own', async (t) => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of ['k6-1', 'k6-2']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'k6.log'), line('answered canary', 'console'));
  }
  await redactGeneratorLog(folder, ['k6-1', 'k6-2']);
  for (const name of ['k6-1', 'k6-2']) assert.equal(await readFile(join(folder, name, 'k6.log'), 'utf8'), '');
});
