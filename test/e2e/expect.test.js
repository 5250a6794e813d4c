/**
 * Thresholds of a run: what continuous integration gets to see of them, and the exit code.
 */
import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { EXIT } from '../../lab/define/errors.js';
import { RECORD } from '../../lab/define/paths.js';
import { assertNothingIsLeft, doubletake, make, newestRun, RUN_LIMIT_MS, readManifest, readResult } from './front-door.js';

/** One node under a short load loses nothing, and answers no billion requests a second. */
const MET = 'failure_rate<=0';
const UNMET = 'goodput_rps>1e9';
const ASK_LIMIT_MS = 60_000;

/** What is said of both; a run whose machine others took is INVALID, and then no threshold is judged. */
const WORDS = {
  judged: {
    exitCode: EXIT.thresholdNotMet,
    output: [/^ {2}met: failure_rate<=0 .*found 0\)$/m, /^ {2}not met: goodput_rps>1e9 .*found \d/m],
    junit: [/<testsuite [^>]*tests="2" failures="1" errors="0"/, /<failure message="expected goodput_rps > 1000000000 rps; found /],
    summary: [/Thresholds: 1 of 2 met/, /\*\*not met\*\*/],
    metAlone: { exitCode: EXIT.done, junit: /tests="1" failures="0" errors="0"/ },
  },
  'not judged': {
    exitCode: EXIT.invalidRun,
    output: [/^ {2}not judged: failure_rate<=0 /m, /^ {2}not judged: goodput_rps>1e9 /m],
    junit: [/<testsuite [^>]*tests="2" failures="0" errors="2"/, /<error message="the run is INVALID, so no threshold was judged: /],
    summary: [/Thresholds: 0 of 2 met/, /\*\*not judged\*\*/],
    metAlone: { exitCode: EXIT.invalidRun, junit: /tests="1" failures="0" errors="1"/ },
  },
};

/** @param {string} folder @param {string} file */
const read = (folder, file) => readFile(join(folder, file), 'utf8');

describe('a run with a threshold that is met and one that cannot be', () => {
  let folder = '';
  /** @type {Awaited<ReturnType<typeof doubletake>>} */
  let outcome;
  /** @type {import('../../lab/define/result.js').Result} */
  let result;
  /** @type {typeof WORDS[keyof typeof WORDS]} */
  let words;

  before(
    async () => {
      outcome = await doubletake(['run', 'a'], { LOAD: 'calm', EXPECT: `${MET},${UNMET}` });
      folder = await newestRun('a');
      result = await readResult(folder);
      words = WORDS[result.validity.verdict === 'INVALID' ? 'not judged' : 'judged'];
    },
    { timeout: RUN_LIMIT_MS },
  );

  test('ends with 3 and says of each whether it is met', () => {
    assert.equal(outcome.exitCode, words.exitCode, outcome.output);
    for (const text of words.output) assert.match(outcome.output, text);
  });

  test('leaves JUnit with one test case for each, of which one fails', async () => {
    const junit = await read(folder, RECORD.junit);
    for (const text of words.junit) assert.match(junit, text);
    assert.equal(junit.match(/<testcase /g)?.length, 2);
  });

  test('leaves a summary with the verdict of the run and of each threshold', async () => {
    const summary = await read(folder, RECORD.summary);
    assert.ok(summary.includes(`**${result.validity.verdict}**`), summary);
    for (const text of words.summary) assert.match(summary, text);
  });

  test('measured what any run measures: its command names no threshold', async () => {
    const { command, interrupted } = await readManifest(folder);
    assert.doesNotMatch(command, /EXPECT/);
    assert.equal(interrupted, false);
  });

  test('is judged again by other thresholds, without another run', { timeout: ASK_LIMIT_MS }, async () => {
    const { exitCode, output } = await doubletake(['report', folder], { EXPECT: MET });
    assert.equal(exitCode, words.metAlone.exitCode, output);
    assert.match(await read(folder, RECORD.junit), words.metAlone.junit);
    assert.deepEqual(await readResult(folder), result);
  });

  test('is reported again without thresholds, and then no judgement stands beside it', { timeout: ASK_LIMIT_MS }, async () => {
    const { exitCode, output } = await make('report', `RUN=${folder}`);
    assert.equal(exitCode, EXIT.done, output);
    await assert.rejects(access(join(folder, RECORD.junit)));
    assert.doesNotMatch(await read(folder, RECORD.summary), /Thresholds/);
  });

  test('leaves no container, network or volume', assertNothingIsLeft);
});

test('a threshold that cannot be read ends with 2 before anything is measured', { timeout: ASK_LIMIT_MS }, async () => {
  const newest = await newestRun('a');
  const { exitCode, output } = await doubletake(['run', 'a'], { LOAD: 'calm', EXPECT: 'latency<800' });
  assert.equal(exitCode, EXIT.notReady, output);
  assert.match(output, /EXPECT: expected one of .*latency_ms_p95_ok.*; found "latency"/);
  assert.equal(await newestRun('a'), newest);
  await assertNothingIsLeft();
});

test('a threshold given to make reaches the lab, signs and all', { timeout: ASK_LIMIT_MS }, async () => {
  const { exitCode, output } = await make('run-a', 'LOAD=smoke', 'EXPECT=failure_rate<101%');
  assert.notEqual(exitCode, 0);
  assert.match(output, /EXPECT: .*found "101%" in "failure_rate<101%"/);
});
