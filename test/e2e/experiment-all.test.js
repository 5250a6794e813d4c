/**
 * All experiments in one go: interrupted in the first, gone on with in the quickest, and what is found on one page.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { claimsFor } from '../../lab/define/claims.js';
import { EXIT } from '../../lab/define/errors.js';
import { ALL, FINDINGS_RECORD } from '../../lab/define/findings.js';
import { RECORD, ROOT } from '../../lab/define/paths.js';
import { checkFindings } from '../browser/findings.check.js';
import { assertNothingIsLeft, doubletake, newestRun, RUN_LIMIT_MS, readJson, readManifest, saysSo, start, takenIn } from './front-door.js';

/** Nine runs of a store that inserts for a second each. */
const QUICKEST = 'writers';
const QUICKEST_LIMIT_MS = 400_000;

test('make experiment-all says how long it takes, and when it is interrupted, how to go on', { timeout: RUN_LIMIT_MS }, async (context) => {
  const child = start('lab/doubletake', ['experiment', ALL], { variables: { LOAD: 'smoke', REPEATS: '1' }, detached: true });
  try {
    await saysSo(child, /in all +\d+ runs, about \d+ minutes[\s\S]*block 1 of 1[\s\S]* rps /);
  } catch (error) {
    // Its first experiment needs a calibration, unless there is one.
    const taken = takenIn(String(error), /its run is INVALID: /);
    if (taken) return context.skip(taken);
    throw error;
  }
  assert.ok(child.pid);
  process.kill(-child.pid, 'SIGINT');
  const { exitCode, all: output } = await child;
  assert.equal(exitCode, EXIT.interrupted, String(output));
  assert.match(String(output), new RegExp(`go on with: make experiment-all RESUME=${relative(ROOT, await newestRun(ALL))}`));
  await assertNothingIsLeft();
});

test('it goes on with what is missing, and leaves its findings', { timeout: QUICKEST_LIMIT_MS }, async () => {
  const folder = await newestRun(ALL);
  const manifest = await readManifest(folder);
  assert.equal(manifest.experiments.filter((/** @type {{ folder: string | null }} */ step) => step.folder !== null).length, 1);
  // As if all the others had been made: they take too long for a test.
  for (const step of manifest.experiments) step.done = step.experiment !== QUICKEST;
  await writeFile(join(folder, RECORD.manifest), JSON.stringify(manifest));

  const { exitCode, output } = await doubletake(['experiment', ALL], { RESUME: relative(ROOT, folder) }, QUICKEST_LIMIT_MS);
  assert.equal(exitCode, EXIT.done, output);
  assert.match(output, /1 of \d+ experiments to go/);
  assert.ok((await readManifest(folder)).ended);
  const findings = await readJson(folder, FINDINGS_RECORD.data);
  /** @type {{ id: string, claims: { id: string, verdict: string }[] }[]} */
  const rows = findings.experiments;
  assert.equal(rows.flatMap((row) => row.claims).length, claimsFor(1).length);
  const verdicts = Object.fromEntries(rows.map((row) => [row.id, [...new Set(row.claims.map(({ verdict }) => verdict))]]));
  // A single block gives no verdict, and what was not measured has none either.
  assert.deepEqual(verdicts[QUICKEST], ['INCONCLUSIVE']);
  assert.deepEqual(verdicts.doubling, ['not measured']);
  await checkFindings(join(folder, FINDINGS_RECORD.page));
  await assertNothingIsLeft();
});
