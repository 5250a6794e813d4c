import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { hintFor } from './usage-hint.js';

const program = new Command('doubletake').option('--json');
program.command('run [architecture]').option('--allow');
program.command('compare');

/** @type {(name: string, found: string, ...words: string[]) => string} */
const hint = (name, found, ...words) => hintFor(`commander.${name}`, `error: it is unknown '${found}'`, words, program);

test('a misspelt option leads to the one that was meant, of the command, of all or of the table', () => {
  assert.equal(hint('unknownOption', '--alow', 'run', '--alow'), 'write "--allow" instead of "--alow".');
  assert.equal(hint('unknownOption', '--jsn', 'compare', '--jsn'), 'write "--json" instead of "--jsn".');
  assert.equal(hint('unknownOption', '--lod', 'run', '--lod', 'smoke'), 'write "--load" instead of "--lod".');
  assert.equal(hint('unknownOption', '--LOAD=smoke', 'run', '--LOAD=smoke'), 'write "--load" instead of "--LOAD".');
  assert.equal(hint('unknownOption', '--retry_budget', 'run', '--retry_budget'), 'write "--retry-budget" instead of "--retry_budget".');
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
