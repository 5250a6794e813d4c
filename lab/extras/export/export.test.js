import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../../base/errors.js';
import { RECORD } from '../../base/paths.js';
import { listen } from '../../fixtures/reporter.js';
import { failingResult } from '../../report/fixtures/results.js';
import { exportRun } from './export.js';

/** A folder with a result in it. @param {import('node:test').TestContext} context @param {string} [text] */
async function runWith(context, text = JSON.stringify(failingResult())) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-export-'));
  context.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, RECORD.result), text);
  return folder;
}

/** @type {(path: string | undefined, files: Record<string, string>, expected: RegExp) => Promise<void>} */
const refused = (path, files, expected) =>
  assert.rejects(exportRun(path, files, listen().reporter), (error) => error instanceof NotReadyError && expected.test(error.message));

test('a run is written as CSV and as OTLP, and both have as many values', async (context) => {
  const folder = await runWith(context);
  const { reporter, err, result } = listen();
  const [csv, otlp] = ['run.csv', 'otlp.json'].map((name) => join(folder, name));
  assert.equal(await exportRun(folder, { csv, otlp }, reporter), EXIT.done);
  const { values, files } = result().result;
  assert.deepEqual(
    files.map((/** @type {{ format: string }} */ { format }) => format),
    ['csv', 'otlp'],
  );
  assert.equal((await readFile(csv, 'utf8')).trimEnd().split('\n').length - 1, values);
  const { resourceMetrics } = JSON.parse(await readFile(otlp, 'utf8'));
  /** @type {{ gauge: { dataPoints: unknown[] } }[]} */
  const metrics = resourceMetrics[0].scopeMetrics[0].metrics;
  assert.equal(
    metrics.reduce((sum, { gauge }) => sum + gauge.dataPoints.length, 0),
    values,
  );
  assert.ok(values > 200 && err().includes(`${csv}: ${values.toLocaleString('en-US')} values of `), err());
});

test('only what is asked for is written', async (context) => {
  const folder = await runWith(context);
  await exportRun(folder, { csv: join(folder, 'run.csv') }, listen().reporter);
  assert.deepEqual((await readdir(folder)).sort(), [RECORD.result, 'run.csv']);
});

test('a run and a file are wanted', async (context) => {
  await refused(
    undefined,
    { csv: 'x.csv' },
    /^export: expected the folder of a run; found none\.\n {2}To do: say which: doubletake export /,
  );
  await refused(await runWith(context), {}, /^export: expected a file to write, after --csv or --otlp or both; found none\./);
});

test('a folder without a result, one that is cut and one of another version are refused', async (context) => {
  const file = { csv: join(os.tmpdir(), 'doubletake-never.csv') };
  await refused('reports/nowhere', file, /found none in reports\/nowhere\.\n {2}To do: "make list" names the runs/);
  await refused(
    await runWith(context, '{"schema": 2, '),
    file,
    /expected JSON in .*result\.json; found .*\n {2}To do: make it again .*make report RUN=/,
  );
  await refused(await runWith(context, '{"schema": 1}'), file, /expected version 2 of .*; found 1\./);
});

test('a file that cannot be written is named, with what is in its way', async (context) => {
  const folder = await runWith(context);
  await refused(folder, { otlp: join(folder, 'nowhere', 'x.json') }, /^--otlp: expected a file that can be written; found ENOENT.*nowhere/);
});
