/**
 * A shipped architecture and a user's own system are one thing to whoever has runs made, reads their record or judges them: few modules know
 * which of them it is, each for a reason, and no other asks.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.js';
import { succeed } from './command.js';

/** What there is for one kind alone: how it is run, and how its settings, plans and faults are read. */
const OF_ONE_KIND = [
  'lab/adapters/shipped-faults.js',
  'lab/compare/experiment/project-plan.js',
  'lab/compare/experiment/project-runs.js',
  'lab/compare/experiment/shipped-plan.js',
  'lab/compare/experiment/shipped-runs.js',
  'lab/compare/project-arms.js',
  'lab/compare/shipped-arms.js',
  'lab/run/architecture-target.js',
  'lab/run/attach/checked-system.js',
  'lab/run/attach/commands.js',
  'lab/run/attach/measure-bare.js',
  'lab/run/attach/open-view.js',
  'lab/run/attach/project-target.js',
  'lab/run/run-bare.js',
  'lab/target/run-options.js',
];

/** How a module asks which of them it is: of options, and of a record. */
const ASKING = [/\b(acceptedByProject|projectStandard|projectKind|isShipped)\b/, /\bmanifest\.system\b|\brecord\.system\b/];
/** The same of a plan, its arms, and a description; elsewhere what is a service's or a request's own is called so too. */
const ASKING_THERE = [/\b(plan|arm|stored)\??\.own\b/, /\bif \(own\) return (own|format)|\bif \(system\)|\bsystem \? /];
const THERE = /^lab\/(cli|compare|diagnose|report|verify)\//;

/** Who knows it, beside what is of one kind itself, and why. @type {Record<string, string>} */
const KNOWS = {
  'lab/adapters/mongo/adapter.js': 'what an observer of the lab wrote is another record than what a service tells of itself',
  'lab/adapters/nginx/read.js': 'the lab’s own configurations write other logs',
  'lab/cli/list.js': 'lists both',
  'lab/cli/main.js': 'init is of a folder',
  'lab/compare/calibrate.js': 'calibrates the lab’s own',
  'lab/compare/experiment/asked-plan.js': 'decides by what was asked for who makes the plan',
  'lab/compare/planned-systems.js': 'decides by the plan what its systems are',
  'lab/compare/systems.js': 'decides by what was asked for what is measured',
  'lab/diagnose/measured-system.js': 'says in what records differ',
  'lab/diagnose/read-raw.js': 'finds the files of a record',
  'lab/options/accepted-options.js': 'says what takes which option',
  'lab/options/options.js': 'the table has a column for each',
  'lab/report/selftest.js': 'says what the faults were put into',
  'lab/verify/overhead/targets.js': 'decides by the folder what is benched',
  'lab/verify/selftest/consent.js': 'says how long the faults of all architectures take',
  'lab/verify/selftest/injection.js': 'plans the faults of both',
  'lab/verify/selftest/selftest.js': 'the page of the lab’s own faults is a document',
  'lab/verify/selftest/targets.js': 'decides by the folder what is tested',
};

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
  .split('\n')
  .filter((file) => file.endsWith('.js') && !/\.test\.js$|\/fixtures\//.test(file));

/** Without what only readers read. @param {string} file */
const codeOf = (file) =>
  readFileSync(join(ROOT, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');

/** @param {string} file @param {string} code */
function knows(file, code) {
  const imported = [...code.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) => posix.join(posix.dirname(file), path));
  const patterns = THERE.test(file) ? [...ASKING, ...ASKING_THERE] : ASKING;
  return imported.some((path) => OF_ONE_KIND.includes(path)) || patterns.some((pattern) => pattern.test(code));
}

test('nobody asks whether a system is the lab’s or a user’s but who is named here', () => {
  const apart = (/** @type {string} */ file) => OF_ONE_KIND.includes(file) || file.startsWith('lab/run/attach/');
  const found = files.filter((file) => !apart(file) && knows(file, codeOf(file)));
  assert.deepEqual(found.toSorted(), Object.keys(KNOWS).toSorted());
});

test('what measures a run knows none of the two', () => {
  for (const file of ['lab/run/run-target.js', 'lab/run/collect.js', 'lab/run/components.js', 'lab/cli/commands.js'])
    assert.equal(knows(file, codeOf(file)), false, file);
});
