import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { aboutFailedJobs, compress, redactGeneratorLog } from './collect.js';

/** @param {(folder: string) => Promise<void>} check */
async function inFolder(check) {
  const folder = await mkdtemp(join(os.tmpdir(), 'compress-'));
  try {
    await check(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a file is packed in its place', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'a.log'), 'one\n'.repeat(1000));
    await compress(join(folder, 'a.log'));
    assert.deepEqual(await readdir(folder), ['a.log.gz']);
    assert.equal(gunzipSync(await readFile(join(folder, 'a.log.gz'))).toString(), 'one\n'.repeat(1000));
  }));

test('a file that is not there leaves nothing', () =>
  inFolder(async (folder) => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => compress(join(folder, `${index}.log`))));
    assert.deepEqual(await readdir(folder), []);
  }));

test('what cannot be packed stays as it was', () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, 'a.log'));
    await assert.rejects(compress(join(folder, 'a.log')), /a\.log: expected a file of the record; found what is no file/);
    assert.deepEqual(await readdir(folder), ['a.log']);
  }));

test('no link is followed, neither from what is packed nor to where it is', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'victim'), 'theirs');
    await symlink(join(folder, 'victim'), join(folder, 'a.log'));
    await assert.rejects(compress(join(folder, 'a.log')), /a\.log: .* found a link/);
    await writeFile(join(folder, 'b.log'), 'ours');
    await symlink(join(folder, 'victim'), join(folder, 'b.log.gz.part'));
    await assert.rejects(compress(join(folder, 'b.log')));
    assert.equal(await readFile(join(folder, 'victim'), 'utf8'), 'theirs');
  }));

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

test('a job that fails while the load goes on is named, and one that ends well is not', () => {
  const states = [
    { name: 'import', running: false, exit_code: 4 },
    { name: 'seed', running: false, exit_code: 0 },
    { name: 'web', running: false, exit_code: 1 },
    { name: 'cron', running: true, exit_code: 0 },
  ];
  const containers = ['import', 'seed', 'cron'].map((name) => ({ name, tier: 'observer' }));
  const said = aboutFailedJobs(states, [...containers, { name: 'web', tier: 'app' }]);
  assert.deepEqual(said, ['import ended with code 4 while the load went on; no request passes it.']);
});
