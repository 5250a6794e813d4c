import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doorOf, spell, spellOwn, withVariable } from './spelling.js';

/** Each as make has it, and as the lab itself does. @type {[string[], string[], string, string][]} */
const COMMANDS = [
  [['run', '2a'], ['LOAD=smoke', 'SEED=1'], 'make run-2a LOAD=smoke SEED=1', 'LOAD=smoke SEED=1 doubletake run 2a'],
  [['experiment', 'doubling'], ['REPEATS=8'], 'make experiment-doubling REPEATS=8', 'REPEATS=8 doubletake experiment doubling'],
  [['compare'], ['A=a', "B='a b'"], "make compare A=a B='a b'", "A=a B='a b' doubletake compare"],
  [['report', 'reports/x'], [], 'make report RUN=reports/x', 'doubletake report reports/x'],
  [['open', 'x'], [], 'make open RUN=x', 'doubletake open x'],
  [['excerpt', 'x', 'y'], [], 'make excerpt RUN=x INTO=y', 'doubletake excerpt x y'],
  [['plan', 'x'], ['TARGET_RPS=500'], 'make plan RUN=x TARGET_RPS=500', 'TARGET_RPS=500 doubletake plan x'],
  [['findings'], [], 'make findings', 'doubletake findings'],
  [['list'], [], 'make list', 'doubletake list'],
];

test('a command is spelt with make where there is a Makefile, and by the name of the lab where there is none', () => {
  for (const [words, variables, make, doubletake] of COMMANDS) {
    assert.equal(spell(words, variables, 'make'), make);
    assert.equal(spell(words, variables, 'doubletake'), doubletake);
  }
});

test('in the checkout it is spelt with make, and for a user’s own system by the name of the lab there too', () => {
  assert.equal(spell(['list']), 'make list');
  assert.equal(spellOwn(['run'], ['SEED=7']), 'SEED=7 doubletake run');
});

test('a command says by which door it comes in, and takes one more variable where a shell takes it', () => {
  for (const [words, variables] of COMMANDS)
    for (const door of /** @type {const} */ (['make', 'doubletake'])) assert.equal(doorOf(spell(words, variables, door)), door);
  assert.equal(withVariable('make run-a SEED=1', "EXPECT='x<1'"), "make run-a SEED=1 EXPECT='x<1'");
  assert.equal(withVariable('SEED=1 doubletake run a', "EXPECT='x<1'"), "EXPECT='x<1' SEED=1 doubletake run a");
});
