import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CLIENT_VARIABLES } from './client-behaviour.js';
import { MACHINE_VARIABLES, NAMES, refuseAllBut, takenByRun } from './effects.js';
import { NotReadyError } from './errors.js';
import { ROOT } from './paths.js';
import { variableNames } from './variables.js';

/** Never refused: of the machine, or folders that are read. */
const OTHERS = [...Object.keys(MACHINE_VARIABLES), 'RUN', 'INTO'];
const read = (/** @type {string} */ file) => readFileSync(join(ROOT, file), 'utf8');

/** @type {(what: string, taken: string[], env: Record<string, string>) => string} */
function refusalOf(what, taken, env) {
  try {
    refuseAllBut(what, taken, env);
  } catch (error) {
    assert.ok(error instanceof NotReadyError);
    return error.message;
  }
  return '';
}

/** Read before there is a lab to read it. */
const SETUP = 'BOOTSTRAP';

test('every variable that the help of make names is known', () => {
  const help = read('Makefile').match(/^#:.*$/gm) ?? [];
  const named = help.flatMap((line) => [...line.matchAll(/\b([A-Z]+)=/g)].map(([, name]) => name)).filter((name) => name !== SETUP);
  assert.ok(named.includes('REPEATS') && named.includes('THREADS') && named.includes('FAULTS'));
  for (const name of named) assert.ok([...NAMES, ...OTHERS].includes(name), name);
});

test('a run takes what is its load, its conditions and its architecture’s own, and refuses everything else by name', () => {
  const taken = [
    'LOAD',
    'BUDGET',
    'SEED',
    'EXPECT',
    'DELAY',
    'INTEGRITY',
    'RATE',
    'USERS',
    'THINK',
    'GENERATORS',
    'DASHBOARD',
    'FAULT',
    'CAPTURE',
    ...CLIENT_VARIABLES,
  ];
  for (const [id, own] of /** @type {const} */ ([
    ['a', []],
    ['crud', ['WORKERS']],
    ['tokyo', ['THREADS', 'FILES']],
  ]))
    for (const name of NAMES) {
      const message = refusalOf(id, takenByRun(id), { [name]: '3' });
      if ([...taken, ...own].includes(name)) assert.equal(message, '', name);
      else assert.match(message, new RegExp(`^${name}: expected none, because it changes nothing about ${id}; found "3"\\.`));
    }
});

test('a refusal says what would make it have an effect, and how to be rid of one that is another program’s', () => {
  const message = refusalOf('a', takenByRun('a'), { WORKERS: '3' });
  assert.match(message, /To do: leave it out; it has an effect on crud\. .* give it empty: WORKERS=$/);
  assert.match(refusalOf('a', takenByRun('a'), { STOCK: '3' }), /on tickets-1, tickets-2, tickets-3\. /);
  assert.match(refusalOf('a', takenByRun('a'), { REPEATS: '3' }), /on make compare, make experiment-<id>, /);
});

test('what is empty is not given, and what is switched off has no effect to miss', () => {
  const off = { DELAY: '0', INTEGRITY: '0', DASHBOARD: '0', PARTS: '0', RETRIES: '0' };
  assert.equal(refusalOf('a', [], { ...Object.fromEntries(NAMES.map((name) => [name, ''])), ...off }), '');
  assert.match(refusalOf('a', [], { DELAY: '1' }), /^DELAY/);
  assert.match(refusalOf('a', [], { REPEATS: '0' }), /^REPEATS/);
});

test('what other programs and the machine have is never looked at', () => {
  const foreign = { USER: 'ada', SHELL: 'sh', MAKEFLAGS: 'j2', MAKELEVEL: '1', CI: 'true', NODE_OPTIONS: '-x', HOME: '/', PWD: '/' };
  assert.equal(refusalOf('a', [], { ...foreign, ...Object.fromEntries(OTHERS.map((name) => [name, 'x'])) }), '');
});

test('every variable that an architecture has of its own is among them', () => {
  for (const name of variableNames()) assert.ok(NAMES.includes(name), name);
});
