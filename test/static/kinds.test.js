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

/**
 * What there is for one kind alone, a module or all of a folder. The Compose files of a shipped system have the lab's generator, labels and
 * mounts in them, so that anybody can bring it up by hand, on a Swarm or on Kubernetes, under names by which stored records know it: nothing
 * is left for an overlay to add. Over a user's files all of that is laid, and a copy is made of what a run could harm. From that follow how it
 * is run, what its arms are read from, and how a fault reaches its files.
 */
const OF_ONE_KIND = ['lab/compare/experiment/project-plan.js', 'lab/run/project/'];

/** @param {string} file */
const isOfOneKind = (file) => OF_ONE_KIND.some((one) => file === one || (one.endsWith('/') && file.startsWith(one)));

/** How a module asks which of them it is: of the scenario of what an option is given for, and of a record. */
const ASKING = [/\bisShipped\b|[!=]== LISTED\b/, /\bmanifest\.system\b|\brecord\.system\b/];
/**
 * The same of a plan, of its arms, by what it keeps of them, and of a description; elsewhere what is a service's or a request's own is called so
 * too.
 */
const ASKING_THERE = [
  /\b(plan|arm|stored)\??\.own\b|\b(resolved|loads) [!=]== undefined/,
  /\bif \(own\) return (own|format)|\bif \(system\)|\bsystem \? /,
];
const THERE = /^lab\/(cli|compare|diagnose|report|verify)\//;

/** Who knows it, beside what is of one kind itself, and why. @type {Record<string, string>} */
const KNOWS = {
  'lab/cli/main.js': 'init is of a folder',
  'lab/compare/systems.js': 'decides by what was asked for what is measured, compared or tested',
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
  return imported.some(isOfOneKind) || patterns.some((pattern) => pattern.test(code));
}

test('nobody asks whether a system is the lab’s or a user’s but who is named here', () => {
  const found = files.filter((file) => !isOfOneKind(file) && knows(file, codeOf(file)));
  assert.deepEqual(found.toSorted(), Object.keys(KNOWS).toSorted());
});

test('what measures a run knows none of the two', () => {
  for (const file of ['lab/run/run-target.js', 'lab/run/collect.js', 'lab/run/components.js', 'lab/cli/commands.js'])
    assert.equal(knows(file, codeOf(file)), false, file);
});
