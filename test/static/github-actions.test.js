/**
 * The example workflow and its explanation speak of what there is: actions that are pinned, targets and variables of the
 * Makefile, thresholds that can be read, files that a run leaves.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { architectures } from '../../lab/define/architectures.js';
import { EXIT } from '../../lab/define/errors.js';
import { readExpect } from '../../lab/define/expect.js';
import { EXPERIMENT_RECORD, RECORD, ROOT } from '../../lab/define/paths.js';
import { readSettings } from '../../lab/define/settings.js';

const read = (/** @type {string} */ file) => readFileSync(join(ROOT, file), 'utf8');
const text = read('docs/github-actions.yml');
const page = read('docs/github-actions.md');
const makefile = read('Makefile');
const document = parseDocument(text);
/** @typedef {{ name: string, uses?: string, run?: string, env?: Record<string, string>, with?: Record<string, unknown> }} Step */
/** @type {{ permissions: Record<string, string>, jobs: Record<string, { 'timeout-minutes': number, steps: Step[] }> }} */
const workflow = document.toJS();
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

const targets = [...makefile.matchAll(/^([a-z][\w%-]*):/gm)].map(([, target]) => target);
/** Every one that the Makefile's own help names; make hands on whatever it is given. */
const variables = [...makefile.matchAll(/^#:.*$/gm)].flatMap(([line]) => [...line.matchAll(/\b([A-Z]+)=/g)].map(([, name]) => name));
const commands = [...read('lab/main.js').matchAll(/\.command\('([\w-]+)/g)].map(([, command]) => command);

/** The words of a shell command up to an operator, without their quotes. @param {string} line */
const wordsOf = (line) => (line.split(/ [|&;]/)[0].match(/(?:[^\s']|'[^']*')+/g) ?? []).map((word) => word.replaceAll("'", ''));

/** @type {{ words: string[], env: Record<string, string> }[]} */
const calls = [
  ...steps.flatMap(({ run = '', env = {} }) => run.split('\n').map((line) => ({ words: wordsOf(line.trim()), env }))),
  ...[...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block]) =>
    block.split('\n').map((line) => ({ words: wordsOf(line), env: {} })),
  ),
].filter(({ words }) => words[0] === 'make' || words[0] === 'lab/doubletake');

test('the workflow is YAML without a fault or a warning', () => {
  assert.deepEqual([...document.errors, ...document.warnings], []);
  assert.ok(Object.keys(workflow.jobs).length > 0);
});

test('every action is pinned to a commit, and its version stands beside it', () => {
  const lines = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line));
  assert.ok(lines.length > 0);
  for (const line of lines) assert.match(line, /uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  assert.equal(lines.length, steps.filter(({ uses }) => uses).length);
});

test('the workflow may only read, and no job may run for ever', () => {
  assert.deepEqual(workflow.permissions, { contents: 'read' });
  for (const [name, job] of Object.entries(workflow.jobs)) assert.ok(job['timeout-minutes'] <= 60, name);
});

test('every call is of a target or command that there is, for an architecture that there is', () => {
  assert.ok(calls.some(({ words }) => words[0] === 'make') && calls.some(({ words }) => words[0] === 'lab/doubletake'));
  for (const { words } of calls) {
    const [program, target, argument] = words;
    if (program === 'lab/doubletake') assert.ok(commands.includes(target), `${target} is among ${commands.join(', ')}`);
    else assert.ok(targets.includes(target.replace(/^(run|experiment)-.*/, '$1-%')), `${target} is among ${targets.join(', ')}`);
    const architecture = program === 'make' ? /^run-(.*)/.exec(target)?.[1] : target === 'run' && argument;
    if (architecture) assert.ok(architecture in architectures, architecture);
  }
});

test('every variable is one that the Makefile names, with a value that the lab takes', () => {
  const given = calls.map(({ words, env }) => ({
    ...env,
    ...Object.fromEntries(words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split(/=(.*)/).slice(0, 2))),
  }));
  assert.ok(given.some((env) => 'EXPECT' in env));
  for (const env of given) {
    for (const name of Object.keys(env)) assert.ok(variables.includes(name), `${name} is among ${variables.join(', ')}`);
    for (const architecture of [env.A, env.B]) assert.ok(architecture === undefined || architecture in architectures, architecture);
    assert.doesNotThrow(() => readSettings('a', env));
  }
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
