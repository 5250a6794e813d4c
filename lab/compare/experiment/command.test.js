import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { execa } from 'execa';
import { EXIT } from '../../base/errors.js';
import { RECORD, ROOT } from '../../base/paths.js';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.js';
import { givenArms, isProjectComparison } from '../systems.js';
import { nextText } from './command.js';

const NONE = { a: [], b: [] };
let own = '';
before(async () => {
  own = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  await writeFile(join(own, 'doubletake.yaml'), '');
});
after(() => rm(own, { recursive: true }));

test('an arm that is given is of an own system, wherever the command is called', () => {
  assert.ok(isProjectComparison('/nowhere', { a: ['POOL=8'], b: [] }, {}));
  assert.ok(isProjectComparison('/nowhere', { a: [], b: ['rev:HEAD'] }, { A: 'a' }));
});

test('without arms it is the system of the folder, unless architectures are named or a plan goes on', () => {
  assert.ok(isProjectComparison(own, NONE, {}));
  for (const env of [{ A: 'a', B: '2a' }, { A: 'a:DELAY=5', B: '2a' }, { B: '2a', BASELINE: 'x' }, { RESUME: 'x' }])
    assert.ok(!isProjectComparison(own, givenArms({}, env), env));
  assert.ok(isProjectComparison(own, givenArms({}, { A: 'POOL=8' }), { A: 'POOL=8' }));
  // Misspelt, and told as what it may have been.
  assert.ok(!isProjectComparison('/nowhere', givenArms({ a: ['2aa'], b: ['a'] }, {}), {}));
  // Of a folder without a system, that of the lab apart, it is told how it gets one.
  assert.ok(isProjectComparison('/nowhere', NONE, {}));
  assert.ok(!isProjectComparison(ROOT, NONE, {}));
});

test('what made runs INVALID is said before the command that would make more of them', () => {
  const command = 'make compare RESUME=reports/compare/x REPEATS=16';
  assert.equal(
    nextText(command, 8, { runs: 16, of: 16, reason: 'the generator had no CPU left' }),
    `  every run INVALID: the generator had no CPU left\n  next: put that right, then ${command}  (of the 8 blocks that a verdict needs 0 are VALID)\n`,
  );
  assert.match(nextText(command, 3, { runs: 2, of: 16, reason: 'x' }), /^ {2}2 of 16 runs INVALID: x\n {2}next: put that right, then make/);
  assert.match(nextText(command, 3, { runs: 0, of: 16, reason: '' }), /^ {2}next: make compare .* 5 are VALID\)\n$/);
  assert.deepEqual(
    [nextText(null, 0, { runs: 0, of: 16, reason: '' }), nextText(null, 0, { runs: 1, of: 16, reason: 'x' })],
    ['', '  1 of 16 runs INVALID: x\n'],
  );
});

/** Judges a stored comparison again, as the command line does, each of whose runs has this verdict. @param {('INVALID' | 'SUSPECT')[]} verdicts of one block */
async function judged(verdicts) {
  const reports = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  const arms = ['a', '2a-slots'].map((id) => ({ id, architecture: id }));
  const plan = planOf({ id: 'compare/20260314T092600Z-77aa', experiment: 'compare', arms, pairs: [['a', '2a-slots']] });
  const given = Object.fromEntries(arms.map(({ id }, index) => [id, { validity: verdicts[index] }]));
  for (const { attempt, result } of runsOf(plan, given)) {
    const own = attempt.run.split('/').slice(2).join('/');
    await mkdir(join(reports, plan.id, own), { recursive: true });
    await writeFile(join(reports, plan.id, own, RECORD.result), JSON.stringify(result));
    plan.attempts.push({ ...attempt, run: `${plan.id}/${own}` });
  }
  await writeFile(join(reports, plan.id, RECORD.manifest), JSON.stringify(plan));
  const env = { RUN: join(reports, plan.id), DOUBLETAKE_REPORTS: reports, DOUBLETAKE_FOLDER: ROOT };
  const found = await execa(process.execPath, [join(ROOT, 'lab/cli/main.js'), 'report'], { all: true, reject: false, env });
  await rm(reports, { recursive: true });
  return { exitCode: found.exitCode, text: String(found.all) };
}

test('a comparison of which every run is INVALID ends as such a run does, and says why', async () => {
  const { exitCode, text } = await judged(['INVALID', 'INVALID']);
  assert.deepEqual([exitCode, text.includes('every run INVALID: a reason\n  next: put that right, then ')], [EXIT.invalidRun, true], text);
});

test('one of which some runs say something ends well', async () => {
  const { exitCode, text } = await judged(['INVALID', 'SUSPECT']);
  assert.deepEqual([exitCode, text.includes('8 of 16 runs INVALID: a reason')], [EXIT.done, true], text);
});
