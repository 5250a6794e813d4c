import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures } from './architectures.js';
import { NotReadyError } from './errors.js';
import { aboutVariable, readVariables, variableNames } from './variables.js';

test('an architecture without variables of its own has none, whatever the environment holds', () => {
  assert.deepEqual(readVariables('a', { WORKERS: '3' }), {});
});

test('every variable has a value: the one given, or its standard', () => {
  assert.deepEqual(readVariables('tokyo', { THREADS: '8', FILES: '' }), { THREADS: '8', FILES: '1' });
});

test('a number out of its range and a word that is no choice are refused, with what they may be', () => {
  const refused = (/** @type {string} */ id, /** @type {Record<string, string>} */ env, /** @type {RegExp} */ text) =>
    assert.throws(
      () => readVariables(id, env),
      (error) => error instanceof NotReadyError && text.test(error.message),
    );
  refused('tokyo', { THREADS: '0' }, /^THREADS: expected a whole number from 1 to 64; found "0"/);
  refused('tokyo', { THREADS: '1.5' }, /found "1.5"/);
  refused('pools', { VARIANT: 'fast' }, /^VARIANT: expected one of async-unpooled, .*; found "fast"/);
});

test('a variable is told with what it may be and what it is unless given', () => {
  assert.equal(
    aboutVariable({ about: 'how fast', standard: 'slow', choices: ['slow', 'quick'] }),
    'how fast (slow, quick; slow unless given)',
  );
  assert.equal(aboutVariable({ about: 'threads', standard: '1', range: [1, 64] }), 'threads (1 to 64; 1 unless given)');
});

test('a variable of several architectures is named once', () => {
  assert.ok(Object.values(architectures).filter(({ variables }) => variables?.BATCHING).length > 1);
  assert.deepEqual(
    variableNames().filter((name) => name === 'BATCHING'),
    ['BATCHING'],
  );
});

for (const [id, { variables = {} }] of Object.entries(architectures))
  for (const [name, { about, standard, choices, range }] of Object.entries(variables))
    test(`${name} of ${id} says what it is, and may have its standard value`, () => {
      assert.ok(about);
      assert.ok((choices === undefined) !== (range === undefined), 'either choices or a range');
      assert.deepEqual(readVariables(id, { [name]: standard })[name], standard);
    });
