/**
 * An experiment on real containers, in its quick mode: two of its arms once, under the shortest load.
 */
import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { EXIT } from '../../lab/define/errors.js';
import { EXPERIMENT_RECORD, REPORTS } from '../../lab/define/paths.js';
import { checkCompare } from '../browser/compare.check.js';
import { checkExperiment } from '../browser/experiment.check.js';
import { assertNothingIsLeft, doubletake, newestRun, RUN_LIMIT_MS, readJson, readManifest } from './front-door.js';

const ARMS = ['2a', 'a'];
/** The claims that these arms can answer. */
const CLAIMS = ['D1a', 'D5a', 'D5b'];
const PAGE_LIMIT_MS = 120_000;

describe('make experiment-doubling ARMS=2a,a LOAD=smoke BUDGET=none REPEATS=1', () => {
  let folder = '';
  /** @type {import('../../lab/define/experiment-result.js').ExperimentResult} */
  let result;

  before(
    async () => {
      const { exitCode, output } = await doubletake(
        ['experiment', 'doubling'],
        // Without quotas: they would need a calibration, which a machine that others take does not give.
        { ARMS: ARMS.join(','), LOAD: 'smoke', BUDGET: 'none', REPEATS: '1' },
        ARMS.length * RUN_LIMIT_MS,
      );
      assert.equal(exitCode, EXIT.done, output);
      folder = await newestRun('doubling');
      result = await readJson(folder, EXPERIMENT_RECORD.result);
    },
    { timeout: ARMS.length * RUN_LIMIT_MS },
  );

  test('runs every arm once, in the order that was planned, with the claims fixed before', async () => {
    const { schedule, attempts, claims, claims_hash: hash } = await readManifest(folder);
    // An INVALID run is made twice.
    const order = attempts.map((/** @type {{ arm: string }} */ { arm }) => arm);
    assert.deepEqual([...new Set(order)], schedule[0]);
    assert.deepEqual(schedule[0].toSorted(), ARMS);
    assert.equal(claims.length, CLAIMS.length);
    assert.match(hash, /^[0-9a-f]{64}$/);
    await assertNothingIsLeft();
  });

  test('judges no claim on a single block, and shows the figures', () => {
    assert.deepEqual(
      result.claims.map(({ id, verdict }) => `${id} ${verdict}`),
      CLAIMS.map((id) => `${id} INCONCLUSIVE`),
    );
    for (const { quote, measured } of result.claims) {
      assert.doesNotMatch(quote, /[{}]|undefined|NaN/);
      assert.ok(measured.length > 0);
    }
    assert.deepEqual(result.arms.map(({ id }) => id).toSorted(), ARMS);
  });

  test('draws pages that a browser shows without a fault, with links that lead somewhere', { timeout: PAGE_LIMIT_MS }, async () => {
    await checkExperiment(join(folder, EXPERIMENT_RECORD.page));
    await checkCompare(join(folder, result.pairs[0].href));
    for (const { href } of [...result.pairs, ...result.claims.flatMap(({ evidence }) => evidence)]) await access(join(folder, href));
    const pair = join(folder, result.pairs[0].href);
    const comparison = await readJson(dirname(pair), EXPERIMENT_RECORD.comparison);
    for (const { href } of [...comparison.base.runs, ...comparison.other.runs]) await access(join(dirname(pair), href));
    for (const href of Object.values(comparison.links)) await access(join(dirname(pair), href));
    assert.match(await readFile(join(folder, EXPERIMENT_RECORD.markdown), 'utf8'), /\| D5a \|/);
    assert.ok((await readFile(join(REPORTS, 'index.html'), 'utf8')).includes(`${result.id}/${EXPERIMENT_RECORD.page}`));
  });
});
