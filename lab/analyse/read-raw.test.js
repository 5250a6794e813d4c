import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseErrorLog, parseRefusals, readRaw } from './read-raw.js';

const FIXTURE = fileURLToPath(new URL('fixtures/run-2a-smoke', import.meta.url));

/** @param {(folder: string) => Promise<void>} use a copy of the stored run */
async function withCopy(use) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-raw-'));
  try {
    await cp(FIXTURE, folder, { recursive: true });
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a line of Nginx's error log has a moment, a level and a text without the connection's number", () => {
  const text = [
    '2026/11/21 00:15:46 [warn] 6#6: 1024 worker_connections are not enough, reusing connections',
    '2026/11/21 00:15:47 [alert] 29#30: *1734 64 worker_connections are not enough while connecting to upstream',
  ].join('\n');
  assert.deepEqual(parseErrorLog(text), [
    { t: 1795220146, level: 'warn', text: '1024 worker_connections are not enough, reusing connections' },
    { t: 1795220147, level: 'alert', text: '64 worker_connections are not enough while connecting to upstream' },
  ]);
});

test('a line of the error log that has another form is skipped, and none at all is none', () => {
  assert.deepEqual(parseErrorLog('nginx: [emerg] host not found\n\n2026/11/21 00:15 [warn] cut'), []);
  assert.deepEqual(parseErrorLog(''), []);
});

test("MongoDB's log tells when it refused a connection, by the number of that message alone", () => {
  const line = (/** @type {number} */ id, /** @type {string} */ date) =>
    `{"t":{"$date":"${date}"},"s":"I",  "c":"NETWORK",  "id":${id},   "ctx":"listener","msg":"text"}`;
  const text = [
    line(22943, '2026-11-21T01:10:09.808+00:00'),
    line(22942, '2026-11-21T01:10:10.500+00:00'),
    line(22942, '2026-11-21T02:10:11.000+01:00'),
    '{"id":22942 cut off',
  ].join('\n');
  assert.deepEqual(parseRefusals(text), [1795223410.5, 1795223411]);
  assert.deepEqual(parseRefusals(''), []);
});

test('a stored run is read with every record that it holds', async () => {
  const raw = await readRaw(FIXTURE);
  assert.equal(raw.manifest.load, 'smoke');
  assert.deepEqual(Object.keys(raw.nodes), ['app-1', 'app-2']);
  assert.deepEqual([raw.accessLines.length, raw.errorLines.length, raw.snapshots.length, raw.balancerStatus.length], [6846, 8, 26, 3]);
  assert.deepEqual(raw.errorSamples[0], { t: 1795223437.221, code: 1000, kind: 'eof', error: 'EOF' });
  assert.deepEqual([...new Set(raw.errorSamples.map(({ kind }) => kind))], ['eof', 'reset', 'server_closed_idle']);
  assert.match(raw.balancerConf, /worker_connections 1024;/);
  assert.equal(raw.finalStates.length, 6);
  assert.deepEqual(raw.databaseRefusals, []);
  for (const rows of [raw.database, raw.containers, raw.kernel, raw.host]) assert.ok(rows.length > 0);
});

test('ids that were acknowledged and ids that were stored are read from their records', () =>
  withCopy(async (folder) => {
    const log = ['1-0', '1-1'].map((id) => JSON.stringify({ level: 'error', msg: JSON.stringify({ acknowledged: id }) }));
    await writeFile(join(folder, 'raw', 'k6.log'), `${log.join('\n')}\n{"level":"info","msg":"running"}\n`);
    await writeFile(join(folder, 'raw', 'document-ids.txt'), '1-0\n1-0\n2-5\n');
    const { acknowledgedIds, documentIds, errorSamples } = await readRaw(folder);
    assert.deepEqual(acknowledgedIds, ['1-0', '1-1']);
    assert.deepEqual(documentIds, ['1-0', '1-0', '2-5']);
    assert.deepEqual(errorSamples, []);
  }));

test('what a program says of itself, and the tickets of a sale, are read where there are some', () =>
  withCopy(async (folder) => {
    const { program, tickets } = await readRaw(folder);
    assert.deepEqual([program, tickets], [null, null]);
    const said = { program: 'tchmttest', began_s: 1, ended_s: 2.5, writers: [] };
    await writeFile(join(folder, 'raw', 'program.json'), JSON.stringify(said));
    await writeFile(join(folder, 'raw', 'tickets.txt'), '0\n12\n7\n');
    assert.deepEqual((await readRaw(folder)).program, said);
    assert.equal((await readRaw(folder)).tickets, null);
    const file = join(folder, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...manifest, scenario: 'tickets' }));
    assert.deepEqual((await readRaw(folder)).tickets, [0, 12, 7]);
  }));

test('an interrupted run is read without what it never wrote', () =>
  withCopy(async (folder) => {
    await rm(join(folder, 'raw'), { recursive: true });
    const raw = await readRaw(folder);
    assert.equal(raw.summary, null);
    assert.deepEqual([raw.snapshots, raw.accessLines, raw.nodes, raw.finalStates], [[], [], { 'app-1': [], 'app-2': [] }, []]);
  }));

test('a last line that was cut is left out, but a broken line within a record is an error that names it', () =>
  withCopy(async (folder) => {
    const file = join(folder, 'raw', 'host.ndjson');
    await writeFile(file, '{"t":1}\n{"t":2}\n{"t":');
    assert.deepEqual((await readRaw(folder)).host, [{ t: 1 }, { t: 2 }]);
    await writeFile(file, '{"t":1}\n{"t":\n{"t":3}\n');
    await assert.rejects(readRaw(folder), /host\.ndjson, line 2: expected JSON, found \{"t":/);
  }));

test('a folder without a manifest is no run', async () => {
  await assert.rejects(readRaw(join(FIXTURE, 'raw')), /ENOENT.*manifest\.json/);
});
