/**
 * Real runs, short: what the lab measures, keeps, shows and leaves behind. One is of a system that is thrown away afterwards: a system is a
 * folder, and nothing else names it.
 */
import assert from 'node:assert/strict';
import { access, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { EXIT } from '../../lab/define/errors.js';
import { COMPOSE_FOLDER, RAW, RECORD, REPORTS, ROOT } from '../../lab/define/paths.js';
import { checkReport } from '../browser/report.check.js';
import {
  assertNothingIsLeft,
  assertRan,
  doubletake,
  make,
  newestRun,
  RUN_LIMIT_MS,
  readJson,
  readManifest,
  readResult,
} from './front-door.js';
import { EXPECT, testThresholds } from './thresholds.js';

const OWN = 'throwaway';
const OWN_FOLDER = join(COMPOSE_FOLDER, OWN);
/** Connections in its pool. */
const POOL = 5;
const OWN_FILES = {
  'compose.yaml': `name: doubletake
include: [../lab.yaml]

services:
  ${OWN}-mongo:
    extends: {file: ../base.yaml, service: mongo}
    profiles: [arch-${OWN}]
  ${OWN}-app-1:
    extends: {file: ../base.yaml, service: app-1}
    profiles: [arch-${OWN}]
    environment: {MAX_POOL_SIZE: "\${POOL:-}"}
    depends_on: [${OWN}-mongo]
`,
  'system.yaml': `title: one node with a pool of any size
question: What does a smaller pool cost?
entry: http://app-1:3000/
variables:
  POOL: {about: connections in the pool, standard: "50", range: [1, 500]}
`,
};

/** make ends with 2 whatever the lab ends with. */
const RUNS = {
  [OWN]: {
    fails: false,
    command: `doubletake run ${OWN} POOL=${POOL} EXPECT='${EXPECT}'`,
    run: () => doubletake(['run', OWN], { LOAD: 'smoke', POOL: String(POOL), EXPECT }),
    exitCode: EXIT.thresholdNotMet,
  },
  '2a': { fails: true, command: 'make run-2a', run: () => make('run-2a', 'LOAD=smoke', 'CAPTURE=1'), exitCode: EXIT.done },
};
/** What a run takes beside its warm-up and load, about 20 s on two quiet cores; a machine that others share takes longer. */
const OVERHEAD_LIMIT_S = 60;
/** The source of 2a counts 21 failures with a status among 93,069; a loaded machine may see a few more. */
const WITH_STATUS_SHARE_MOST = 0.05;
/** Of failed requests; k6 may read an end so late that it is taken for another's. */
const EXPLAINED_SHARE_LEAST = 0.98;

const validate = new Ajv({ allErrors: true, strict: false, logger: false }).compile(
  await readJson(join(ROOT, 'lab/define'), 'result.schema.json'),
);
/** @param {Record<string, number> | number[]} counts */
const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);

before(async () => {
  await mkdir(OWN_FOLDER, { recursive: true });
  for (const [name, text] of Object.entries(OWN_FILES)) await writeFile(join(OWN_FOLDER, name), text);
});
after(() => rm(OWN_FOLDER, { recursive: true, force: true }));

test('a folder with a Compose file and a system.yaml is listed, with a variable of its own', async () => {
  const { output } = await doubletake(['list']);
  assert.match(output, /^ {2}throwaway +one node with a pool of any size\. What does/m);
  assert.match(output, /^ {4}POOL= +connections in the pool \(1 to 500; 50 unless given\)/m);
});

for (const [architecture, { fails, command, run, exitCode }] of Object.entries(RUNS)) {
  describe(`${command} LOAD=smoke`, () => {
    let folder = '';
    /** @type {import('./front-door.js').Outcome} */
    let outcome;
    /** @type {import('../../lab/define/result.js').Result} */
    let result;

    before(
      async () => {
        outcome = await run();
        assertRan(outcome, exitCode);
        folder = await newestRun(architecture);
        result = await readResult(folder);
      },
      { timeout: RUN_LIMIT_MS },
    );

    test('keeps the whole record, lists the run and points at it', async () => {
      // Without thresholds there is nothing for JUnit, and without its page no report of k6's own.
      const files = Object.values(RECORD).filter((file) => file !== RECORD.junit && file !== RECORD.k6Report);
      for (const file of [...files, join(RECORD.raw, RAW.k6Log)]) await access(join(folder, file));
      assert.equal(await realpath(join(REPORTS, 'latest', architecture)), folder);
      assert.ok((await readFile(join(REPORTS, 'index.html'), 'utf8')).includes(result.run), 'index.html lists the run');
      const manifest = await readManifest(folder);
      assert.equal(manifest.interrupted, false);
      assert.equal(manifest.load, 'smoke');
    });

    test('ends soon after its load', async (context) => {
      const { warmup_began_s, load_ended_s } = await readManifest(folder);
      const overhead = outcome.seconds - (load_ended_s - warmup_began_s);
      context.diagnostic(`${overhead.toFixed(1)} s outside warm-up and load, ${outcome.seconds.toFixed(1)} s in all`);
      assert.ok(overhead < OVERHEAD_LIMIT_S, `${overhead.toFixed(1)} s`);
    });

    test('gives a result that its schema takes', () => {
      assert.ok(validate(result), JSON.stringify(validate.errors, null, 1));
      assert.equal(result.architecture, architecture);
    });

    test(fails ? 'sees the balancer fail requests' : 'sees no request fail', () => {
      assert.ok(result.metrics.requests > 0);
      assert.equal(result.metrics.failures > 0, fails, `${result.metrics.failures} of ${result.metrics.requests}`);
      assert.equal(result.metrics.failure_rate, result.metrics.failures / result.metrics.requests);
    });

    test('places every failure, and what it cannot place it says', () => {
      const { failures, unattributed } = result.ledger;
      assert.equal(sum(failures.map(({ count }) => count)) + unattributed, result.metrics.failures);
      for (const { tier, cause, evidence } of failures) assert.ok(evidence.length > 0, `${tier} ${cause} has evidence`);
    });

    test('adds up, tier by tier', () => {
      assert.ok(result.ledger.checks.length > 0);
      for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
    });

    test('finds every acknowledged document in the database', () => {
      const { acknowledged, persisted, lost, duplicated } = result.ledger.writes;
      assert.ok(acknowledged !== null && persisted !== null && acknowledged > 0 && persisted >= acknowledged);
      assert.equal(lost, 0);
      // Told apart only where requests carry ids (INTEGRITY=1).
      assert.ok(duplicated === null || duplicated === 0, `${duplicated} duplicated`);
    });

    test('records every second and every tier', () => {
      assert.ok(result.timeline.filter(({ warmup }) => !warmup).length >= 12);
      for (const service of ['k6', 'app-1', 'mongo']) assert.ok((result.resources[service]?.cpu_cores.mean ?? 0) > 0, service);
    });

    test('draws a report that a browser shows without a fault', { timeout: 120_000 }, async () => {
      await checkReport(join(folder, RECORD.report));
    });

    test('leaves no container, network or volume', assertNothingIsLeft);

    if (!fails) {
      test('runs with the variable that only its folder names', () => {
        assert.deepEqual(result.variables, { POOL: String(POOL) });
        const pool = result.series.limits.find((/** @type {{ tier: string }} */ { tier }) => tier === 'pool');
        assert.equal(pool?.limit, POOL);
      });

      testThresholds(() => ({ folder, outcome, result }));
      return;
    }

    test('sees connections closed without an answer, as published, and hardly any HTTP status', () => {
      const withStatus = sum(result.failures_by.status);
      assert.ok(withStatus <= result.metrics.failures * WITH_STATUS_SHARE_MOST, JSON.stringify(result.failures_by));
      assert.ok(result.ledger.failures.some(({ tier }) => tier === 'load-balancer'));
    });

    test('knows from the wire how nearly every failed request ended, and counts there what the other records count', () => {
      const { wire } = result;
      const counted = (wire?.compared ?? []).filter(({ unit }) => unit === 'requests');
      assert.ok(counted.length > 0, JSON.stringify(wire));
      for (const { holds, ...compared } of counted) assert.ok(holds, JSON.stringify(compared));
      assert.equal(wire?.failures?.failed, result.metrics.failures);
      assert.ok((wire?.failures?.explained ?? 0) >= result.metrics.failures * EXPLAINED_SHARE_LEAST, JSON.stringify(wire?.failures));
    });

    test('is rebuilt from raw alone, without Docker, to the same result', { timeout: 60_000 }, async () => {
      await Promise.all([RECORD.result, RECORD.report].map((file) => rm(join(folder, file))));
      assertRan(await make('report', `RUN=reports/${result.run}`));
      assert.deepEqual(await readResult(folder), result);
      await access(join(folder, RECORD.report));
    });
  });
}
