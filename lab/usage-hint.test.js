import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { hintFor } from './usage-hint.js';

const program = new Command('doubletake').option('--json');
program.command('run [architecture]').option('--allow');
program.command('compare');

/** @type {(name: string, found: string, ...words: string[]) => string} */
const hint = (name, found, ...words) => hintFor(`commander.${name}`, `error: it is unknown '${found}'`, words, program);

test('an option that is a variable is told as one, with the value that stands behind it', () => {
  assert.equal(hint('unknownOption', '--load', 'run', 'a', '--load', 'smoke'), 'write LOAD=smoke, as a variable and not as an option.');
  assert.equal(hint('unknownOption', '--load=smoke', 'run', '--load=smoke'), 'write LOAD=smoke, as a variable and not as an option.');
  assert.match(hint('unknownOption', '--retry-budget', 'run', '--retry-budget'), /^write RETRY_BUDGET=\.\.\., as/);
  assert.match(hint('unknownOption', '--laod', 'run', '--laod', '--json'), /^write LOAD=\.\.\., as/);
});

test('a misspelt option leads to the one that was meant, of the command or of all', () => {
  assert.equal(hint('unknownOption', '--alow', 'run', '--alow'), 'write "--allow" instead of "--alow".');
  assert.equal(hint('unknownOption', '--jsn', 'compare', '--jsn'), 'write "--json" instead of "--jsn".');
  assert.equal(hint('unknownOption', '--qwertyuiop', 'run', '--qwertyuiop'), '"doubletake run --help" says what it takes.');
});

test('a misspelt command leads to the one that was meant, an architecture to its run, and any other to the help', () => {
  assert.equal(hint('unknownCommand', 'rnu', 'rnu'), 'write "run" instead of "rnu".');
  assert.equal(hint('unknownCommand', '2a', '2a'), 'doubletake run 2a');
  assert.equal(hint('unknownCommand', 'frobnicate', 'frobnicate'), '"doubletake --help" names the commands.');
});

test('arguments too many lead to the help of their command', () => {
  assert.equal(hint('excessArguments', 'run', 'run', 'a', 'b'), '"doubletake run --help" says what it takes.');
});
