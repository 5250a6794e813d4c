import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { comparisonFixture } from '../../report/fixtures/comparisons.js';
import { experimentFixture } from '../../report/fixtures/experiments.js';
import { healthyResult } from '../../report/fixtures/results.js';
import { writeRecords } from './write-records.js';

/** @param {import('node:test').TestContext} context @param {import('../../record/excerpt-file.js').Records} records */
async function written(context, records) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-records-'));
  context.after(() => rm(folder, { recursive: true }));
  await writeRecords(folder, records);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return { folder, files: files.sort() };
}

test('each record has its pages beside it, and reads back', async (context) => {
  const records = {
    'experiment.json': experimentFixture(),
    'pairs/a-vs-2a/compare.json': comparisonFixture(),
    'manifest.json': { id: 'x' },
  };
  const { folder, files } = await written(context, records);
  assert.deepEqual(files, [
    'experiment.html',
    'experiment.json',
    'experiment.md',
    'manifest.json',
    'pairs/a-vs-2a/compare.html',
    'pairs/a-vs-2a/compare.json',
    'pairs/a-vs-2a/compare.md',
  ]);
  for (const [path, record] of Object.entries(records))
    assert.deepEqual(JSON.parse(await readFile(join(folder, path), 'utf8')), JSON.parse(JSON.stringify(record)));
});

test('the report of a run that is copied leads to the records that were copied with it, and to nothing else', async (context) => {
  const { folder, files } = await written(context, {
    'runs/1/result.json': healthyResult(),
    'runs/1/manifest.json': {},
    'runs/2/result.json': healthyResult(),
  });
  assert.deepEqual(
    files.filter((file) => file.endsWith('.html')),
    ['runs/1/report.html', 'runs/2/report.html'],
  );
  const linksOf = async (/** @type {string} */ run) =>
    [...(await readFile(join(folder, 'runs', run, 'report.html'), 'utf8')).matchAll(/<a href="([^#"]+)"/g)].map(([, href]) => href);
  assert.deepEqual(await linksOf('1'), ['result.json', 'manifest.json']);
  assert.deepEqual(await linksOf('2'), ['result.json']);
});
