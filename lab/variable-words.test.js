import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRONT_VARIABLES, takeVariables } from './variable-words.js';

test('a variable of the lab is taken wherever it stands, with all that comes after its first equals sign', () => {
  assert.deepEqual(takeVariables(['SEED=', 'run', 'LOAD=smoke', 'a', 'EXPECT=failure_rate<=0,x=1\n'], []), {
    words: ['run', 'a'],
    variables: { SEED: '', LOAD: 'smoke', EXPECT: 'failure_rate<=0,x=1\n' },
  });
});

test('what an option is given stays its own', () => {
  const words = ['compare', '--a', 'LOAD=smoke', '--b', 'LOAD=ramp'];
  assert.deepEqual(takeVariables(words, ['--a', '--b']), { words, variables: {} });
});

test('any other word stays, a variable that the lab does not know too, so that it is refused', () => {
  const words = ['run', 'a', 'LOD=smoke', 'LOAD', 'LOADS', '--json', '=x', ''];
  assert.deepEqual(takeVariables(words, []), { words, variables: {} });
});

test('the folders that commands read and what holds for the machine are variables too', () => {
  for (const name of ['RUN', 'INTO', 'IMAGES', 'BUSY', 'A', 'WORKERS']) assert.ok(FRONT_VARIABLES.includes(name), name);
});
