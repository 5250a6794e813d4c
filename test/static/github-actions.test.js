/**
 * The example workflow and its explanation speak of what there is: actions that are pinned, targets and variables of the
 * Makefile, thresholds that can be read, files that a run leaves.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { EXIT } from '../../lab/base/errors.js';
import { EXPERIMENT_RECORD, RECORD, ROOT } from '../../lab/base/paths.js';
import { readExpect } from '../../lab/options/expect.js';
import { callsIn, callsInLine, problemOf } from './calls.js';

const read = (/** @type {string} */ file) => readFileSync(join(ROOT, file), 'utf8');
const text = read('docs/github-actions.yml');
const page = read('docs/github-actions.md');
const document = parseDocument(text);
/** @typedef {{ name: string, uses?: string, run?: string, env?: Record<string, string>, with?: Record<string, unknown> }} Step */
/** @type {{ permissions: Record<string, string>, jobs: Record<string, { 'timeout-minutes': number, steps: Step[] }> }} */
const workflow = document.toJS();
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

/** A job gives its step's variables to what it calls. */
const calls = [
  ...steps.flatMap(({ run = '', env = {} }) =>
    run
      .split('\n')
      .flatMap(callsInLine)
      .map((call) => ({ ...call, variables: { ...env, ...call.variables } })),
  ),
  ...callsIn(page),
];

test('the workflow is YAML without a fault or a warning', () => {
  assert.deepEqual([...document.errors, ...document.warnings], []);
  assert.ok(Object.keys(workflow.jobs).length > 0);
});

test('the workflow may only read, and no job may run for ever', () => {
  assert.deepEqual(workflow.permissions, { contents: 'read' });
  for (const [name, job] of Object.entries(workflow.jobs)) assert.ok(job['timeout-minutes'] <= 60, name);
});

test('every call is of a target or command that there is, with variables that it takes', () => {
  assert.ok(calls.some(({ program }) => program === 'make') && calls.some(({ program }) => program === 'doubletake'));
  assert.ok(calls.some(({ variables }) => 'EXPECT' in variables));
  for (const call of calls) assert.equal(problemOf(call), null, call.text);
});

test('the files that are published are the ones that a run leaves', () => {
  for (const name of [RECORD.summary, RECORD.junit, EXPERIMENT_RECORD.comparisonMarkdown]) assert.ok(text.includes(`/*/${name}`), name);
  for (const name of [RECORD.summary, RECORD.junit]) assert.ok(page.includes(`\`${name}\``), name);
});

test('the page has every exit code, and an example that can be read', () => {
  const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(
    codes,
    Object.values(EXIT).toSorted((one, other) => one - other),
  );
  for (const [, expect] of page.matchAll(/EXPECT='(.*?)'/g)) assert.ok(readExpect(expect).length > 0);
});
